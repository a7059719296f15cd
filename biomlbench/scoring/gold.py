"""Whether a task's gold submission is the best one, and its sample submission of no use."""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from biomlbench.errors import GraderError, InvalidSubmissionError, TaskError
from biomlbench.outcomes import Fault, Reason
from biomlbench.runtime.once import once
from biomlbench.scoring.score import log_failure, tried
from biomlbench.scoring.score_order import ScoreOrder, score_order
from biomlbench.submission.answers import answers_of
from biomlbench.submission.reading import read_table
from biomlbench.submission.sample import has_rows, sample_of
from biomlbench.task.task_folders import state_of

if TYPE_CHECKING:
    import pyarrow as pa

    from biomlbench.metrics import Metric
    from biomlbench.scoring.score import ScoreResult
    from biomlbench.task.task import Task

__all__ = ["OwnSubmissions", "gold_score", "look_at_own", "own_order"]

NEAR = 0.9
"""Share of the way from a useless submission to the metric's best value that the gold has to go.
Not all of it: ties and censoring may leave no submission the best value."""
_SHUFFLES = 5


class OwnSubmissions(NamedTuple):
    """What is wrong with the submissions that a task has itself; empty where nothing is.

    Attributes
    ----------
    gold : str
    sample : str
    broken : bool
        No submission can be graded; or the gold submission is worse than the sample submission,
        or without a score of that than itself in other orders.
    """

    gold: str = ""
    sample: str = ""
    broken: bool = False


def gold_score(task: Task) -> float | None:
    """Score a task's gold submission.

    Parameters
    ----------
    task : Task
        Prepared.

    Returns
    -------
    float or None
        None where there is none, where it has no score, and where the grader has an environment of
        its own, whose start takes time.
    """
    return once(("score of the gold", task), partial(_own_score, task, task.gold_submission))


def _own_score(task: Task, path: Path) -> float | None:
    if task.grader.spec is not None or not path.is_file() or not has_rows(task):
        return None
    try:  # as a table: as a file it is private, or the same as a private one
        table = read_table(path, sample_of(task).columns)
    except (InvalidSubmissionError, TaskError):
        return None
    return tried(table, task)[0].score


def own_order(task: Task) -> ScoreOrder:
    """Return how a task's scores compare, on the scale of its gold and its sample submission.

    Parameters
    ----------
    task : Task
        Prepared.
    """
    own = (gold_score, _sample_score)
    return once(("order", task), lambda: score_order(task, (look(task) for look in own)))


def _sample_score(task: Task) -> float | None:
    return _own_score(task, task.sample_submission)


def look_at_own(task: Task, *, quiet: bool = False) -> OwnSubmissions:
    """Score a task's gold and sample submission.

    Parameters
    ----------
    task : Task
        Prepared.
    quiet : bool
        Whether the log says nothing of where a grading function of the task failed.

    Returns
    -------
    OwnSubmissions
        Nothing is said of problem cards, of published tasks, of a grader with an environment of
        its own, and of a task whose tables cannot be read, which is told otherwise. They are
        scored once for each state of the task's files and data.
    """
    if task.is_card or task.published is not None or task.grader.spec is not None:
        return OwnSubmissions()
    if not task.gold_submission.is_file() or not has_rows(task):
        return OwnSubmissions()
    files = (task.answers, task.gold_submission, task.sample_submission)
    found, failure = _looked_at(task, state_of(Path(task.folder)), tuple(map(_state, files)))
    if failure is not None and not quiet:
        log_failure(task, failure)
    return found


