"""Whether submitted code parses and can define anything, found out in a process with limits."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.outcomes import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CPU_S", "syntax_fault"]

CPU_S = 5
"""CPU seconds that the parser may take; a megabyte of ordinary code takes less than two."""
_WALL_S = 300.0
_SCRIPT = Path(__file__).with_name("_code_parser.py")


def syntax_fault(code: str, functions: Sequence[str] = ()) -> tuple[Reason, str] | None:
    """Return reason and message of why code does not parse, or defines nothing; None if it may do.

    Parameters
    ----------
    code : str
    functions : sequence of str
        Where some are named, code is at fault that is nothing but expressions without a call, as
        a CSV is: whatever else it is, only a run shows what it defines.

    Returns
    -------
    (Reason, str) or None
        ``time_limit`` for code that keeps the parser busy for longer than :data:`CPU_S`,
        ``missing_function`` for code that cannot define the functions.

    Raises
    ------
    OSError, subprocess.TimeoutExpired
        If the machine kills the parser, or gives it no time at all.

    Examples
    --------
    >>> syntax_fault("x = 1") is None
    True
    >>> syntax_fault("x = (")[1]
    "line 1: '(' was never closed"
    """
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "utf8", str(_SCRIPT), str(CPU_S)],
        input=code.encode("utf-8"),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={},
        timeout=_WALL_S,
    )
    if done.returncode == -signal.SIGKILL:
        raise OSError("the parser of submitted code was killed from outside")
    if done.returncode == -signal.SIGXCPU:
        return Reason.TIME_LIMIT, f"the code takes longer than {CPU_S} s to parse"
    try:
        found = json.loads(done.stdout)
        fault, may_define = found["fault"], found["may_define"]
    except (ValueError, KeyError, TypeError):
        # deeper nesting than the parser's stack holds ends its process
        fault, may_define = (0, ""), False
    if fault is None:
        if may_define or not functions:
            return None
        return Reason.MISSING_FUNCTION, (
            "the code defines nothing, as it consists of expressions alone; hand in the code that "
            f"defines {', '.join(functions)}"
        )
    line, words = fault
    if not line:
        return Reason.SYNTAX_ERROR, "the code cannot be parsed"
    return Reason.SYNTAX_ERROR, f"line {line}: {words.encode('ascii', 'backslashreplace').decode()}"
