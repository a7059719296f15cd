"""A harness without namespaces of its own, in a folder made for one run."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.sandbox.model import SandboxFault
from biomlbench.sandbox.process import Running, spawn
from biomlbench.sandbox.providers.base import INSIDE, Setup, environment, harness_command

if TYPE_CHECKING:
    from biomlbench.sandbox.inside.settings import HostSettings

__all__ = ["launch"]


def launch(setup: Setup, *, confine: dict[str, list[str] | str] | None) -> Running:
    """Start the harness as an ordinary process.

    Parameters
    ----------
    setup : Setup
    confine : dict or None
        What each case must impose on itself before it reads the candidate.

    Raises
    ------
    SandboxFault
        If there is no room for the run's folder or no process.
    """
    try:
        scratch = Path(tempfile.mkdtemp(prefix="biomlbench-box-")).resolve()
        box = scratch / "box"
        box.mkdir()
        (scratch / "sbx").mkdir()
        (scratch / "sbx" / "inside").symlink_to(INSIDE)
    except OSError as error:
        raise SandboxFault(f"the sandbox's folder cannot be made: {error}") from error
    if confine is not None:
        confine = {**confine, "write": [*confine["write"], str(box)]}
    settings: HostSettings = {
        "uid": None,
        "own_pids": False,
        # What a provider is given to run instead of the harness has no keeper above it.
        "keeper": not setup.program,
        "out_of_reach": confine is not None,
        "box": str(box),
        "data": None if setup.inputs is None else str(setup.inputs.resolve()),
        "clean": [str(box)],
        "confine": confine,
    }
    command = harness_command(setup, str(scratch / "sbx"))
    try:
        popen = spawn(command, env=environment(setup, str(box), str(box)), cwd=str(box))
    except SandboxFault:
        shutil.rmtree(scratch, ignore_errors=True)
        raise
    return Running(popen, settings=settings, scratch=scratch)
