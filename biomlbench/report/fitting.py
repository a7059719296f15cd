"""How many rows of a table fit a number of bytes, and what a page says of those that do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["LeftOut", "most_that_fit", "weight"]

ROUNDS = 5
ENOUGH = 0.9
"""Share of the bytes from which no more rows are tried."""
_MARGIN = 0.97  # rows differ in length
Made = TypeVar("Made")


class LeftOut(TypedDict):
    """What a page says of a table that it holds in part."""

    shown: int
    of: int
    what: str
    """What the rows are."""
    order: str
    """Which of them are shown, in words."""
    query: str
    """How to get all of them: an expression of Python; empty where the page is all there is."""


def weight(value: Any) -> int:
    """Return how many bytes a value takes inside a page.

    Examples
    --------
    >>> weight(["é", 1])
    8
    """
    from biomlbench.report.payload import dumps

    return len(dumps(value).encode("utf-8"))


def most_that_fit(
    rows: int, most: int, make: Callable[[int], Made], start: int | None = None
) -> tuple[int, Made]:
    """Make a value of as many rows as fit.

    Parameters
    ----------
    rows : int
        Of the whole.
    most : int
        Bytes that the value may take, as :func:`weight` tells.
    make : callable
        Returns the value of so many first rows; that of none is taken whatever it weighs.
    start : int, optional
        Rows to try first, by default all.

    Returns
    -------
    rows : int
        As many as there are, or so many that at least nine tenths of the bytes are used; fewer
        where rows differ much in length.
    value : object
        As `make` returned it.

    Examples
    --------
    >>> most_that_fit(3, 100, lambda n: [0] * n)
    (3, [0, 0, 0])
    >>> most_that_fit(1000, 100, lambda n: [0] * n)[0]
    48
    """
    tried = rows if start is None else min(start, rows)
    best: tuple[int, Made] | None = None
    for _ in range(ROUNDS):
        made = make(tried)
        size = weight(made)
        fits = size <= most
        if fits and (best is None or tried > best[0]):
            best = (tried, made)
            if tried == rows or size >= ENOUGH * most:
                break
        elif tried == 0:
            break
        tried = min(rows, int(tried * _MARGIN * most / size))
    if best is not None:
        return best
    while tried:  # rows at the front are far longer than the others
        made = make(tried)
        if weight(made) <= most:
            return tried, made
        tried //= 2
    return 0, make(0)
