"""Leave one operator out: whether checks chosen for other mistakes catch this kind, too.

A card's checks were written with some mistakes in mind, so the rate at which they let these by is
one of training. Here the checks are chosen anew without one operator's mutants, as few as catch
all other wrong controls that the card catches at all, and tried on those mutants.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from biomlbench.calibrate.controls import WRONG, operator_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set

    from biomlbench.calibrate.summary import Graded

__all__ = ["chosen", "left_out"]


def chosen(caught: Sequence[Set[str]]) -> frozenset[str]:
    """Choose few checks that catch all that can be caught, the most useful first.

    Parameters
    ----------
    caught : sequence of set of str
        Of each wrong control the checks that fail on it.

    Returns
    -------
    frozenset of str
        The greedy cover: always the check that catches most of what is left, of equals the first
        by name.

    Examples
    --------
    >>> sorted(chosen([{"a"}, {"a", "b"}, {"b", "c"}, {"c"}, set()]))
    ['a', 'c']
    """
    left = [one for one in caught if one]
    found: set[str] = set()
    while left:
        counts: dict[str, int] = defaultdict(int)
        for one in left:
            for check in one:
                counts[check] += 1
        best = min(counts, key=lambda check: (-counts[check], check))
        found.add(best)
        left = [one for one in left if best not in one]
    return frozenset(found)


def left_out(graded: Iterable[Graded]) -> Mapping[str, list[bool]]:
    """Try each operator's mutants on checks that were chosen without them.

    Parameters
    ----------
    graded : iterable of Graded
        Controls of any tasks; each task's checks are chosen for its own controls.

    Returns
    -------
    dict
        Operator to whether each of its mutants is let by.
    """
    by_task: dict[str, list[tuple[str | None, set[str]]]] = defaultdict(list)
    for one in graded:
        if one.label == WRONG:
            by_task[one.task_id].append((operator_of(one.name), one.killers))
    found: dict[str, list[bool]] = defaultdict(list)
    for _, controls in sorted(by_task.items()):
        for operator in sorted({operator for operator, _ in controls if operator}):
            checks = chosen([killers for other, killers in controls if other != operator])
            found[operator] += [
                not killers & checks for mine, killers in controls if mine == operator
            ]
    return found
