"""Tells a command of the user's that a run has ended."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["notify"]

LIMIT_S = 60.0


def notify(command: Sequence[str], state: Mapping[str, Any], limit_s: float = LIMIT_S) -> str:
    """Run a command with the state of a run as JSON on its standard input.

    Its output goes to standard error. No shell reads the words.

    Parameters
    ----------
    command : sequence of str
        Program and arguments; nothing is run where there are none.
    state : mapping
        As `biomlbench.workflow.run_state.read_state` returns it.
    limit_s : float
        Seconds after which it is ended.

    Returns
    -------
    str
        What went wrong; empty where nothing did.
    """
    if not command:
        return ""
    text = json.dumps(state, sort_keys=True).encode()
    try:
        done = subprocess.run(
            list(command), input=text, stdout=sys.__stderr__, timeout=limit_s, check=False
        )
    except subprocess.TimeoutExpired:
        return f"notify: {command[0]} was ended, as it took more than {limit_s:g} s"
    except (OSError, ValueError) as error:
        return f"notify: {command[0]} cannot be run ({error})"
    if done.returncode:
        return f"notify: {command[0]} ended with exit code {done.returncode}"
    return ""
