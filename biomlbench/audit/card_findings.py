"""Code: wrong work that no check of a problem card notices, and right work that one refuses.

What is found in problem cards, told as a detector tells what is found in tables. Candidates have
to be run for it, by :mod:`biomlbench.calibrate.card_audit`.
"""

from __future__ import annotations

__all__ = ["FINDINGS", "MEDAL", "kind_of"]

MEDAL = "whose checks pass wrong work"
FINDINGS = {
    "stock-unnoticed": "add hidden cases with an oracle: what does nothing, guesses or echoes "
    "must fail",
    "known-bad-unnoticed": "add a case or a check that fails it; the card itself says it is wrong",
    "mutant-unnoticed": "add a hidden case on which it differs from the reference, or make the "
    "nearest check stricter",
    "right-refused": "make the check wider that fails it, or say in the description what it asks",
}


def kind_of(name: str) -> str:
    """Return the kind of a finding, of which a card may have several.

    Examples
    --------
    >>> kind_of("mutant-unnoticed.boundary-3-0123abcd")
    'mutant-unnoticed'
    """
    return name.partition(".")[0]
