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
from biomlbench.verify.on_cases import OnCases
from biomlbench.verify.plan import seeded

if TYPE_CHECKING:
    from biomlbench.verify.card import Card
    from biomlbench.verify.plan import PlannedCase

__all__ = ["is_well_posed", "nudged"]

FAR = 1e15
"""What is as large, or as small, leaves no digit for what is added to it."""
NUDGE, TRIES = 2.0**-46, 4
"""By so much of itself is a number nudged, and so many times."""


def is_well_posed(card: Card, case: PlannedCase) -> bool:
    """Whether the reference gives the same where numbers far from 1 have other last digits.

    Parameters
    ----------
    card : Card
    case : PlannedCase
        One that the reference takes.
    """
    if not any(map(_is_far, (*case.args, *case.kwargs.values()))):
        return True
    function, on_cases = card.reference[case.function], OnCases(card)
    with np.errstate(all="ignore"):
        expected = function(*copy.deepcopy(case.args), **copy.deepcopy(case.kwargs))
        for number in range(TRIES):
            rng = seeded("nudged", number)
            args = tuple(nudged(value, rng) for value in case.args)
            kwargs = {name: nudged(value, rng) for name, value in case.kwargs.items()}
            if not on_cases.passes(case, expected, Reason.OK, function(*args, **kwargs)):
                return False
    return True


def nudged(value: Any, rng: np.random.Generator) -> Any:
    """Return other last digits for numbers far from 1: their order stays, and what is equal.

    Parameters
    ----------
    value : object
        All but an array with such numbers is only copied.
    rng : numpy.random.Generator

    Examples
    --------
    >>> numbers = np.array([1e16, 1e16 + 2, 1e16])
    >>> made = nudged(numbers, np.random.default_rng(0))
    >>> bool(made[0] < made[1]), bool(made[0] == made[2]), bool(made[1] == numbers[1])
    (True, True, False)
    """
    if not _is_far(value):
        return copy.deepcopy(value)
    numbers, place = np.unique(value, return_inverse=True)
    others = np.sort(numbers * (1 + NUDGE * rng.uniform(-1, 1, numbers.shape)))
    return others[place].reshape(value.shape)


def _is_far(value: Any) -> bool:
    if not isinstance(value, np.ndarray) or value.dtype != np.float64 or not value.size:
        return False
    largest = np.abs(value[np.isfinite(value)]).max(initial=0)
    return bool(largest >= FAR or 0 < largest < 1 / FAR)
