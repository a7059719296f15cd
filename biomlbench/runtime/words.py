"""Numbers in words, as messages, progress and report have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["counted", "ranges", "some_of"]


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "run"), counted(1200, "run")
    ('1 run', '1,200 runs')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def some_of(names: Sequence[str], most: int) -> str:
    """Return the first of some names, and how many more there are.

    Examples
    --------
    >>> some_of(["a", "b"], 2), some_of(["a", "b", "c", "d"], 2)
    ('a, b', 'a, b and 2 more')
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def ranges(numbers: Sequence[int]) -> list[str]:
    """Return whole numbers in ascending order, those in a row as the first and the last.

    Examples
    --------
    >>> ranges([3, 5, 6, 7, 9, 10])
    ['3', '5 to 7', '9 to 10']
    """
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]
