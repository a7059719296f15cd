"""Run an untrusted program on public inputs."""

from __future__ import annotations

import re
import secrets
import stat
import time
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING

from biomlbench.runtime.regular_file import kind_in_words
from biomlbench.sandbox import providers
from biomlbench.sandbox.candidate import figures, judge, make_setup, read_source
from biomlbench.sandbox.inside import wire
from biomlbench.sandbox.meter import Lost
from biomlbench.sandbox.model import HostOutOfMemory, Limits, ProgramResult, UnexplainedKill
from biomlbench.sandbox.process import subreaper
from biomlbench.sandbox.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from biomlbench.sandbox.providers.base import Provider, Setup

__all__ = ["run_program"]


_NO_FILE = re.compile(r"FileNotFoundError: \[Errno 2\] [^:]*: '(?P<path>[^']{0,400})'")
_NO_OUTPUT = {
    0: "the program wrote no file {}",
    stat.S_IFREG >> 12: "the program left no right to read its file {} (chmod)",
    wire.SECOND_NAME: "the program gave {} a second name (a hard link), with which it is not read",
    wire.LOCKED_FOLDER: "the program left no right to look for {} in its folder (chmod)",
}


def run_program(
    code: Path | bytes,
    inputs: Path,
    *,
    output: str = "submission.csv",
    limits: Limits | None = None,
    provider: str = "auto",
    environment: Path | None = None,
    seed: int = 0,
    argv: Sequence[str] = (),
    preload: Sequence[str] = (),
    hidden: Iterable[PurePath] = (),
) -> ProgramResult:
    """Run an untrusted program on public inputs and bring its output file back.

    The program starts as ``__main__`` in an empty folder. The inputs are read-only in
    ``./data``; the variables ``PUBLIC_DIR`` and ``OUTPUT_PATH`` name inputs and output, and
    ``SEED`` the seed, with which ``random`` and, if preloaded, ``numpy.random`` are seeded.

    Parameters
    ----------
    code : pathlib.Path or bytes
    inputs : pathlib.Path
        Folder of public inputs; nothing beside it is visible.
    output : str
        Bare name of the file that the program has to write into its folder.
    limits, provider, environment, preload, hidden
        As for :func:`run_functions`.
    seed : int
        From 0 to 2**32 - 1; ``PYTHONHASHSEED`` as well.
    argv : sequence of str
        The program's arguments.

    Returns
    -------
    ProgramResult

    Raises
    ------
    SandboxUnavailable, SandboxFault, ValueError
        As for :func:`run_functions`; also if `output` is not a bare name.
    """
    limits = limits or Limits()
    if output != Path(output).name or output in ("", ".", ".."):
        raise ValueError(f"output {output!r} must be a bare file name")
    if not Path(inputs).is_dir():
        raise ValueError(f"inputs {inputs} is not a folder")
    chosen = providers.choose(provider)
    setup = make_setup(limits, environment, seed, Path(inputs), hidden)
    config = {
        "mode": "program",
        "preload": list(preload),
        "preload_if_there": [],
        "output": output,
        "argv": [str(word) for word in argv],
        "seed": seed,
    }
    source = read_source(code)
    with subreaper():
        try:
            return _run(chosen, setup, config, source)
        except (HostOutOfMemory, UnexplainedKill):
            return _run(chosen, setup, config, source, first_try=False)


def _run(
    provider: Provider,
    setup: Setup,
    config: dict[str, object],
    source: bytes,
    first_try: bool = True,
) -> ProgramResult:
    start = time.monotonic()
    session = Session(provider, setup, config, source)
    stamp = (provider.name, provider.level)
    try:
        session.meter.begin()
        reply = session.run(secrets.token_bytes(wire.TOKEN_BYTES), "", b"")
        wall = time.monotonic() - start
        status, message, _ = judge(session, reply, None, first_try=first_try, needs_result=False)
        if status == "exception":
            message += _where_inputs_are(message, setup.inputs)
        measured = figures(session, reply, wall)
        session.finish()
    except Lost as error:
        return ProgramResult(
            *stamp,
            error.status,
            message=str(error),
            wall_s=time.monotonic() - start,
            cpu_s=session.meter.total_cpu_s(),
        )
    finally:
        session.close()
    if status == "ok" and reply.file is None:
        status, message = "missing_output", _no_output(reply.head.in_place, str(config["output"]))
    file = reply.file if status == "ok" else None
    return ProgramResult(*stamp, status, file, message, **measured)


def _where_inputs_are(message: str, inputs: Path | None) -> str:
    """Return a hint for a program that looks for a file of the inputs in another place."""
    found = _NO_FILE.match(message)
    if found is None or inputs is None:
        return ""
    name = PurePosixPath(found["path"]).name
    there = f": `data/{name}`" if name and (inputs / name).is_file() else ""
    return f"; the task's public files are in `data/` of the folder that it starts in{there}"


def _no_output(in_place: int, output: str) -> str:
    if told := _NO_OUTPUT.get(in_place):
        return told.format(output)
    return f"the program made {output} {kind_in_words(in_place << 12)}, which is not read"
