"""The command that the user runs the workflow by, for messages that tell to run it."""

from __future__ import annotations

import os

__all__ = ["by_our_command", "run_command"]

_VARIABLE = "BIOMLBENCH_RUN_COMMAND"


def by_our_command() -> None:
    """Note, for this process and those that it starts, that ``biomlbench`` was called."""
    os.environ[_VARIABLE] = "biomlbench run"


def run_command(*targets: str) -> str:
    """Return the command for the workflow, or for targets of it.

    Examples
    --------
    >>> run_command("calibrate").endswith(" calibrate")
    True
    """
    return " ".join((os.environ.get(_VARIABLE, "snakemake"), *targets))
