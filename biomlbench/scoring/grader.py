"""Graders and reports: the classes of the documented grading API."""

from __future__ import annotations

import logging
from collections.abc import Mapping as MappingABC
from contextlib import nullcontext
from copy import copy, deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from biomlbench.errors import (
    GraderError,
    InvalidSubmissionError,
    TaskError,
    function_error,
    words_of,
)
from biomlbench.frames import as_frame
from biomlbench.parameter_order import TABLES, contradiction, parameter_names
from biomlbench.runtime.apart import LostCallError, call_apart
from biomlbench.runtime.random_states import fresh_random_states
from biomlbench.scoring.grading_functions import finite_score, matched
from biomlbench.scoring.paired_tables import paired_tables
from biomlbench.scoring.task_report import TaskReport
from biomlbench.task.loading import import_libraries, is_built_in, load_function

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import pandas as pd

    from biomlbench.grading import GraderSpec
    from biomlbench.metrics import Metric
    from biomlbench.scoring.medals import Ranked
    from biomlbench.task.submission_columns import SubmissionSchema

__all__ = ["Grader", "InvalidSubmissionError", "TaskReport"]

logger = logging.getLogger(__name__)
_Value = TypeVar("_Value")
WALL_S = 600.0
"""Seconds that a function of a task gets for one submission, as published graders do."""


def _for_metrics(options: Any, inputs_fn: Any) -> list[str]:
    given = {"`options`": bool(options), "`inputs_fn`": inputs_fn is not None}
    return [name for name, there in given.items() if there]


