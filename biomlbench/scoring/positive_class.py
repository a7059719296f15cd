"""Whether a task's config tells the positive class of its answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.errors import TaskError
from biomlbench.outcomes import Fault, Reason

if TYPE_CHECKING:
    from biomlbench.task.task import Task

__all__ = ["check_positive_class"]


def check_positive_class(task: Task) -> None:
    """Refuse answers of which a metric of two classes cannot tell the positive one.

    Grading refuses them as well; whoever prepares a task learns of it before there are runs.

    Parameters
    ----------
    task : Task
        Prepared.

    Raises
    ------
    TaskError
        If its metric takes `pos_label`, none is declared, and the two labels are not 0 and 1 or
        -1 and 1; or one is declared that the answers do not have.
    """
    from biomlbench.metrics import MetricError
    from biomlbench.metrics._inputs import labels, positives
    from biomlbench.submission.answers import answers_of

    if task.is_card or (metric := task.metric) is None or "pos_label" not in metric.options:
        return
    grader = task.grader
    if grader.inputs_fn is not None or grader.skips_missing_truth:
        return
    answers, options = answers_of(task), {**metric.options, **grader.options}
    columns = len(answers.sample.predictions)
    # labels are one column, where a single class is scored; scores of more classes are several
    if columns != 1 or (metric.kind == "labels" and options["average"] != "binary"):
        return
    try:
        positives(labels(answers.truth, Fault.TASK), options["pos_label"])
    except MetricError as error:
        names = ", ".join(map(repr, answers.targets))
        message = f"{task.answers}: {names}: {error.message}"
        raise TaskError(message, Reason.BROKEN_ANSWERS) from error