def _state(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=256)
def _looked_at(
    task: Task, _folder: object, _data: object
) -> tuple[OwnSubmissions, GraderError | None]:
    # as tables: as files they are private, or the same as a private one
    try:
        gold_table = read_table(task.gold_submission, sample_of(task).columns)
    except InvalidSubmissionError as error:
        return OwnSubmissions(gold=_unreadable(task, error)), None
    except TaskError:
        return OwnSubmissions(), None
    try:
        sample_table = read_table(task.sample_submission, sample_of(task).columns)
    except (InvalidSubmissionError, TaskError):
        return OwnSubmissions(), None
    gold, failure = tried(gold_table, task)
    if gold.fault is Fault.GRADER:  # which the sample submission would only say again
        return OwnSubmissions(gold=_without_score(task, gold)), failure
    sample, _ = tried(sample_table, task)
    for result in (gold, sample):
        if result.fault is Fault.TASK:
            return OwnSubmissions(gold=result.message, broken=True), None
    if gold.score is None:
        return OwnSubmissions(gold=_without_score(task, gold)), failure
    if sample.fault is Fault.GRADER:
        return OwnSubmissions(), None
    if sample.inspection is None and sample.reason is not Reason.OK:
        return OwnSubmissions(sample=_refused(task, sample)), None
    order = score_order(task, (gold.score, sample.score))
    useless = _useless(task, order, gold.score, sample.score, gold_table)
    worse = bool(useless) and all(order.better(one, gold.score) for one in useless)
    if told := _of_gold(task, order, gold.score, useless, worse=worse):
        remedy = (
            "correct it, the answers, or what config.yaml says of the columns and of the metric"
        )
        return OwnSubmissions(gold=f"{task.gold_submission}: {told}; {remedy}", broken=worse), None
    return OwnSubmissions(sample=_of_sample(task, order, gold, sample)), None


def _without_score(task: Task, gold: ScoreResult) -> str:
    return f"{task.gold_submission}: the gold submission has no score: {gold.message}"


def _unreadable(task: Task, error: InvalidSubmissionError) -> str:
    return (
        f"{task.gold_submission}: the gold submission is refused: {error.message}; let the "
        "preparer write it as the best submission that there could be"
    )


def _refused(task: Task, sample: ScoreResult) -> str:
    return (
        f"{task.sample_submission}: the sample submission is refused: {sample.message}; fill it "
        "with predictions of the right form"
    )


def _of_gold(
    task: Task, order: ScoreOrder, gold: float, useless: list[float], *, worse: bool
) -> str:
    """Say what speaks against the gold submission being the best one."""
    metric = task.metric
    if worse:
        other = (
            "the sample submission with"
            if len(useless) == 1
            else "the same predictions in other orders, such as"
        )
        return (
            f"the gold submission scores {gold:.6g}, worse than {other} {useless[0]:.6g} "
            f"(to be {task.direction}d)"
        )
    if metric is None or _is_near(gold, useless, metric, order):
        return ""
    return (
        f"the gold submission scores {gold:.6g}, far from {metric.best:g}, the best value of "
        f"{metric.name}"
    )


def _is_near(score: float, useless: list[float], metric: Metric, order: ScoreOrder) -> bool:
    if not order.better(metric.best, score):
        return True
    start = median(useless) if useless else None
    if start is None or not order.better(metric.best, start):
        return False
    return (score - start) / (metric.best - start) >= NEAR


def _useless(
    task: Task, order: ScoreOrder, gold: float, sample: float | None, table: pa.Table
) -> list[float]:
    """Return the score of the sample submission, or else those of the gold in wrong orders.

    A sample without a score, as a constant has none under a correlation, tells nothing, and neither
    does one that is the gold itself.
    """
    import numpy as np

    from biomlbench.arrow import positions

    if sample is not None and not order.same(gold, sample):
        return [sample]
    ids, found = sample_of(task).keys.columns, []
    for number in range(_SHUFFLES):
        rows = np.random.default_rng(number).permutation(table.num_rows)
        other = table.take(positions(rows))
        for name in ids:
            place = other.column_names.index(name)
            other = other.set_column(place, name, table.column(name))
        found.append(tried(other, task)[0].score)
    return [score for score in found if score is not None]


def _of_sample(task: Task, order: ScoreOrder, gold: ScoreResult, sample: ScoreResult) -> str:
    """Say of a sample submission that it is the gold one, or as good as it can be."""
    if gold.inspection is None or sample.inspection is None or sample.score is None:
        return ""
    answers, names = answers_of(task), [spec.name for spec in sample_of(task).predictions]
    one, other = (
        answers.submission_frame(*result.inspection.rows)[names].reset_index(drop=True)
        for result in (gold, sample)
        if result.inspection is not None
    )
    metric = task.metric
    perfect = metric is not None and order.same(sample.score, metric.best)
    if not perfect and not one.equals(other):
        return ""
    return (
        f"{task.sample_submission}: the sample submission is as good as the gold submission "
        f"({sample.score:.6g}), and competitors get it; fill it with predictions of no use"
    )
