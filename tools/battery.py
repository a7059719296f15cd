"""Runs the battery of attacks on this machine, and writes the page with its result.

    python -m tools.battery
    python -m tools.battery root.xml user.xml    from reports of pytest's that are there

As root it attacks root's sandbox, as an ordinary user that user's and Landlock; for a page of both,
let pytest report each run (``-m "" --junitxml=root.xml tests/attacks``) and name the reports, on
the machine that they are of. What comes through the doors, past no sandbox, is in :data:`DOORS`; it
is run with the rest, and with reports is taken from those that have it. Nothing on the page is
typed by hand.
"""

from __future__ import annotations

import platform
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parents[1]
ATTACKS = ROOT / "tests/attacks"
PAGE = ROOT / "docs/explanation/attack-battery.md"
ONE_ATTACK = "test_attack_is_stopped_and_leaves_nothing"
_CASE = re.compile(rf"{ONE_ATTACK}\[(\w+)-([\w-]+)\]")

DOORS = {
    "command line": (
        "tests/api/test_private_files.py",
        "tests/cli/test_bad_input.py",
        "tests/cli/test_hostile_imports.py",
        "tests/cli/test_import_inspect.py",
    ),
    "workflow": (
        "tests/workflow/test_archive.py",
        "tests/workflow/test_hostile_tables.py",
        "tests/workflow/test_lists_of_agents.py",
        "tests/workflow/test_own_results.py",
        "tests/workflow/test_planned.py",
        "tests/workflow/test_received.py",
        "tests/workflow/test_replaced.py",
        "tests/workflow/test_reproduce.py",
        "tests/workflow/test_swapped_submissions.py",
    ),
    "server": (
        "tests/serve/test_forms.py",
        "tests/serve/test_hostile_load.py",
        "tests/serve/test_origin.py",
    ),
    "all three": (
        "tests/core/test_bounded.py",
        "tests/core/test_bounded_yaml.py",
        "tests/core/test_contracts.py",
        "tests/core/test_hostile_parsing.py",
        "tests/core/test_memory_of_reading.py",
        "tests/core/test_regular_file.py",
        "tests/report/test_plain_text.py",
        "tests/verify/test_hostile_values.py",
        "tests/verify/test_judging_limits.py",
        "tests/verify/test_shared_processes.py",
    ),
}
"""What attacks the trusted side, by the door through which it comes."""

TEXT = """# The battery of attacks

Made by `python -m tools.battery`, which runs every attack of `tests/attacks/` against every sandbox
that the machine has for the user. An attack is held if it comes to what is expected of it, leaves
nothing behind, and touches nothing of the host's. The [threat model](threat-model.md) says what
they are about, and names the tests of what lies beside the sandbox.

Run on: {machine}.

## Sandboxes

{providers}

## Doors

Tests of what comes to the grader itself, and enters no sandbox: files, forms, lists of runs,
archives, reports of others, and what the decoder makes of a candidate's output.

{doors}

## Every attack

{attacks}
"""


class Result(NamedTuple):
    """What became of one test: ``held``, ``failed`` or ``skipped``."""

    file: str
    name: str
    outcome: str


def read_results(report: str) -> list[Result]:
    """Return the results in a report of pytest's, which is written by pytest itself."""
    found = []
    for case in ET.fromstring(report).iter("testcase"):  # noqa: S314 - our own report
        kinds = {child.tag for child in case}
        outcome = "failed" if kinds & {"failure", "error"} else "held"
        file = case.get("classname", "").replace(".", "/") + ".py"
        found.append(
            Result(file, case.get("name", ""), "skipped" if "skipped" in kinds else outcome)
        )
    return found


def run(tests: Iterable[str]) -> list[Result]:
    """Run tests of this repository, slow ones as well."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        call = [sys.executable, "-m", "pytest", "-q", "-m", "", "-p", "no:cacheprovider"]
        call += [f"--junitxml={report}", *tests]
        subprocess.run(call, cwd=ROOT, check=False, stdout=sys.stderr)
        return read_results(report.read_text(encoding="utf-8"))


def table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table."""
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def page_of(results: Iterable[Result], machine: str) -> str:
    """Return the page.

    Parameters
    ----------
    results : iterable of Result
    machine : str
        What they ran on.
    """
    results = list(results)
    by_attack: dict[str, dict[str, str]] = {}
    for result in results:
        if match := _CASE.fullmatch(result.name):
            by_attack.setdefault(match[1], {})[match[2]] = result.outcome
    providers = sorted({name for found in by_attack.values() for name in found})
    counts = {
        name: Counter(found[name] for found in by_attack.values() if name in found)
        for name in providers
    }
    outcomes = ("held", "failed", "skipped")
    by_file = {file: Counter[str]() for files in DOORS.values() for file in files}
    for result in results:
        if result.file in by_file:
            by_file[result.file][result.outcome] += 1
    specs = {path.stem: yaml.safe_load(path.read_text()) for path in ATTACKS.glob("*.yaml")}
    return TEXT.format(
        machine=machine,
        providers=table(
            ("sandbox", "attacks", *outcomes),
            (
                (f"`{name}`", counts[name].total(), *(counts[name][o] for o in outcomes))
                for name in providers
            ),
        ),
        doors=table(
            ("door", "tests in", "tests", *outcomes),
            (
                (door, f"`{file}`", by_file[file].total(), *(by_file[file][o] for o in outcomes))
                for door, files in DOORS.items()
                for file in files
                if by_file[file]
            ),
        ),
        attacks=table(
            ("attack", "what it tries", *(f"`{name}`" for name in providers)),
            (
                (f"`{name}`", specs[name]["attack"], *(found.get(p, "–") for p in providers))
                for name, found in sorted(by_attack.items())
            ),
        ),
    )


def users_of(results: Iterable[Result]) -> str:
    """Return who ran the attacks: root's sandbox is root's alone, the others are not root's."""
    found = {match[2] == "bwrap-root" for one in results if (match := _CASE.fullmatch(one.name))}
    return " and as ".join(
        name for name, root in (("root", True), ("an ordinary user", False)) if root in found
    )


def main(reports: Iterable[str] = ()) -> int:
    """Run all, or read reports; write the page, and end with 1 if anything failed."""
    texts = [Path(report).read_text(encoding="utf-8") for report in reports]
    read = [result for text in texts for result in read_results(text)]
    # What was run again counts as it came out last.
    results = list({(result.file, result.name): result for result in read}.values())
    doors = [file for files in DOORS.values() for file in files]
    results = results or run(["tests/attacks", *doors])
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    machine = (
        f"{system}, kernel {platform.release()}, {platform.machine()}, "
        f"Python {platform.python_version()}, as {users_of(results)}"
    )
    PAGE.write_text(page_of(results, machine), encoding="utf-8")
    failed = [f"{result.file}::{result.name}" for result in results if result.outcome == "failed"]
    for name in failed:
        sys.stderr.write(f"not held: {name}\n")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
