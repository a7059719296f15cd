"""What a card's checks say of single cases that no author has looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.outcomes import Reason
from biomlbench.verify.cases import Unit
from biomlbench.verify.modes import get_mode
from biomlbench.verify.plan import looked_at

if TYPE_CHECKING:
    from biomlbench.verify.card import Card
    from biomlbench.verify.config import Check
    from biomlbench.verify.plan import PlannedCase

__all__ = ["OnCases"]


class OnCases:
    """The checks of a card that look at single cases.

    Parameters
    ----------
    card : Card
    """

    def __init__(self, card: Card) -> None:
        self.card = card
        self.checks = [check for check in card.checks if check.mode != "metamorphic"]

    def passes(self, case: PlannedCase, expected: Any, status: str, value: Any) -> bool:
        """Whether a result of a case passes all checks that look at it.

        Parameters
        ----------
        case : PlannedCase
        expected : object
            What the reference gives.
        status, value
            Of the result.
        """
        if status != Reason.OK:
            return False
        unit = Unit(self.card.inputs_of(case), value, expected)
        looking = (check for check in self.checks if self._looks(check, case))
        return all(self._passes(check, unit) for check in looking)

    def _looks(self, check: Check, case: PlannedCase) -> bool:
        return any(looked_at(check, [case], suite) for suite in check.suites)

    def _passes(self, check: Check, unit: Unit) -> bool:
        with np.errstate(all="ignore"):
            try:
                return bool(get_mode(check.mode).judge(check, unit, self.card.library).ok)
            except KeyboardInterrupt:
                raise
            except BaseException:
                # a check that cannot read a result says nothing for it
                return False
