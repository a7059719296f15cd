"""Rules that hold a card's files against one another: what is named exists, and is shown.

:mod:`biomlbench.verify.config` has the rules for `verifier.yaml` by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.verify import side_effects
from biomlbench.verify.config import VerifierError
from biomlbench.verify.library import LibraryError
from biomlbench.verify.modes import all_modes, get_mode
from biomlbench.verify.policy import GATE

if TYPE_CHECKING:
    from biomlbench.verify.card import Card
    from biomlbench.verify.solutions import Solution

__all__ = ["hold"]


def hold(card: Card) -> None:
    """Hold a card that has a `verifier.yaml` to the rules.

    Parameters
    ----------
    card : Card

    Raises
    ------
    VerifierError
        If it breaks one; the message names file, line and rule.
    """
    _names(card)
    _known_bad(card)


def _names(card: Card) -> None:
    """See that everything a check or an input space names exists."""
    verifier = card.rules
    for index, check in enumerate(verifier.checks):
        if check.function is not None and check.function not in card.entry_points:
            raise verifier.error(
                "known-function",
                f"check `{check.name}` names `{check.function}`, which is no entry point",
                "checks",
                index,
                "function",
            )
        try:
            get_mode(check.mode).resolve(check, card.library)
        except LibraryError as error:
            raise verifier.error(
                "known-names", f"check `{check.name}`: {error}", "checks", index
            ) from error
    for index, space in enumerate(verifier.generate):
        function = space.get("function")
        if function is None and len(card.entry_points) > 1:
            raise verifier.error(
                "known-function", "say which `function` the inputs are for", "generate", index
            )
        if function is not None and function not in card.entry_points:
            raise verifier.error(
                "known-function", f"`{function}` is no entry point", "generate", index
            )
        try:
            card.build_of(space)
        except LibraryError as error:
            raise verifier.error("known-names", str(error), "generate", index) from error


def _known_bad(card: Card) -> None:
    """Every pattern has a known-bad solution, and every known-bad names what catches it."""
    verifier = card.rules
    names = {check.name: check for check in verifier.checks}
    claimable = {*all_modes(), GATE, *side_effects.NAMES, *names}
    shown: set[str] = set()
    for solution in card.solutions:
        if solution.right:
            continue
        if not solution.patterns or not solution.caught_by:
            raise _header_error(
                solution,
                "begin the file with `# pattern: <failure pattern>` and "
                "`# caught_by: <mode or check>`",
            )
        for pattern in solution.patterns:
            if pattern not in verifier.patterns and pattern not in side_effects.PATTERNS:
                raise _header_error(
                    solution, f"pattern `{pattern}` is not described in verifier.yaml"
                )
        for claim in solution.caught_by:
            if claim not in claimable:
                raise _header_error(
                    solution, f"`{claim}` is neither a mode nor a check of verifier.yaml"
                )
            check = names.get(claim)
            known = {*check.catches, *side_effects.PATTERNS} if check else set()
            if check and not known & set(solution.patterns):
                raise _header_error(
                    solution,
                    f"check `{claim}` does not list {list(solution.patterns)} under `catches`",
                )
        shown.update(solution.patterns)
    for pattern in verifier.patterns:
        if pattern not in shown and not verifier.draft:
            raise verifier.error(
                "pattern-has-known-bad",
                f"no solution in solutions/bad shows pattern `{pattern}`; add one, or set "
                "`draft: true` while the evidence is being written",
                "patterns",
                pattern,
            )


def _header_error(solution: Solution, message: str) -> VerifierError:
    return VerifierError(solution.path, 1, "known-bad-header", message)
