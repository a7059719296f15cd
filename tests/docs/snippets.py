"""Takes the code blocks out of a page and runs them, as a reader would, in order."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from tests.waiting import HANG_S

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(
    r"(?:^ *<!-- not run: (?P<why>[^\n]+?) -->\n+)?"
    r"^(?P<indent> *)```(?P<kind>\w+)\n(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
RUN = ("console", "python")


@dataclass(frozen=True)
class Block:
    """A code block: its kind, text, first line in the page, and why it is not run, if so."""

    kind: str
    text: str
    line: int
    why: str | None


def blocks_of(page):
    text = page.read_text(encoding="utf-8")
    return [
        Block(m["kind"], dedent(m["text"]), text.count("\n", 0, m.start("text")) + 1, m["why"])
        for m in BLOCK.finditer(text)
    ]


def script_of(block):
    """Return the shell script of a console block.

    With prompts, what follows a line with one up to the next prompt is part of the command while
    the command is not complete (a line that ends in a backslash, a here document); the rest is
    output.
    """
    lines = block.text.splitlines()
    if not any(line.startswith("$ ") for line in lines):
        return block.text
    script, end = [], None
    for line in lines:
        if end is not None:
            script.append(line)
            end = None if line == end else end
        elif line.startswith("$ "):
            script.append(re.sub(r"\s{2,}# .*$", "", line[2:]))
            here = re.search(r"<<'(\w+)'", line)
            end = here[1] if here else None
        elif script and script[-1].endswith("\\"):
            script.append(line)
    return "\n".join(script) + "\n"


def environment(clone, home):
    """The environment of a reader who has set up the project in `clone`."""
    keep = ("LANG", "LC_ALL", "TMPDIR", "BIOMLBENCH_CACHE_DIR", "HTTPS_PROXY", "HTTP_PROXY")
    values = {name: os.environ[name] for name in keep if name in os.environ}
    values |= {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    folder = str(Path(sys.executable).parent)
    cache = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    return values | {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "PYTHONPATH": str(clone),
        "HOME": str(home),
        "XDG_CACHE_HOME": cache,
        "BIOMLBENCH_DATA_DIR": str(Path(home) / ".cache" / "biomlbench" / "data"),
        "COLUMNS": "200",
    }


def run(block, page, clone, home):
    """Run a block in the clone; a command that fails fails the test."""
    if block.kind == "console":
        call = ["bash", "-euo", "pipefail", "-c", script_of(block)]
    else:
        call = [sys.executable, "-c", "\n" * (block.line - 1) + block.text]
    done = subprocess.run(
        call,
        cwd=clone,
        env=environment(clone, home),
        capture_output=True,
        text=True,
        timeout=HANG_S,
    )
    where = f"{page.relative_to(ROOT)}:{block.line}"
    assert done.returncode == 0, (
        f"{where}\n{block.text}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    )
    return done.stdout


def run_page(page, clone, home):
    """Run all blocks of a page, one after another, and return what each printed."""
    blocks = [block for block in blocks_of(page) if block.kind in RUN and block.why is None]
    return [run(block, page, clone, home) for block in blocks]
