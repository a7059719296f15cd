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
    from biomlbench.verify.card import Card
    from biomlbench.verify.plan import PlannedCase

__all__ = ["is_well_posed", "nudged"]

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
    function, on_cases = card.reference[case.function], OnCases(card)
    with np.errstate(all="ignore"):
        expected = function(*copy.deepcopy(case.args), **copy.deepcopy(case.kwargs))
        for number in range(TRIES):
            rng = seeded("nudge", number)
            args = tuple(nudged(value, rng) for value in case.args)
            kwargs = {name: nudged(value, rng) for name, value in case.kwargs.items()}
            if not on_cases.passes(case, expected, Reason.OK, function(*args, **kwargs)):
                return False
    # small ones beside them make up for their size, so that little of a result is as large
    return min(sizes) >= 1 / FAR or not disputed(
        card, [case], lambda _, *given: on_cases.passes(case, expected, *given)
    )


def _largest(value: Any) -> float:
    """Return the largest magnitude in an array of floats; 1 for what is none."""
    if not isinstance(value, np.ndarray) or value.dtype != np.float64:
        return 1.0
    return float(np.abs(value[np.isfinite(value)]).max(initial=0)) or 1.0


def nudged(value: Any, rng: np.random.Generator) -> Any:
    """Return other last digits for the floats of an array: their order stays, and what is equal.

    Parameters
    ----------
    value : object
        All but an array of floats is only copied.
    rng : numpy.random.Generator

    Examples
    --------
    >>> numbers = np.array([1e16, 1e16 + 2, 1e16])
    >>> made = nudged(numbers, np.random.default_rng(0))
    >>> bool(made[0] < made[1]), bool(made[0] == made[2]), bool(made[1] == numbers[1])
    (True, True, False)
    """
    if not isinstance(value, np.ndarray) or value.dtype != np.float64:
        return copy.deepcopy(value)
    numbers, place = np.unique(value, return_inverse=True)
    others = np.sort(numbers * (1 + NUDGE * rng.uniform(-1, 1, numbers.shape)))
    return others[place].reshape(value.shape)
