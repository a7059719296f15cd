"""Runs of Snakemake by copies of a process that has imported it, as a short run is half imports.

Whoever wants a Python that starts anew (code in its ``sitecustomize``, signals, another random
order of sets) runs ``python -m snakemake`` instead.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parents[1]
# What the workflow imports while it plans, but for the library: each benchmark has its own copy.
IMPORTED = (
    "snakemake.cli",
    *("numpy", "pandas", "pyarrow.compute", "pyarrow.csv", "pyarrow.dataset", "pyarrow.json"),
    *("pyarrow.parquet", "jsonschema", "yaml", "psutil", "rich.progress", "snakemake.report"),
    *("smart_open", "requests", "yte", "platformdirs"),
)


def run(
    arguments: Sequence[str], cwd: Path, env: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run ``python -m snakemake`` with arguments, and return what it says and how it ends."""
    server = _server()
    with tempfile.TemporaryDirectory() as folder:
        texts = [Path(folder, name) for name in ("out", "err")]
        request = {"arguments": arguments, "cwd": str(cwd), "env": dict(env)}
        request["texts"] = [str(path) for path in texts]
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        status = int(server.stdout.readline())
        out, err = (path.read_text() for path in texts)
    return subprocess.CompletedProcess(["snakemake", *arguments], status, out, err)


@cache
def _server() -> subprocess.Popen[str]:
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.forked_snakemake"],
        cwd=ROOT,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(server.kill)
    return server


def serve() -> None:
    """Answer each request by the status of a copy; a copy returns, to run Snakemake."""
    for name in IMPORTED:
        import_module(name)
    assert not any(name.startswith("biomlbench") for name in sys.modules)
    for line in sys.stdin:
        copy = os.fork()
        if not copy:
            become_snakemake(**json.loads(line))
        status = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
        print(status, flush=True)


def become_snakemake(
    arguments: list[str], cwd: str, env: dict[str, str], texts: list[str]
) -> NoReturn:
    """Do as ``python -m snakemake`` would that is started so."""
    import snakemake.cli

    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    for number, path in enumerate([os.devnull, *texts]):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)
    sys.path[0] = cwd
    sys.path[1:1] = filter(None, env.get("PYTHONPATH", "").split(os.pathsep))
    sys.argv = [snakemake.cli.__file__.replace("cli.py", "__main__.py"), *arguments]
    sys.orig_argv[:] = [sys.executable, "-m", "snakemake", *arguments]
    snakemake.cli.main()
    sys.exit()


if __name__ == "__main__":
    serve()
