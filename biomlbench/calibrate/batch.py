"""A batch of a task's controls, through the very stages that grade every submission."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.calibrate import controls
from biomlbench.calibrate.settings import BATCH_SIZE, LABELLED
from biomlbench.contracts import from_rows
from biomlbench.contracts.rows import VerifyRow
from biomlbench.outcomes import Verdict
from biomlbench.scoring.score_order import score_order
from biomlbench.stages import Pair, run_pair
from biomlbench.stages.kinds import has_cases

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from biomlbench.calibrate.controls import Control
    from biomlbench.calibrate.mutants import Mutant
    from biomlbench.contracts.calibration_rows import ControlRow
    from biomlbench.contracts.rows import MedalRow
    from biomlbench.scoring.score_order import ScoreOrder
    from biomlbench.stages import Context
    from biomlbench.task.task import Task

__all__ = ["add_deviations", "good_by_leaderboard", "grade", "run", "share"]

WRONG_TOTAL_S = 60.0
"""Seconds for all cases of a wrong control: many loop. A right one gets what any run gets."""
_NEAR_BEST = 0.5
"""Share of the way from a useless submission's score to the best one that earns credit where
there is no leaderboard."""
_USELESS = ("spoilt/sample", "spoilt/gold-shuffled")
"""Controls whose score is that of no work. The first has none where the metric takes no constant;
the second is the level of chance."""


def share(batch: str, mutants: Sequence[Mutant]) -> list[Mutant]:
    """Return the live mutants of one batch, which are of one family."""
    family, _, number = batch.rpartition("-")
    live = [one for one in mutants if one.status == "live" and one.family == family]
    start = (int(number) - 1) * BATCH_SIZE
    return live[start : start + BATCH_SIZE]


def run(task_id: str, batch: str, context: Context, mutants: Sequence[Mutant] = ()) -> pa.Table:
    """Grade one batch.

    Parameters
    ----------
    task_id : str
    batch : str
        One of :func:`biomlbench.calibrate.settings.batches`.
    context : Context
    mutants : sequence of Mutant
        The card's, for a batch of mutants.

    Returns
    -------
    pyarrow.Table
        Of the schema ``controls``.
    """
    from biomlbench.calibrate.predictions import of_predictions
    from biomlbench.stages.cards import load_card

    task = context.task(task_id)
    if batch != LABELLED:
        found = controls.of_mutants(share(batch, mutants))
    elif task.is_card:
        found = controls.of_card(load_card(task))
    else:
        found = of_predictions(task)
    return grade(task_id, found, context)


def grade(task_id: str, found: Sequence[Control], context: Context) -> pa.Table:
    """Grade controls of one task.

    Parameters
    ----------
    task_id : str
    found : sequence of Control
    context : Context

    Returns
    -------
    pyarrow.Table
        Of the schema ``controls``: a row for each control and check.
    """
    task = context.task(task_id)
    kind = task.kind
    graded = []
    with tempfile.TemporaryDirectory(prefix="biomlbench-controls-") as scratch:
        for number, control in enumerate(found):
            folder = Path(scratch) / str(number)
            folder.mkdir()
            pair = Pair(task_id, f"control-{number}", str(controls.write(control, folder)), kind)
            tables = run_pair(pair, _context_for(control, context), folder)
            checks: list[ControlCheck] = tables["verify"].to_pylist()
            add_deviations(task, tables["execute"], checks)
            graded.append((control, tables["medal"].to_pylist()[0], checks))
    credit = _credit(task, {c.name: medal for c, medal, _ in graded})
    rows = [
        row
        for control, medal, checks in graded
        for row in _rows(task_id, control, medal, checks, credit[control.name])
    ]
    return from_rows("controls", rows)


class ControlCheck(VerifyRow, total=False):
    """A check of a control, with how far it is from the threshold once that is known."""

    deviation: float | None


def add_deviations(task: Task, execute: pa.Table, checks: list[ControlCheck]) -> None:
    """Add to each check's row how far the submission is from the threshold, in units of it.

    Parameters
    ----------
    task : Task
        Of any kind; only the checks of problem cards tell more than their margin.
    execute : pyarrow.Table
        Of the schema ``execute``.
    checks : list of dict
        Rows of the schema ``verify``; they get the key `deviation`, None where it has none.
    """
    for row in checks:
        row["deviation"] = None
    if not task.is_card or not any(row["margin"] is not None for row in checks):
        return
    from biomlbench.calibrate.thresholds import deviations
    from biomlbench.stages.cards import load_card
    from biomlbench.stages.outputs import case_outputs, own_in

    outputs = {case_id: repeats[0] for case_id, repeats in case_outputs(execute).items()}
    margins: dict[tuple[str, str], float | None] = {
        (row["check"], row["suite"]): row["margin"] for row in checks
    }
    loaded = load_card(task).with_own(own_in(execute))
    found = deviations(loaded, outputs, margins)
    for row in checks:
        row["deviation"] = found.get((row["check"], row["suite"]))


def _context_for(control: Control, context: Context) -> Context:
    context = replace(context, bootstrap=0)
    if control.label == controls.RIGHT:
        return context
    overrides = dict(context.overrides)
    overrides["limits"] = {**overrides.get("limits", {}), "total_wall_s": WRONG_TOTAL_S}
    return replace(context, overrides=overrides)


def _credit(task: Task, medals: dict[str, MedalRow]) -> dict[str, bool]:
    """Tell which controls the grader took for right work.

    For a problem card that is the verdict. Of predictions the verdict only says whether they
    may be believed; to be taken for good ones they need a good score as well.
    """
    passed = {name: row["verdict"] == Verdict.PASS for name, row in medals.items()}
    if has_cases(task.kind):
        return passed
    return {name: passed[name] and _good(row, medals, task) for name, row in medals.items()}


def good_by_leaderboard(medal: MedalRow) -> bool | None:
    """Tell whether a score is good on the task's leaderboard; None where there is none."""
    if medal["above_median"] is None:
        return None
    return bool(medal["above_median"] or medal["any_medal"])


