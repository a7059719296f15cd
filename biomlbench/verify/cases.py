"""What a card's author writes down: cases, and what a check finds out about one."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.outcomes import Suite

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from biomlbench.contracts.mappings import Arguments

__all__ = [
    *("SUITES", "Case", "Finding", "Observed", "Transformed", "Unit"),
    *("case", "joined_lines", "within"),
]

SUITES = tuple(Suite)

MARGIN_FLOOR = -1e6
"""Margins are cut off here, so that an infinite deviation stays a number in the tables."""


@dataclass(frozen=True)
class Case:
    """One call of one function.

    Parameters
    ----------
    name : str
        Unique within the card; never sent to the sandbox.
    function : str
        Entry point to call.
    args, kwargs
        Plain data: numbers, strings, None, arrays, and lists, tuples and dicts of them.
    """

    name: str
    function: str
    args: tuple[Any, ...] = ()
    kwargs: Arguments = field(default_factory=dict)


def case(name: str, function: str, *args: Any, **kwargs: Any) -> Case:
    """Write a :class:`Case` as the call that it stands for.

    Examples
    --------
    >>> case("pair", "add", 1, b=2).kwargs
    {'b': 2}
    """
    return Case(name, function, args, kwargs)


@dataclass(frozen=True)
class Finding:
    """What a check found out about one case.

    Parameters
    ----------
    ok : bool
    message : str
        What is wrong, in words that name no expected value.
    margin : float or None
        Distance to the threshold in units of it: 1 is a perfect result, 0 is on the limit,
        negative is beyond it. None where the check has no threshold.
    """

    ok: bool
    message: str = ""
    margin: float | None = None


def within(deviation: float, limit: float, message: str = "") -> Finding:
    """Make a finding out of a deviation and the limit that it must not exceed.

    Parameters
    ----------
    deviation : float
        Not negative; NaN counts as infinite.
    limit : float
        Not negative.
    message : str
        Said only when the limit is exceeded.

    Examples
    --------
    >>> within(0.5, 1.0).margin
    0.5
    >>> within(3.0, 1.0, "too far").ok
    False
    """
    deviation = float(deviation)
    if math.isnan(deviation):
        deviation = math.inf
    if deviation == 0:
        return Finding(True, "", 1.0)
    margin = 1 - deviation / limit if limit > 0 else MARGIN_FLOOR
    ok = deviation <= limit
    return Finding(ok, "" if ok else message, max(margin, MARGIN_FLOOR))


@dataclass(frozen=True)
class Observed:
    """Inputs by argument name, and the output that the candidate gave for them."""

    inputs: Arguments
    output: Any


class Unit(NamedTuple):
    """What a mode looks at: inputs, the candidate's output, the oracle's, and variants."""

    inputs: Arguments
    output: Any
    expected: Any
    variants: tuple[Observed, ...] = ()
    info: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Transformed:
    """Inputs that a metamorphic transform made out of a base case.

    Parameters
    ----------
    variants : list of dict
        One mapping of argument name to value for every further call; most have one.
    info : dict
        What the relation needs to know (a permutation, a factor). It stays outside the sandbox.
    """

    variants: list[Arguments]
    info: Arguments = field(default_factory=dict)


def joined_lines(lines: Iterable[str], ends: Sequence[str], finish: bool = True) -> str:
    r"""Join lines into a text whose lines need not all end alike.

    Parameters
    ----------
    lines : iterable of str
        Without their ends.
    ends : sequence of str
        What they end in, in turn.
    finish : bool
        Whether the last line has an end.

    Examples
    --------
    >>> joined_lines(["a", "b", "c"], ["\r\n", "\n"])
    'a\r\nb\nc\r\n'
    >>> joined_lines(["a", "b"], ["\n"], finish=False)
    'a\nb'
    """
    ended = [*zip(lines, itertools.cycle(ends), strict=False)]
    text = "".join(line + end for line, end in ended)
    return text if finish or not ended else text.removesuffix(ended[-1][1])
