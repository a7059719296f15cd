"""Where code of a task's author failed: its own frames, without those of what called it."""

from __future__ import annotations

import traceback
from pathlib import Path

__all__ = ["author_traceback"]

_PACKAGE = Path(__file__).resolve().parents[1]
_TASKS = _PACKAGE / "tasks"


def author_traceback(error: BaseException) -> str:
    """Return the traceback of an error, with the frames that are an author's.

    Parameters
    ----------
    error : BaseException

    Returns
    -------
    str
        Frames of this package, but for those of its built-in tasks, and of the import system are
        left out; empty where no others are left.
    """
    told = traceback.TracebackException.from_exception(error)
    found, seen, open_ = 0, set(), [told]
    while open_:
        one = open_.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        frames = [frame for frame in one.stack if _is_author(frame)]
        one.stack = traceback.StackSummary.from_list(frames)
        # a syntax error has no frame of its own: its message says where it is
        found += len(one.stack) or issubclass(one.exc_type or object, SyntaxError)
        open_ += filter(None, (one.__cause__, one.__context__, *(one.exceptions or ())))
    return "".join(told.format()).rstrip() if found else ""


def _is_author(frame: traceback.FrameSummary) -> bool:
    if frame.filename.startswith("<frozen "):
        return False
    path = Path(frame.filename)
    return not path.is_relative_to(_PACKAGE) or path.is_relative_to(_TASKS)