def _score_of(medal: MedalRow | None) -> float | None:
    return None if medal is None else medal["score"]


def _good(row: MedalRow, medals: dict[str, MedalRow], task: Task) -> bool:
    """Tell whether a score is a good one: on the leaderboard, or near that of right work."""
    score, gold = row["score"], _score_of(medals.get("gold"))
    if score is None:
        return False
    if (ranked := good_by_leaderboard(row)) is not None:
        return ranked
    if gold is None:
        return False  # nothing tells what a good score is
    useless = [_score_of(medals.get(name)) for name in _USELESS]
    order = score_order(task, (gold, *useless))
    return _near(score, gold, useless, order, task.metric.best if task.metric else gold)


def _near(
    score: float, gold: float, useless: list[float | None], order: ScoreOrder, best: float
) -> bool:
    """Tell whether a score is nearer to the best one than to that of a useless submission.

    Parameters
    ----------
    useless : list of float or None
        Scores of useless submissions, None without one; the first that is worse than the gold's
        counts. Where one is better than the gold, only what is better than all of them is good.
    best : float
        The metric's best value, or the gold's score.
    """
    known = [one for one in useless if one is not None]
    if any(order.better(one, gold) for one in known):
        return all(order.better(score, one) for one in known)
    start = next((one for one in known if order.better(gold, one)), None)
    if start is None:
        return not order.better(gold, score)
    return (score - start) / (best - start) >= _NEAR_BEST


def _rows(
    task_id: str,
    control: Control,
    medal: MedalRow,
    checks: list[ControlCheck],
    credited: bool,
) -> list[ControlRow]:
    return [
        {
            "task_id": task_id,
            "control": control.name,
            "family": control.family,
            "label": control.label,
            "patterns": list(control.patterns),
            "claims": list(control.claims),
            "verdict": medal["verdict"],
            "credited": credited,
            "score": medal["score"],
            "check": "gate" if row["mode"] == "gate" else row["check"],
            "suite": row["suite"],
            "mode": row["mode"],
            "severity": row["severity"],
            "outcome": row["outcome"],
            "reason": row["reason"],
            "margin": row["margin"],
            "deviation": row["deviation"],
        }
        for row in checks
    ]
