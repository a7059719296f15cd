"""From measured deviations to proposed thresholds, and from flaky checks to advisory ones."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from biomlbench.calibrate.thresholds import of_check
from biomlbench.outcomes import Severity
from biomlbench.task.adopted_data import some_of
from biomlbench.verify.modes.exact_match import TIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from biomlbench.calibrate.regrade import Flip
    from biomlbench.contracts.calibration_rows import FlakeRow, KillRow, MarginRow
    from biomlbench.contracts.mappings import Config
    from biomlbench.verify import Card
    from biomlbench.verify.config import Check

__all__ = ["Proposal", "propose"]

RESOLUTION = 1e-9
"""Deviations below this, in units of the threshold, are not told from 0."""
ROOM = 10.0
"""A threshold that only one side bounds is put this factor away from that side."""
ROUNDING = 1e-12
"""No relative threshold is tightened below this: right solutions round differently."""
SINGLE = 2.0**29
"""How much coarser single precision is than double: no rounding of right work deviates by more."""
_DIGITS = 2
_RELATIVE = ("rtol", "ulp")
"""How the names of thresholds end that are relative to what is expected."""
_EPSILON = 2.0**-52
"""Distance of 1 to the next number in double precision, in which ``ulp`` counts."""


@dataclass
class Proposal:
    """One proposed change of one check.

    Parameters
    ----------
    task_id, check : str
    action : str
        loosen, tighten, advisory, or look (where no threshold separates right from wrong, or
        the check's mode forbids the one that would).
    why : str
    present, proposed : dict
        Key in `verifier.yaml` to value.
    separates : (float, float or None)
        The largest deviation of a right control, and the smallest of a wrong one that only
        this check can catch, in units of the present threshold; None for no such one.
    right_failed, wrong_passed : list of str
        Controls on the wrong side of the present threshold.
    inseparable : list of str
        Wrong controls that deviate no more than right ones do.
    flips : list of dict
        Past pairs whose verdict or medal changes.
    """

    task_id: str
    check: str
    action: str
    why: str
    present: Config = field(default_factory=dict)
    proposed: Config = field(default_factory=dict)
    separates: tuple[float, float | None] | None = None
    right_failed: list[str] = field(default_factory=list)
    wrong_passed: list[str] = field(default_factory=list)
    inseparable: list[str] = field(default_factory=list)
    flips: list[Flip] = field(default_factory=list)


def propose(
    task_id: str,
    card: Card,
    margins: Iterable[MarginRow],
    kills: Iterable[KillRow],
    flakes: Iterable[FlakeRow] = (),
    flake_limit: float = 0.0,
) -> list[Proposal]:
    """Propose changes of one card's checks.

    Parameters
    ----------
    task_id : str
    card : Card
    margins, kills, flakes : iterable of mapping
        Rows of these tables; those of other tasks are left out.
    flake_limit : float
        Flake rate from which on a check is to be advisory.

    Returns
    -------
    list of Proposal
        One a check that needs a change, in the order of `verifier.yaml`; nothing for a check
        that no control is on the wrong side of.

    Notes
    -----
    The right controls bound a threshold from below, all of them: none may fail. From above it
    is bounded by the wrong controls that no other deciding check catches; what others catch
    does not need this one. The proposal is the geometric mean of the two bounds, as a
    deviation's order of magnitude is what differs between controls.
    """
    flaky = {
        row["check"]: row
        for row in flakes
        if row["task_id"] == task_id and row["rate"] is not None and row["rate"] > flake_limit
    }
    killers: dict[str, set[str]] = defaultdict(set)
    deciding = {check.name for check in card.checks if check.decides} | {"gate"}
    for kill in kills:
        # what a check catches that disagrees with itself, it may not catch tomorrow
        counts = kill["check"] in deciding and kill["check"] not in flaky
        if kill["task_id"] == task_id and kill["killed"] and counts:
            killers[kill["solution"]].add(kill["check"])
    deviation: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    for margin in margins:
        if margin["task_id"] == task_id and margin["deviation"] is not None:
            seen = deviation[margin["check"]]
            key = (margin["label"], margin["solution"])
            seen[key] = max(seen.get(key, 0.0), margin["deviation"])
    found = []
    for check in card.checks:
        if check.name in flaky and check.decides:
            found.append(_quarantine(task_id, check, flaky[check.name]))
            continue
        proposal = _threshold(task_id, card, check, deviation.get(check.name, {}), killers)
        if proposal is not None:
            found.append(proposal)
    return found


def _quarantine(task_id: str, check: Check, flake: FlakeRow) -> Proposal:
    causes = " and ".join(flake["causes"]) or "nothing that was changed"
    why = (
        f"disagrees with itself in {flake['disagreements']} of {flake['runs']} repeats "
        f"({flake['rate']:.1%}, 95 % interval {flake['low']:.1%} to {flake['high']:.1%}); "
        f"varies with: {causes}"
    )
    return Proposal(
        task_id,
        check.name,
        "advisory",
        why,
        {"severity": str(check.severity)},
        {"severity": str(Severity.ADVISORY)},
    )


def _threshold(
    task_id: str,
    card: Card,
    check: Check,
    deviation: Mapping[tuple[str, str], float],
    killers: Mapping[str, set[str]],
) -> Proposal | None:
    present = of_check(card, check)
    if not present or not check.decides:
        return None
    right = {name: value for (label, name), value in deviation.items() if label == "right"}
    wrong = {
        name: value
        for (label, name), value in deviation.items()
        if label == "wrong" and not killers[name] - {check.name} and value > RESOLUTION
    }
    low = max(right.values(), default=0.0)
    beyond = {name: value for name, value in wrong.items() if value > max(low, RESOLUTION)}
    high = min(beyond.values(), default=None)
    failed = sorted(name for name, value in right.items() if value > 1)
    passed = sorted(name for name, value in beyond.items() if value <= 1)
    if not failed and not passed:
        return None
    proposal = Proposal(
        task_id,
        check.name,
        "loosen" if failed else "tighten",
        "",
        present,
        separates=(low, high),
        right_failed=failed,
        wrong_passed=passed,
        inseparable=sorted(set(wrong) - set(beyond)),
    )
    if doubtful := [name for name in failed if _is_doubtful(right[name], present)]:
        proposal.action = "look"
        proposal.why = (
            f"{len(failed)} right control(s) fail it, {some_of(doubtful)} by up to {low:.2g} times "
            "what it allows, which no rounding explains: look first at the label of each, and "
            "correct it (`calibration.adjudications`, or where the control is from) if it is wrong"
        )
        return proposal
    factor = _between(low, high)
    proposal.proposed = {key: _round(value * factor) for key, value in present.items()}
    proposal.why = (
        f"{len(failed)} right control(s) fail it"
        if failed
        else f"{len(passed)} wrong control(s) that nothing else catches pass it"
    )
    caught = [value for (label, _), value in deviation.items() if label == "wrong" and value > 1]
    if failed and (nonsense := _nonsense(proposal.proposed, caught, factor)):
        proposal.action, proposal.proposed = "look", {}
        proposal.why += (
            f", {some_of(failed)} by up to {low:.2g} times what it allows; with room for that "
            f"{nonsense}: look at this check, which of its limits is too tight, and at the label "
            "of each"
        )
        return proposal
    if not failed and any(
        key.endswith("rtol") and value < ROUNDING for key, value in proposal.proposed.items()
    ):
        proposal.action, proposal.proposed = "look", {}
        proposal.why += ", but deviate on its cases by rounding only: they need another case"
    if (
        proposal.proposed
        and check.mode == "exact_match"
        and max(proposal.proposed.values()) > TIGHT
    ):
        proposal.action, proposal.proposed = "look", {}
        proposal.why += f"; exact_match allows no more than {TIGHT:g}: use numeric_tolerance"
    return proposal


def _is_doubtful(deviation: float, present: Mapping[str, float]) -> bool:
    """Tell whether what deviates so much, in units of the threshold, can hardly be right work."""
    # Only where every threshold is relative is it known how large the difference is.
    is_relative = all(key.endswith("rtol") for key in present)
    whole = is_relative and any(value < 1 <= deviation * value for value in present.values())
    return deviation > SINGLE or whole


def _nonsense(proposed: Mapping[str, float], caught: Iterable[float], factor: float) -> str:
    """Say why a loosened check would check nothing any more; empty where it would.

    Parameters
    ----------
    proposed : mapping
        Key to threshold.
    caught : iterable of float
        Deviations of the wrong controls that fail it at present, in units of the threshold.
    factor : float
        By which the thresholds are loosened.
    """
    for key, value in proposed.items():
        size = value * _EPSILON if key.endswith("ulp") else value
        if key.endswith(_RELATIVE) and size >= 1:
            return f"`{key}` would be {value:g}, and a result may be anything"
    deviations = list(caught)
    if deviations and max(deviations) <= factor:
        return "no wrong control would fail it any more"
    return ""


def _between(low: float, high: float | None) -> float:
    if high is None:
        return low * ROOM
    if low <= RESOLUTION:
        return high / ROOM
    return math.sqrt(low * high)


def _round(value: float) -> float:
    return float(f"{value:.{_DIGITS - 1}e}")