class Grader:
    """What turns a submission and the answers into a score.

    Parameters
    ----------
    name : str
        Name of the grader, for people.
    grade_fn : str or callable, optional
        ``"module:function"``, or the function: ``grade(submission, answers) -> float``.
    metric : str, optional
        Name of a registered metric, instead of a function.
    options : mapping, optional
        Options of the metric.
    direction : {"maximize", "minimize"}, optional
        Which way is better. A metric declares its own.
    inputs_fn : str or callable, optional
        With a metric: ``inputs(submission, answers) -> (y_true, y_pred)``, where the rows of
        the tables are not what the metric scores (a structure spread over many rows). What the
        bootstrap interval of a score resamples are the items that it returns, not rows.
    folder : path, optional
        The task's folder, for functions of its own files.
    schema : SubmissionSchema, optional
        The task's columns.
    spec : GraderSpec, optional
        With `grade_fn`: the function is run in a process of its own, as this says.
    skips_missing_truth : bool
        With a metric: rows whose true value is missing are left out.

    Raises
    ------
    TaskError
        If there is neither function nor metric, both, or an unknown one; if a declared
        direction is not the metric's; if a function is given what only a metric has.

    Examples
    --------
    >>> Grader(name="product", grade_fn="operator:mul")(3.0, 2.0)
    6.0
    """

    def __init__(
        self,
        name: str,
        grade_fn: str | Callable[..., Any] | None = None,
        *,
        metric: str | None = None,
        options: Mapping[str, Any] | None = None,
        direction: str | None = None,
        inputs_fn: str | Callable[..., Any] | None = None,
        folder: str | Path | None = None,
        schema: SubmissionSchema | None = None,
        spec: GraderSpec | None = None,
        skips_missing_truth: bool = False,
    ) -> None:
        from biomlbench.task.task import DIRECTIONS

        if not isinstance(name, str) or not name:
            raise TaskError("a grader has a name")
        if (grade_fn is None) == (metric is None):
            raise TaskError(f"grader {name!r} needs a `grade_fn` or a `metric`, and not both")
        if direction is not None and direction not in DIRECTIONS:
            raise TaskError(f"grader {name!r}: direction is maximize or minimize")
        if grade_fn is not None and (given := _for_metrics(options, inputs_fn)):
            raise TaskError(
                f"grader {name!r}: {' and '.join(given)} belong to a `metric`, and a `grade_fn` is "
                "given none of them; write their values into the function, or name a `metric`"
            )
        if options is not None and not isinstance(options, MappingABC):
            raise TaskError(
                f"grader {name!r}: `options` must be a mapping of options to values, not "
                f"{options!r}"
            )
        self.name = name
        self.options = dict(options or {})
        self.schema = schema
        self.spec = spec
        self.skips_missing_truth = skips_missing_truth
        self._folder = folder
        self._direction = direction
        self._references = {"grade_fn": grade_fn, "inputs_fn": inputs_fn}
        self._metric_name = metric
        self._metric: Metric | None = None
        if grade_fn is not None and folder is None:
            self.grade_fn  # noqa: B018 - a reference that leads nowhere is told at once
        if metric is not None:
            self._check_metric()

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Grader:
        """Build a grader from the ``grader`` section of a config."""
        return cls.from_config(data)

    @classmethod
    def from_config(
        cls,
        section: Mapping[str, Any],
        folder: str | Path | None = None,
        schema: SubmissionSchema | None = None,
    ) -> Grader:
        """Build a grader from the ``grader`` section of a task's config.

        Parameters
        ----------
        section : mapping
            Keys ``name``, and ``grade_fn`` or ``metric`` with ``options`` and ``inputs_fn``;
            ``direction``, or ``is_lower_better``.
        folder : path, optional
            The task's folder.
        schema : SubmissionSchema, optional

        Raises
        ------
        TaskError
            If a key is unknown or the section contradicts itself.
        """
        values = dict(section)
        lower = values.pop("is_lower_better", None)
        direction = values.pop("direction", None)
        if lower is not None:
            stated = "minimize" if lower else "maximize"
            if direction not in (None, stated):
                raise TaskError("grader: `direction` and `is_lower_better` contradict each other")
            direction = stated
        known = ("name", "grade_fn", "metric", "options", "inputs_fn")
        if unknown := [key for key in values if key not in known]:
            raise TaskError(f"grader: unknown key(s) {unknown}; known: {list(known)} and direction")
        name = str(values.pop("name", None) or values.get("metric") or "grader")
        return cls(name, direction=direction, folder=folder, schema=schema, **values)

    def _check_metric(self) -> None:
        metric = self.required_metric
        try:
            metric.check_options(self.options)
        except ValueError as error:
            raise TaskError(f"grader {self.name!r}: {error}") from error
        if self._direction not in (None, metric.direction):
            raise TaskError(
                f"grader {self.name!r}: {metric.name} is to be {metric.direction}d, the config "
                f"says {self._direction}"
            )

    @property
    def metric(self) -> Metric | None:
        """The registered metric, or None where a function grades."""
        if self._metric is None and self._metric_name is not None:
            from biomlbench.metrics import UnknownMetricError, get_metric

            try:
                self._metric = get_metric(self._metric_name)
            except UnknownMetricError as error:
                raise TaskError(f"grader {self.name!r}: {error}") from error
        return self._metric

    @property
    def required_metric(self) -> Metric:
        """The registered metric, where the grader is known to be one."""
        if self.metric is None:
            raise TaskError(f"grader {self.name!r} is a function, not a metric")
        return self.metric

    def _function(self, key: str) -> Callable[..., Any] | None:
        reference = self._references[key]
        if reference is None:
            return None
        if isinstance(reference, str):
            function, name = load_function(reference, self._folder), reference
        else:
            function, name = reference, getattr(reference, "__qualname__", "")
        if told := contradiction(parameter_names(function), TABLES):
            where = f"{self._folder}/config.yaml: " if self._folder else ""
            raise TaskError(f"{where}`{key}` {name}: {told}; write them in this order")
        return function

    def check_functions(self) -> None:
        """Refuse functions that cannot be loaded, or are not called as their parameters say.

        Raises
        ------
        TaskError
        """
        if self.spec is None:
            for key in self._references:
                self.apart(key, partial(self._check_function, key))

    def _check_function(self, key: str) -> None:
        self._function(key)

    @property
    def grade_fn(self) -> Callable[..., Any]:
        """The grading function; for a metric, one that scores two tables with it."""
        if self.spec is not None:
            return self._score_in_process
        return self._function("grade_fn") or self._score_frames

    @property
    def has_function(self) -> bool:
        """Whether a function that is not this package's own takes part in grading, in-process."""
        return self.spec is None and any(
            reference is not None for reference in self._references.values()
        )

    @property
    def is_own(self) -> bool:
        """Whether a function that is not this package's own takes part in grading, anywhere."""
        return self.has_function or self.spec is not None

    @property
    def inputs_fn(self) -> Callable[..., Any] | None:
        """The function that makes the metric's inputs of the two tables, or None."""
        return self._function("inputs_fn")

    @property
    def inputs_name(self) -> str:
        """What `inputs_fn` is called in the config, or in its module."""
        reference = self._references["inputs_fn"]
        return str(getattr(reference, "__qualname__", reference))

    @property
    def direction(self) -> str | None:
        """``maximize`` or ``minimize`` as declared, by the metric or by its usual name."""
        if self._direction is not None:
            return self._direction
        if self._metric_name is not None:
            return self.required_metric.direction
        from biomlbench.metrics import UnknownMetricError, get_metric
        from biomlbench.metrics._published_names import PUBLISHED_NAMES

        try:
            return get_metric(PUBLISHED_NAMES.get(self.name.lower(), self.name)).direction
        except UnknownMetricError:
            return None

    def is_lower_better(self, leaderboard: pd.DataFrame) -> bool:
        """Return whether a lower score is better.

        Parameters
        ----------
        leaderboard : DataFrame
            Asked only where no direction is declared: its rows must then be in order, best
            first, from beginning to end.

        Raises
        ------
        TaskError
            If no direction is declared and the leaderboard shows none.
        """
        if self.direction:
            return self.direction == "minimize"
        from biomlbench.scoring.leaderboard import as_leaderboard, direction_of, in_memory
        from biomlbench.scoring.score_cells import parse_scores

        scores = parse_scores("leaderboard", in_memory(leaderboard, "leaderboard")["score"])
        as_leaderboard(scores)
        direction = direction_of(scores)
        if direction is None:
            raise TaskError(
                f"grader {self.name!r}: whether a lower score is better is not declared, and the "
                "leaderboard is in neither order; pass direction='minimize' or 'maximize'"
            )
        return direction == "minimize"

    def rank_score(self, score: float | None, leaderboard: pd.DataFrame) -> Ranked:
        """Rank a score; see :func:`biomlbench.scoring.medals.rank_score`."""
        from biomlbench.scoring.medals import rank_score

        lower = self.is_lower_better(leaderboard)
        return rank_score(score, leaderboard, "minimize" if lower else "maximize")

    def __call__(self, submission: Any, answers: Any) -> float | None:
        """Score a submission.

        Parameters
        ----------
        submission, answers : DataFrame
            Rows are matched by the first column of the submission, if the answers have it
            too and it tells the rows of both apart; a named index of pandas, of one level or
            several, becomes such columns, as for :func:`biomlbench.grade.grade_csv`. Without
            declared columns a metric compares
            the one column beside it that both have, or else the only one of each; which columns
            are meant must be plain. A function gets copies of both, all columns and missing
            values included: it has to refuse these itself, as by `InvalidSubmissionError`.
            :func:`biomlbench.grade.grade_csv` refuses them before the function is called.

        Returns
        -------
        float or None
            Unrounded; None for an invalid submission.

        Raises
        ------
        GraderError
            If the grading function fails for a reason of its own.
        TaskError, TypeError
            As :meth:`score`.
        """
        try:
            return self.score(submission, answers)
        except InvalidSubmissionError as error:
            logger.warning("Invalid submission: %s", error)
            return None

    def score(self, submission: Any, answers: Any) -> float:
        """Score a submission; as calling the grader, but an invalid one raises.

        Raises
        ------
        InvalidSubmissionError
            If the ids do not match, the function refuses the submission, the score is NaN or
            infinite, or a metric finds no column of predictions, or several; if both tables
            have no id in common, and the labels of their rows differ.
        TaskError
            If a metric finds no column of true values in the answers, or several, or refuses
            what it holds.
        GraderError
            If the grading function fails for a reason of its own, or returns no number.
        TypeError
            If a metric is given something else than two tables, as the path of a file.
        """
        is_metric = self._metric_name is not None
        submission, answers, schema = paired_tables(
            submission, answers, self.schema, only_tables=is_metric
        )
        by_row = is_metric and self._references["inputs_fn"] is None
        rows = matched(submission, answers, schema, by_row=by_row)
        if self.has_function:  # it may change what it gets
            rows, answers = deepcopy(rows), deepcopy(answers)
        grader = copy(self)
        grader.schema = schema
        return grader.run(rows, answers)

    def run(self, submission: Any, answers: Any) -> float:
        """Score tables whose rows are matched already; raises as :meth:`score`.

        A function of the task's own gets these very tables, and random states of its own.
        """
        submission, answers = as_frame(submission), as_frame(answers)
        return self.apart("grade_fn", partial(self._run, submission, answers))

    def _run(self, submission: Any, answers: Any) -> float:
        from biomlbench.metrics import MetricError

        function = self.grade_fn
        try:
            with fresh_random_states() if self.has_function else nullcontext():
                return finite_score(function(submission, answers), self.name)
        except (InvalidSubmissionError, TaskError, GraderError, KeyboardInterrupt):
            raise
        except MetricError as error:  # of a registered metric that the function calls
            from biomlbench.scoring.metric_faults import outcome_of

            where = f"{self._folder}: " if self._folder is not None else ""
            raise outcome_of(error, f"{where}grader {self.name!r}: ") from error
        except BaseException as error:
            if type(error).__name__ == "InvalidSubmissionError":
                raise InvalidSubmissionError(str(error)) from error
            told = f"grader {self.name!r} raised {words_of(error)}"
            raise function_error(told, error) from error

    def apart(self, key: str, call: Callable[[], _Value]) -> _Value:
        """Call what calls a function of the task's folder; see `biomlbench.runtime.apart`.

        Parameters
        ----------
        key : str
            ``grade_fn`` or ``inputs_fn``.
        call : callable

        Raises
        ------
        GraderError
            If the function ends its process, or takes too long.
        """
        reference, folder = self._references[key], self._folder
        if not isinstance(reference, str) or folder is None or is_built_in(folder):
            return call()
        import_libraries(reference, folder)
        try:
            return call_apart(call, WALL_S)
        except LostCallError as error:
            raise GraderError(
                f"grader {self.name!r}: `{key}` {reference} gave nothing, {error}; a function of a "
                f"task has {WALL_S:g} s, and must return or raise"
            ) from None

    def _score_in_process(self, submission: Any, answers: Any) -> float:
        """Score two tables with a function in a process of its own."""
        import tempfile
        from dataclasses import replace
        from pathlib import Path

        from biomlbench.grading.isolated import Rows, grade_isolated

        if self.spec is None:
            raise GraderError(f"grader {self.name!r} has no process of its own")
        rows = Rows([str(name) for name in submission.columns], len(submission), [], None)
        data = submission.to_csv(index=False).encode()
        with tempfile.TemporaryDirectory(prefix="biomlbench-answers-") as folder:
            path = Path(folder) / "answers.csv"
            answers.to_csv(path, index=False)
            return grade_isolated(replace(self.spec, answers=path), data, ".csv", rows)

    def _score_frames(self, submission: pd.DataFrame, answers: pd.DataFrame) -> float:
        from biomlbench.scoring.score import score_frames

        return score_frames(self, submission, answers)
