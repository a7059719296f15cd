"""What is looked up once while many pairs of a task are worked on, one after another.

A pair looks for its task's files again and again, as they may change between two pairs. Within a
batch, whose table says once what all its pairs were made from, one look is enough; and so it is for
jobs of one process, one after another, between which nothing has changed.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

__all__ = ["once", "one_look"]

_Found = TypeVar("_Found")
_found: ContextVar[dict[Hashable, Any] | None] = ContextVar("_found", default=None)
_MOST = 32
_lock = threading.Lock()
_kept: OrderedDict[Hashable, dict[Hashable, Any]] = OrderedDict()


@contextmanager
def one_look(state: Hashable = None) -> Iterator[None]:
    """Let :func:`once` remember what it found, until the end of the block.

    Parameters
    ----------
    state : hashable, optional
        All that what is found depends on: the next block of an equal state goes on with what was
        found in this one. By default nothing is remembered beyond the block.
    """
    token = _found.set({} if state is None else _found_in(state))
    try:
        yield
    finally:
        _found.reset(token)


def _found_in(state: Hashable) -> dict[Hashable, Any]:
    with _lock:
        found = _kept.setdefault(state, {})
        _kept.move_to_end(state)
        while len(_kept) > _MOST:
            _kept.popitem(last=False)
    return found


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
