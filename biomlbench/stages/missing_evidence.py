"""Whether a task is calibrated, as far as it can be told without running a solution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.errors import TaskError
from biomlbench.runtime.once import once
from biomlbench.scoring.gold import look_at_own
from biomlbench.scoring.gradable import refused_tables
from biomlbench.stages.bounded_judging import refusing_bounded
from biomlbench.task.registry import prepare_command
from biomlbench.verify import evidence

if TYPE_CHECKING:
    from biomlbench.task.registry import Task
    from biomlbench.verify.evidence import EvidenceMatrix

__all__ = ["missing_evidence", "with_own_submissions"]

GOLD, SAMPLE = "gold submission", "sample submission"
"""What the evidence calls them."""


def missing_evidence(task: Task) -> tuple[str, ...]:
    """Return which required evidence a task lacks; empty for a calibrated one.

    Parameters
    ----------
    task : Task
        Of either kind.

    Returns
    -------
    tuple of str
        Where its files are broken, which says so; where a prepared card's own checks refuse what
        its reference gives, which ones do; and what the scores of a prepared task's gold and sample
        submission say against them. No path of its data is in there, as it stands in tables.
    """
    return once(("evidence", task), lambda: _missing(task))


def with_own_submissions(matrix: EvidenceMatrix, task: Task) -> EvidenceMatrix:
    """Return evidence with what is wrong with a task's leaderboard, gold and sample submission.

    Parameters
    ----------
    matrix : EvidenceMatrix
    task : Task
        Whose it is. Before it is prepared nothing can be said of its submissions.
    """
    for item, told in refused_tables(task).items():
        matrix = matrix.weakened(item, f"grading refuses it: {told}")
    if task.is_card or not task.is_prepared():
        return matrix
    if not task.gold_submission.is_file():
        told = (
            f"there is no {task.gold_submission}; have the preparer write it, and run "
            f"`{prepare_command(task)}`"
        )
        return matrix.lacking(GOLD, told)
    own = look_at_own(task, quiet=True)  # a pair tells itself where the function failed
    for item, told in ((GOLD, own.gold), (SAMPLE, own.sample)):
        matrix = matrix.weakened(item, told) if told else matrix
    return matrix


def _missing(task: Task) -> tuple[str, ...]:
    try:
        found = with_own_submissions(evidence.looked_up(task.folder), task).missing
    except TaskError as error:
        return (f"nothing can be shown: {error.message}",)
    command = f"run `{prepare_command(task)}`"
    here = {f"{task.home}/": "", command: "prepare the task again"}
    for machine, anywhere in here.items():
        found = [item.replace(machine, anywhere) for item in found]
    return (*found, *filter(None, [_refusing(task)]))


def _refusing(task: Task) -> str:
    if not task.is_card:
        return ""
    try:
        return refusing_bounded(task)
    except TaskError:  # not prepared, which the stages themselves tell
        return ""
