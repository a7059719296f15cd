"""What every sandbox provider is."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, ClassVar

from biomlbench.runtime.threads import kernels, variables
from biomlbench.sandbox.gpus import VARIABLE, Gpus

if TYPE_CHECKING:
    from biomlbench.sandbox import interpreter
    from biomlbench.sandbox.model import Limits, Refusal
    from biomlbench.sandbox.process import Running

__all__ = ["INSIDE", "Provider", "Setup", "environment", "harness_command"]

INSIDE = Path(__file__).absolute().parents[1] / "inside"
"""The folder that holds the harness."""

_START = (
    "import os, sys; sys.path.insert(0, {folder!r}); sys.path += {sites!r}; "
    "from inside.harness import main; main(); os._exit(0)"
)


@dataclass(frozen=True)
class Setup:
    """What one sandbox must give.

    Attributes
    ----------
    limits : Limits
    interpreter : biomlbench.sandbox.interpreter.Interpreter
    hash_seed : int
    inputs : pathlib.Path or None
        Folder to show read-only.
    hidden : tuple of pathlib.PurePath
        Paths that must stay invisible even where a shown folder contains them; relative ones in
        every folder of installed packages.
    gpus : biomlbench.sandbox.gpus.Gpus
    program : str
        A Python file that is run instead of the harness; empty: the harness.
    shown : tuple of (pathlib.Path, str)
        Files and folders to show read-only, and where.
    copied : tuple of (pathlib.Path, str)
        Files to copy into the sandbox's memory, and where: whoever may read them outside.
    """

    limits: Limits
    interpreter: interpreter.Interpreter
    hash_seed: int = 0
    inputs: Path | None = None
    hidden: tuple[PurePath, ...] = field(default=())
    gpus: Gpus = field(default_factory=Gpus)
    program: str = ""
    shown: tuple[tuple[Path, str], ...] = ()
    copied: tuple[tuple[Path, str], ...] = ()


class Provider(ABC):
    """One way to confine a candidate; a file in this folder with one ``PROVIDER``.

    Attributes
    ----------
    name : str
    family : str
        What a user may ask for; several providers may serve one family.
    level : str
        ``full``, ``reduced`` or ``unsafe``.
    automatic : bool
        Whether ``auto`` may choose it.
    rank : int
        Lower is tried first.
    """

    name: ClassVar[str]
    family: ClassVar[str]
    level: ClassVar[str]
    automatic: ClassVar[bool] = False
    rank: ClassVar[int] = 100

    @abstractmethod
    def obstacle(self) -> Refusal | None:
        """Return why this host cannot have it and what would help, or None; cheap."""

    def fingerprint(self) -> str:
        """Return what a cached probe of this provider depends on besides the host."""
        return ""

    @abstractmethod
    def start(self, setup: Setup) -> Running:
        """Start the harness in a new sandbox.

        Raises
        ------
        SandboxFault
            If the sandbox cannot be started.
        """


def environment(setup: Setup, box: str, temporary: str) -> dict[str, str]:
    """Return all the environment variables that a candidate gets to see.

    Parameters
    ----------
    setup : Setup
    box, temporary : str
        The candidate's own folder, and where it may make temporary files.
    """
    binaries = str(Path(setup.interpreter.executable).parent)
    libraries = setup.interpreter.library_path
    return {
        "PATH": f"{binaries}:/usr/bin:/bin",
        "HOME": box,
        "TMPDIR": temporary,
        **({"LD_LIBRARY_PATH": libraries} if libraries else {}),
        "LANG": "C.UTF-8",
        **variables(setup.limits.threads),
        **kernels(),
        VARIABLE: setup.gpus.visible,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": str(setup.hash_seed),
    }


def harness_command(setup: Setup, folder: str) -> list[str]:
    """Return the command that starts the harness out of `folder`.

    ``-s -P`` and an environment made from nothing isolate the interpreter as ``-I`` would,
    which cannot be used because it ignores ``PYTHONHASHSEED``.
    """
    options = ["-s", "-P", "-B"]
    if sys.flags.utf8_mode:
        options += ["-X", "utf8"]
    if setup.program:
        return [setup.interpreter.executable, *options, setup.program]
    start = _START.format(folder=folder, sites=list(setup.interpreter.further_sites))
    return [setup.interpreter.executable, *options, "-c", start]
