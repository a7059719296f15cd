"""The audit of a problem card: which wrong work does no check notice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.audit import audit_task
from biomlbench.audit.card_findings import FINDINGS, MEDAL
from biomlbench.audit.findings import Audit, Finding, worst_first
from biomlbench.audit.waivers import read_waivers, reason_of, waiver_notes
from biomlbench.calibrate import batch, controls
from biomlbench.calibrate.mutants import INPUTS, TRAINING, WANTED, Mutant, choose
from biomlbench.outcomes import Gravity, Outcome
from biomlbench.scoring.audit_currency import made_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from biomlbench.calibrate.controls import Control
    from biomlbench.contracts.calibration_rows import ControlRow
    from biomlbench.stages import Context
    from biomlbench.task.task import Task

__all__ = ["GRADER", "audit_card", "audit_of"]

GRADER = "checks"
"""What scores a problem card, as an audit says it."""
NO_MUTANT = "mutants: none differs from the reference on the inputs that the card generates"
BLIND = 0.5
"""Share of the live mutants that pass from which on a verdict says nothing about the work."""
_KINDS = {"stock": "stock-unnoticed", "known_bad": "known-bad-unnoticed",
          "mutant": "mutant-unnoticed"}  # fmt: skip


def audit_of(
    task: Task, context: Context, waivers: Path | None = None, pandas_env: Path | None = None
) -> Audit:
    """Audit a task of any kind: its grader and public files, or its checks.

    Parameters
    ----------
    task : Task
        With its data prepared.
    context : Context
    waivers, pandas_env : path, optional
        As for :func:`biomlbench.audit.audit_task`.

    Raises
    ------
    TaskError
        If the data are not prepared, or the task's files or its waivers are broken.
    """
    if task.is_card:
        return audit_card(task, context, waivers)
    return audit_task(task, waivers, pandas_env)


def audit_card(
    task: Task,
    context: Context,
    waivers: Path | None = None,
    mutants: int = WANTED[TRAINING],
    inputs: int = INPUTS,
) -> Audit:
    """Audit a problem card by candidates that are known to be wrong, and by right ones.

    Parameters
    ----------
    task : Task
        A prepared problem card.
    context : Context
    waivers : path, optional
        Folder that holds ``audit.yaml``; by default the task's own.
    mutants, inputs : int
        Live mutants, and generated inputs on which they are compared with the reference.

    Returns
    -------
    Audit
        A finding for each wrong candidate that passes, and for each right one that does not.

    Raises
    ------
    TaskError
        If the card is broken or not prepared, or its waivers are broken.
    """
    from biomlbench.stages.cards import load_card

    waived = read_waivers(task, waivers)
    loaded = load_card(task)
    if loaded.card.verifier is None:
        return Audit(
            task_id=task.id,
            skipped=(f"{task.id}: has no checks to try; add verifier.yaml",),
            made_of=made_of(task),
        )
    tried = choose(task.folder, {TRAINING: mutants}, inputs)
    tested = [*controls.of_card(loaded), *controls.of_mutants(tried)]
    rows = _by_control(batch.grade(task.id, tested, context).to_pylist())
    best = next((rows[c.name][0]["score"] for c in tested if c.family == "reference"), None)
    mutants_by_name = {f"mutant/{one.name}": one for one in tried}
    found = _found(tested, rows, mutants_by_name, waived, best)
    live = any(mutant.status == "live" for mutant in tried)
    return Audit(
        task_id=task.id,
        findings=worst_first(found),
        grader=GRADER,
        perfect=best,
        tried=len(tested),
        skipped=() if live else (NO_MUTANT,),
        waiver_notes=waiver_notes(waived, {one.name for one in found}),
        made_of=made_of(task),
    )


def _by_control(rows: Sequence[ControlRow]) -> dict[str, list[ControlRow]]:
    found: dict[str, list[ControlRow]] = {}
    for row in rows:
        found.setdefault(row["control"], []).append(row)
    return found


def _found(
    tested: Sequence[Control],
    rows: Mapping[str, list[ControlRow]],
    mutants: Mapping[str, Mutant],
    waived: Mapping[str, str],
    best: float | None,
) -> list[Finding]:
    live = [control for control in tested if control.family == TRAINING]
    passing = sum(rows[control.name][0]["credited"] for control in live)
    blind = passing >= BLIND * len(live)
    found = []
    for control in tested:
        own, wrong = rows[control.name], control.label == controls.WRONG
        if own[0]["credited"] is not wrong:
            continue
        kind = _KINDS.get(control.family, "right-refused")
        name = f"{kind}.{control.name.rpartition('/')[2]}"
        if control.family == "rewrite":
            name += "-rewritten"
        severe = wrong and (kind != "mutant-unnoticed" or blind)
        found.append(
            Finding(
                name=name,
                severity=Gravity.SEVERE if severe else Gravity.MODERATE,
                what=f"{_said(control, mutants)}; {_nearest(own) if wrong else _refused(own)}",
                remedy=FINDINGS[kind],
                before=best,
                after=own[0]["score"],
                here=f"verdict {own[0]['verdict']}",
                open=True,
                waived=reason_of(name, waived),
                medal=MEDAL,
                covered_by="",
                submission=control.content,
                suffix=control.suffix,
            )
        )
    return found


def _said(control: Control, mutants: Mapping[str, Mutant]) -> str:
    """Say which candidate it is, and how it is known to be wrong or right."""
    if one := mutants.get(control.name):
        return (
            f"the reference with {one.operator} in line {one.line} ({one.note}) passes, and "
            f"differs from it on one of {one.inputs} generated inputs"
        )
    if control.label == controls.RIGHT:
        return f"{control.name} is right, and does not pass"
    if control.patterns:
        return f"{control.name} passes, and shows {', '.join(control.patterns)}"
    return f"the stock candidate {control.name} passes"


def _nearest(rows: Sequence[ControlRow]) -> str:
    """Name the check that came nearest to failing a candidate that passes."""
    noticed = [row["check"] for row in rows if row["outcome"] == Outcome.FAILED]
    if noticed:
        return f"only {', '.join(dict.fromkeys(noticed))} fails it, which decides nothing"
    measured = [(row["margin"], row) for row in rows if row["margin"] is not None]
    if not measured:
        return "no check measures how far it is off"
    margin, nearest = min(measured, key=lambda pair: pair[0])
    off = 1 - margin if nearest["deviation"] is None else nearest["deviation"]
    name = f"{nearest['check']} ({nearest['suite']})"
    return f"the nearest check is {name}, at {off:.2g} of its limit"


def _refused(rows: Sequence[ControlRow]) -> str:
    failed = [row["check"] for row in rows if row["outcome"] in (Outcome.FAILED, Outcome.ERROR)]
    return f"failed by {', '.join(dict.fromkeys(failed)) or 'no single check'}"
