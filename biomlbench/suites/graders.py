"""The grader of a published folder: our own metric where it is the same, else the code as it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.errors import GraderError, InvalidSubmissionError, TaskError
from biomlbench.grading import GraderSpec
from biomlbench.outcomes import Fault, Reason
from biomlbench.scoring.grader import Grader

from .published import Published, main_metric, native_grader

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import Arguments, JsonObject
    from biomlbench.metrics import Metric
    from biomlbench.task.task import Task

__all__ = ["HUB_METRICS", "hub_answers", "hub_metric", "published_code", "published_grader"]

#: Main metrics as Polaris Hub names them: our metric, and which input the hub takes it from.
HUB_METRICS: dict[str, tuple[str, Arguments, str]] = {
    "mean_absolute_error": ("mae", {}, "y_pred"),
    "mean_squared_error": ("mse", {}, "y_pred"),
    "r2": ("r2", {}, "y_pred"),
    "pearsonr": ("pearson", {}, "y_pred"),
    "spearmanr": ("spearman", {}, "y_pred"),
    "accuracy": ("accuracy", {}, "y_pred"),
    "balanced_accuracy": ("balanced_accuracy", {}, "y_pred"),
    "mcc": ("mcc", {}, "y_pred"),
    "f1": ("f1", {"average": "binary"}, "y_pred"),
    "f1_macro": ("f1", {"average": "macro"}, "y_pred"),
    "f1_micro": ("f1", {"average": "micro"}, "y_pred"),
    "pr_auc": ("average_precision", {}, "y_prob"),
    "roc_auc": ("roc_auc", {}, "y_prob"),
}
_KEYS = ("name", "grade_fn", "python", "wall_s", "memory_mb")


def published_grader(task: Task) -> Grader:
    """Return the grader of a task in the published form, or with an interpreter of its own.

    Parameters
    ----------
    task : Task

    Raises
    ------
    TaskError
        If its config names none.
    """
    published = task.published or Published("", "", task.folder, "", task.id)
    where = f"{task.folder / 'config.yaml'}"
    section = {k: v for k, v in task.config["grader"].items() if v is not None}
    if "grade_fn" not in section:
        return Grader.from_config(section, task.folder, task.submission)
    direction = section.pop("direction", None)
    if unknown := sorted(section.keys() - set(_KEYS)):
        raise TaskError(f"{where}: grader: unknown key(s) {unknown}; known: {list(_KEYS)}")
    name = str(section.get("name") or "grader")
    native = native_grader(published, task.folder)
    if native is not None and native.metric and "python" not in section:
        return Grader(
            name,
            metric=native.metric,
            options=native.options,
            schema=task.submission,
            skips_missing_truth=native.skips_missing_truth,
        )
    metric = hub_metric(main_metric(task.config))
    direction = direction or (native.direction if native else None)
    direction = direction or (metric.direction if metric else None)
    spec = published_code(task)
    return Grader(
        name,
        grade_fn=spec.function,
        direction=direction,
        folder=task.folder,
        schema=task.submission,
        spec=spec,
    )


def published_code(task: Task) -> GraderSpec:
    """Return a task's published grader as its authors wrote it, whatever grades here.

    Parameters
    ----------
    task : Task
        In the published form, with a ``grade_fn``.

    Raises
    ------
    TaskError
        If its config names a virtual environment that is not there.
    """
    published = task.published or Published("", "", task.folder, "", task.id)
    section = {k: v for k, v in task.config["grader"].items() if v is not None}
    python = section.get("python")
    return GraderSpec(
        str(section.get("name") or "grader"),
        str(section["grade_fn"]),
        task.folder,
        published.tree,
        published.package,
        task.answers,
        main_metric(task.config),
        _environment(task, str(python)) if python else published.python,
        **{key: type_(section[key]) for key, type_ in _LIMITS.items() if key in section},
    )


_LIMITS: dict[str, type] = {"wall_s": float, "memory_mb": int}


def _environment(task: Task, name: str) -> Path:
    for folder in (task.folder, Path("envs")):
        path = (folder / Path(name).expanduser()).absolute()
        if (path / "pyvenv.cfg").is_file():
            return path
    raise TaskError(
        f"{task.folder / 'config.yaml'}: grader: `python` names no virtual environment "
        f"({name!r}); make it with: python3 -m venv {name}"
    )


def hub_metric(label: str | None) -> Metric | None:
    """Return our metric for a hub's name of one, or None."""
    from biomlbench.metrics import UnknownMetricError, get_metric

    name = HUB_METRICS[label][0] if label in HUB_METRICS else label
    try:
        return get_metric(name) if name else None
    except UnknownMetricError:
        return None


def hub_answers(task: Task) -> Any:
    """Return what answers the questions of a hub's stand-in about a task's predictions.

    Parameters
    ----------
    task : Task

    Returns
    -------
    callable
        From ``y_pred`` and ``y_prob``, lists in the order of the answers, to ``score``; or to
        ``unfit``, the words in which the hub's client says that it wants the other of them.
    """
    label = main_metric(task.config)

    def evaluate(question: JsonObject) -> JsonObject:
        if label not in HUB_METRICS:
            raise GraderError(
                f"{task.id}: the hub's main metric {label!r} is not one that can be evaluated here"
            )
        name, options, source = HUB_METRICS[label]
        values = question.get(source)
        if values is None:
            return {"unfit": f"Metric requires `{source}` input."}
        return {"score": _hub_score(task, name, options, values).hex()}

    return evaluate


def _hub_score(task: Task, name: str, options: Arguments, values: Any) -> float:
    import numpy as np

    from biomlbench.metrics import MetricError, get_metric
    from biomlbench.scoring.metric_faults import metric_reason
    from biomlbench.submission.own_tables import numbers_or_text, own_table

    answers = numbers_or_text(own_table(task.answers, Reason.BROKEN_ANSWERS), ())
    truth = answers.column(answers.column_names[-1]).to_numpy()
    try:
        predictions = np.array(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise GraderError(f"{task.id}: the grader hands on what are no numbers") from error
    if predictions.shape != truth.shape:
        raise GraderError(f"{task.id}: {predictions.shape} predictions for {truth.shape} answers")
    there = ~np.isnan(truth) if truth.dtype.kind == "f" else np.ones(len(truth), bool)
    try:
        return get_metric(name)(truth[there], predictions[there], **options)
    except MetricError as error:
        kind = TaskError if error.fault == Fault.TASK else InvalidSubmissionError
        raise kind(error.message, metric_reason(error)) from error
