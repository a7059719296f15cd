"""Whether a call has a result that does not hang on the last digits of what it is given.

Of differences of numbers far from 1 rounding may leave more than any tolerance, in right code as
well: such a call says nothing of a candidate. Their order and which of them are equal is another
thing: that is exact in all right code.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.outcomes import Reason
from biomlbench.verify.disputes import disputed
from biomlbench.verify.on_cases import OnCases
from biomlbench.verify.plan import seeded

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.card import Card
    from biomlbench.verify.plan import PlannedCase

__all__ = ["is_well_posed", "keeps_its_result", "nudged"]

FAR = 1e15
"""What is as large, or as small, leaves no digit for what is added to it."""
NUDGE, TRIES = 2.0**-46, 3
"""By so much of itself is a number nudged, and so many times."""


def is_well_posed(card: Card, case: PlannedCase) -> bool:
    """Whether very large floats leave a result that does not hang on last digits.

    Of their differences rounding may leave more than any tolerance, in right code as well: neither
    other digits nor other right solutions of the card give anything else.
    """
    sizes = [*map(_largest, (*case.args, *case.kwargs.values()))]
    if max(sizes, default=1.0) <= FAR:
        return True
    if not keeps_its_result(card, case):
        return False
    # small ones beside them make up for their size, so that little of a result is as large
    if min(sizes) >= 1 / FAR:
        return True
    expected, on_cases = _right(card, case), OnCases(card)
    return not disputed(card, [case], lambda _, *given: on_cases.passes(case, expected, *given))


def keeps_its_result(card: Card, case: PlannedCase) -> bool:
    """Whether a call whose floats have other last digits has a result that passes for its own."""
    function, on_cases = card.reference[case.function], OnCases(card)
    expected = _right(card, case)
    with np.errstate(all="ignore"):
        for number in range(TRIES):
            args, kwargs = nudged(case.args, case.kwargs, seeded("nudge", number))
            if not on_cases.passes(case, expected, Reason.OK, function(*args, **kwargs)):
                return False
    return True


def _right(card: Card, case: PlannedCase) -> Any:
    with np.errstate(all="ignore"):
        return card.reference[case.function](
            *copy.deepcopy(case.args), **copy.deepcopy(case.kwargs)
        )


def _largest(value: Any) -> float:
    """Return the largest magnitude in an array of floats; 1 for what is none."""
    if not isinstance(value, np.ndarray) or value.dtype != np.float64:
        return 1.0
    return float(np.abs(value[np.isfinite(value)]).max(initial=0)) or 1.0


def nudged(
    args: tuple[Any, ...], kwargs: Arguments, rng: np.random.Generator
) -> tuple[tuple[Any, ...], Arguments]:
    """Return a call whose floats have other last digits: their order stays, and what is equal.

    Parameters
    ----------
    args : tuple
    kwargs : dict
        All but floats and arrays of them is only copied.
    rng : numpy.random.Generator

    Returns
    -------
    args : tuple
    kwargs : dict

    Examples
    --------
    >>> (numbers, last), _ = nudged((np.array([3.0, 1.0, 1.0]), 3.0), {}, np.random.default_rng(0))
    >>> bool(numbers[1] == numbers[2] != 1.0), bool(numbers[0] == last)
    (True, True)
    """
    given = [*filter(_is_float, (*args, *kwargs.values()))]
    numbers = np.unique(np.concatenate([np.ravel(value) for value in (*given, 0.0)]))
    others = np.sort(numbers * (1 + NUDGE * rng.uniform(-1, 1, numbers.shape)))

    def other(value: Any) -> Any:
        if not _is_float(value):
            return copy.deepcopy(value)
        made = others[np.searchsorted(numbers, value)]
        return made if isinstance(value, np.ndarray) else float(made)

    return tuple(map(other, args)), {name: other(value) for name, value in kwargs.items()}


def _is_float(value: Any) -> bool:
    return type(value) is float or (isinstance(value, np.ndarray) and value.dtype == np.float64)
