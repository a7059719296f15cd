"""Values in words, for whoever reads a verdict; no value can make this fail, or take long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["describe", "show", "transportable"]

MAX_BITS = 4096
"""Of an integer that is written out; the interpreter refuses to convert much longer ones."""
MAX_ITEM_BYTES = 4096
"""Of an array's element that is written out."""
MAX_MESSAGE = 2000
_BRACKETS: dict[type, Sequence[str]] = {
    list: "[]",
    tuple: "()",
    set: "{}",
    dict: "{}",
    frozenset: ("frozenset({", "})"),
}


def describe(value: Any) -> str:
    """Describe the type and shape of a value without any of its contents.

    Examples
    --------
    >>> describe(np.zeros((2, 3)))
    'float64 array of shape (2, 3)'
    >>> describe([1, 2])
    'list of 2'
    """
    if isinstance(value, np.ndarray):
        return f"{value.dtype} array of shape {value.shape}"
    if isinstance(value, (list, tuple, dict, set, frozenset)):
        return f"{type(value).__name__} of {len(value)}"
    return type(value).__name__ if value is not None else "None"


def show(value: Any, limit: int = 300) -> str:
    """Write a value out for the learner, cut to `limit` characters.

    Examples
    --------
    >>> show({"a": (1, [2.5])})
    "{'a': (1, [2.5])}"
    >>> show([1 << 80_000])
    '[<int of 80001 bits>]'
    """
    with np.printoptions(threshold=50, edgeitems=3, precision=8):
        try:
            text = _written(value, limit)
        except Exception:
            # What a library cannot write out, it cannot: the value is the candidate's choice.
            text = f"<{describe(value)}>"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _written(value: Any, room: int) -> str:
    """Return at least the first `room` characters of a value's ``repr``."""
    kind = type(value)
    if kind is int and value.bit_length() > MAX_BITS:
        return f"<int of {value.bit_length()} bits>"
    if kind in (str, bytes):
        return repr(value[: room + 1])
    if kind in _BRACKETS:
        return _container(value, kind, room)
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "O":
            return f"array({_written(value.tolist(), room)}, dtype=object)"
        if value.dtype.itemsize > MAX_ITEM_BYTES:
            return f"<{describe(value)}>"
    return repr(value)


def _container(value: Any, kind: type, room: int) -> str:
    start, end = _BRACKETS[kind]
    parts: list[str] = []
    length = 0
    for item in value.items() if kind is dict else value:
        if length > room:
            break
        words = (_written(part, room - length) for part in (item if kind is dict else (item,)))
        parts.append(": ".join(words))
        length += len(parts[-1]) + 2
    if not value and kind in (set, frozenset):
        return repr(value)
    comma = "," if kind is tuple and len(value) == 1 else ""
    return start + ", ".join(parts) + comma + end


def transportable(text: str) -> str:
    """Return a message as a table can hold it: not too long, and all of it characters.

    Examples
    --------
    >>> transportable("a" * 3000)[-3:]
    'aa…'
    """
    if len(text) > MAX_MESSAGE:
        text = text[: MAX_MESSAGE - 1] + "…"
    return text.encode("utf-8", "replace").decode("utf-8")
