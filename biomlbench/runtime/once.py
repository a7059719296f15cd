"""What is looked up once while many pairs of a task are worked on, one after another.

A pair looks for its task's files again and again, as they may change between two pairs. Within a
batch, whose table says once what all its pairs were made from, one look is enough.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

__all__ = ["once", "one_look"]

_Found = TypeVar("_Found")
_found: ContextVar[dict[Hashable, Any] | None] = ContextVar("_found", default=None)


@contextmanager
def one_look() -> Iterator[None]:
    """Let :func:`once` remember what it found, until the end of the block."""
    token = _found.set({})
    try:
        yield
    finally:
        _found.reset(token)


def once(key: Hashable, look: Callable[[], _Found]) -> _Found:
    """Return what a look finds, looking only once in a block of :func:`one_look`.

    Parameters
    ----------
    key : hashable
        What is looked for, and everything that it depends on.
    look : callable
        What it raises is not remembered.

    Examples
    --------
    >>> numbers = iter(range(9))
    >>> once("number", lambda: next(numbers)), once("number", lambda: next(numbers))
    (0, 1)
    >>> with one_look():
    ...     once("number", lambda: next(numbers)), once("number", lambda: next(numbers))
    (2, 2)
    """
    found = _found.get()
    if found is None:
        return look()
    if key not in found:
        found[key] = look()
    value: _Found = found[key]
    return value
