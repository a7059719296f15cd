"""The score of submitted code without a pair of its own: it is run in the sandbox, then scored."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.errors import InvalidSubmissionError
from biomlbench.outcomes import fault_of
from biomlbench.scoring.effective_task import EffectiveTask
from biomlbench.scoring.score import ScoreResult, failed
from biomlbench.scoring.task_report import NOT_THERE
from biomlbench.stages import Context, Pair, run_stage
from biomlbench.stages.chain import get_stage
from biomlbench.stages.kinds import kind_of
from biomlbench.stages.upstream import grade_row
from biomlbench.submission.private_files import PrivateFiles
from biomlbench.submission.submitted_file import MAX_CODE_BYTES, read_bytes
from biomlbench.task.registry import tasks_dir_of

if TYPE_CHECKING:
    from biomlbench.contracts.rows import GradeRow
    from biomlbench.task.registry import Task

__all__ = ["score_code"]

_LAST = "grade"
_RUN_ID = "submission"


@dataclass(frozen=True, slots=True)
class _OfTask(Context):
    """The context of a task that is at hand, whatever its registry finds under its id."""

    given: Task | None = None

    def task(self, task_id: str) -> Task:
        if self.given is None:
            raise ValueError(f"{task_id}: no task was given")
        return self.given


def score_code(
    path: str | Path,
    task: Task,
    bootstrap: int = 0,
    seed: int = 0,
    *,
    program_seed: int = 0,
    root: str | Path | None = None,
) -> ScoreResult:
    """Score a program, or the functions of a problem card, by the stages up to ``grade``.

    Parameters
    ----------
    path : path
    task : Task
    bootstrap, seed
        As for :func:`biomlbench.scoring.score.score_submission`.
    program_seed : int
        Seed that a program is given.
    root : path, optional
        As for :func:`biomlbench.submission.submitted_file.read_bytes`.

    Returns
    -------
    ScoreResult
        Of the same score as that of a pair. The runs on changed inputs, which are for the
        verdict, are left out.

    Raises
    ------
    NotPreparedError
        If the task's data or its environment are not there.
    SandboxUnavailable, SandboxFault
        If the machine, not the code, is at fault.
    """
    context = _OfTask(
        data_dir=str(task.data_dir),
        tasks_dirs=(str(tasks_dir_of(task)),),
        bootstrap=bootstrap,
        seed=seed,
        reruns=False,
        given=task,
    )
    try:
        # A copy, read by the rules for all submissions in a list, which the stages do not know.
        code = read_bytes(path, MAX_CODE_BYTES, root, PrivateFiles.of(task))
    except InvalidSubmissionError as error:
        return _unreadable(task, error)
    with tempfile.TemporaryDirectory(prefix="biomlbench-") as folder:
        copy = Path(folder, "code", Path(path).name)
        copy.parent.mkdir()
        copy.write_bytes(code)
        pair = Pair(task.id, _RUN_ID, str(copy), kind_of(copy.name, task.kind), program_seed)
        for stage in (*get_stage(_LAST).reads, _LAST):
            table = run_stage(stage, pair, context, folder)
    return _result(grade_row(table))


def _unreadable(task: Task, error: InvalidSubmissionError) -> ScoreResult:
    effective, reason = EffectiveTask(task), error.reason
    exists = reason not in NOT_THERE
    return failed(effective.metric_name, effective.direction, reason, error.message, exists=exists)


def _result(row: GradeRow) -> ScoreResult:
    quantiles = row["score_quantiles"]
    return ScoreResult(
        valid=row["valid_submission"],
        score=row["score"],
        metric=row["metric"],
        direction=row["direction"],
        score_low=row["score_low"],
        score_high=row["score_high"],
        score_quantiles=None if quantiles is None else tuple(quantiles),
        n_rows=row["n_rows"],
        reason=row["reason"],
        fault=fault_of(row["reason"]),
        message=row["message"],
        exists=row["reason"] not in NOT_THERE,
    )
