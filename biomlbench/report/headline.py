"""Who is ahead, in one sentence that is true also where several agents are level."""

from __future__ import annotations

from math import isclose
from typing import TYPE_CHECKING, NamedTuple

from biomlbench.runtime.shown_numbers import fixed

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Headline", "headline"]

TIE = 1e-7
"""Percent within which two means are equal but for rounding."""
_NAMED = 3
"""Level agents that are all named; of more, the first two."""
_NOBODY = {
    "verified_medal": "No agent has a verified medal",
    "pass": "No agent has a run with the verdict pass",
}
_WHAT = {"verified_medal": "verified medals", "pass": "the verdict pass"}
_THEN = {
    "verified_medal": "by the rate of passes, the percentile and the ranks of their runs",
    "pass": "by the percentile and the ranks of their runs",
}
_SETTLED = {
    "pass_rate": "its passes",
    "leaderboard_percentile": "its percentile",
    "outranked_share": "the ranks of its runs",
}


class Headline(NamedTuple):
    """A sentence without its full stop, and how many agents share the first place in it.

    Attributes
    ----------
    text, detail : str
        Both empty where one agent leads; `detail` says what orders those that are level.
    level : int
    """

    text: str
    detail: str
    level: int


def headline(
    names: Sequence[str],
    rates: Sequence[float | None],
    measure: str,
    tasks: str = "",
    settled: str = "",
) -> Headline:
    r"""Say which agents share the highest rate.

    Parameters
    ----------
    names, rates : sequence
        Of the agents in the order of the ranking, in percent; None where no run of an agent
        counts, which stands where 0 does.
    measure : str
        ``verified_medal`` or ``pass``.
    tasks : str
        Which tasks that is about, where it is not about all.
    settled : str
        Column of `agents` that puts the first before the second, if one does.

    Returns
    -------
    Headline

    Examples
    --------
    >>> headline(["a", "b", "c"], [50.0, 50.0, 0.0], "pass").text
    'a and b are level at 50\xa0% with the verdict pass'
    >>> headline(["a", "b"], [0.0, 0.0], "verified_medal").text
    'No agent has a verified medal'
    """
    order = f"Agents that are level are ordered {_THEN[measure]}. Ties in all share a place."
    first = f"; {names[0]} is first by {_SETTLED[settled]}" if settled in _SETTLED else ""
    if all(rate is None for rate in rates):
        text = f"No agent has a run that counts for {_WHAT[measure]}{tasks}{first}"
        return Headline(text, order, len(names))
    best = rates[0] or 0.0
    level = sum(isclose(rate or 0.0, best, abs_tol=TIE) for rate in rates)
    if best == 0:
        return Headline(_NOBODY[measure] + tasks + first, order if len(names) > 1 else "", level)
    if level == 1:
        return Headline("", "", level)
    if level == len(names) and level > _NAMED:
        who = f"All {level} agents"
    elif level > _NAMED:
        who = f"{names[0]}, {names[1]} and {level - 2} more agents"
    else:
        who = f"{', '.join(names[: level - 1])} and {names[level - 1]}"
    text = f"{who} are level at {fixed(best)}\u00a0% with {_WHAT[measure]}{tasks}{first}"
    return Headline(text, order, level)
