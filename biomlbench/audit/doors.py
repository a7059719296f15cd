"""The two ways in which a submission is scored: by the grader alone, and by grading here."""

from __future__ import annotations

import contextlib
import hashlib
import io
import logging
import warnings
from dataclasses import replace
from functools import cached_property
from textwrap import shorten
from typing import TYPE_CHECKING, NamedTuple

from biomlbench.errors import GraderError, InvalidSubmissionError, TaskError
from biomlbench.outcomes import Fault
from biomlbench.scoring.score import score_submission
from biomlbench.submission.answers import answers_of
from biomlbench.submission.csv_table import MISSING
from biomlbench.submission.sample import has_rows, sample_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pandas as pd

    from biomlbench.grading import GraderSpec
    from biomlbench.task.task import Task

__all__ = ["Doors", "Outcome", "as_csv", "captured", "submitted_frame"]

SCORE, INVALID, CRASH = "score", "invalid", "crash"
_MAX_WORDS = 160


class Outcome(NamedTuple):
    """What becomes of a submission.

    Attributes
    ----------
    kind : str
        ``score``, ``invalid`` or ``crash``.
    score : float or None
    message : str
    printed : str
        What the grader wrote to standard output.
    """

    kind: str
    score: float | None = None
    message: str = ""
    printed: str = ""

    @property
    def words(self) -> str:
        """Say it in short."""
        if self.score is not None:
            return f"{self.score:.6g}"
        return shorten(self.told, _MAX_WORDS, placeholder=" ...")

    @property
    def told(self) -> str:
        """Say in full why there is no score."""
        return f"{self.kind}: {self.message}"


def as_csv(frame: pd.DataFrame) -> bytes:
    """Return a submission as the file that an agent would write."""
    return frame.to_csv(index=False).encode()


class Doors:
    """Scores submissions to one task, each content once.

    Parameters
    ----------
    task : Task
    python : path, optional
        Virtual environment whose interpreter runs the task's function; by default that which the
        task names, or our own.
    """

    def __init__(self, task: Task, python: Path | None = None) -> None:
        self.task, self.python = task, python
        self._kept: dict[tuple[str, bytes], Outcome] = {}

    @cached_property
    def grader(self) -> str:
        """What scores: ``metric``, ``function`` or ``published``."""
        if self._spec is not None:
            return "published"
        return "function" if self.task.metric is None else "metric"

    @property
    def function(self) -> str:
        """What the task's author calls, as ``module:function``; empty where that is a metric."""
        return "" if self.grader == "metric" else str(self.task.config["grader"]["grade_fn"])

    @cached_property
    def _spec(self) -> GraderSpec | None:
        """The published grader as it is, also where a metric of ours takes its place."""
        task = self.task
        published = task.published is not None and "grade_fn" in task.config["grader"]
        if self.python is not None or (published and task.metric is not None):
            from biomlbench.suites.graders import published_code

            spec = published_code(task)
            return spec if self.python is None else replace(spec, python=self.python)
        return task.grader.spec

    @property
    def tried(self) -> int:
        """Different submissions that were scored."""
        return len({digest for _, digest in self._kept})

    @property
    def outcomes(self) -> Iterator[Outcome]:
        """Everything that was seen."""
        yield from self._kept.values()

    def alone(self, frame: pd.DataFrame, *, again: bool = False) -> Outcome:
        """Score by the task's grader as its author wrote it, with nothing before it.

        A metric of this package has no grader of its own: there it is :meth:`here`.

        Parameters
        ----------
        frame : DataFrame
        again : bool
            Ask anew, whatever is known.
        """
        if self.grader == "metric":
            return self.here(frame, again=again)
        return self._outcome("alone", as_csv(frame), again=again)

    def here(self, frame: pd.DataFrame, *, again: bool = False) -> Outcome:
        """Score as the workflow, the command line and the API do."""
        return self._outcome("here", as_csv(frame), again=again)

    def file_alone(self, data: bytes) -> Outcome:
        """Score a submitted file, as :meth:`alone` does."""
        return self._here(data) if self.grader == "metric" else self._alone(data)

    def _outcome(self, door: str, data: bytes, *, again: bool) -> Outcome:
        key = door, hashlib.sha256(data).digest()
        if again or key not in self._kept:
            self._kept[key] = self._alone(data) if door == "alone" else self._here(data)
        return self._kept[key]

    def _here(self, data: bytes) -> Outcome:
        with captured() as printed:
            result = score_submission(data, self.task)
        said = printed.getvalue()
        if result.valid:
            return Outcome(SCORE, result.score, printed=said)
        fault = result.fault == Fault.SUBMISSION
        return Outcome(INVALID if fault else CRASH, None, result.message, said)

    def _alone(self, data: bytes) -> Outcome:
        with captured() as printed:
            try:
                score = self._graded(data)
            except InvalidSubmissionError as error:
                return Outcome(INVALID, None, error.message, printed.getvalue())
            except (GraderError, TaskError, ValueError) as error:
                return Outcome(CRASH, None, str(error), printed.getvalue())
        return Outcome(SCORE, score, printed=printed.getvalue())

    def _graded(self, data: bytes) -> float:
        import pandas as pd

        spec, suffix = self._spec, self.task.sample_submission.suffix.lower()
        table = has_rows(self.task)
        frame = submitted_frame(self.task, data) if table else pd.DataFrame()
        if spec is None:
            return self.task.grader.run(frame, answers_of(self.task).frame.copy())
        from biomlbench.grading.isolated import Rows, grade_isolated
        from biomlbench.suites.graders import hub_answers

        rows = Rows([str(name) for name in frame.columns], len(frame), [], None)
        return grade_isolated(
            spec,
            data,
            ".csv" if table else suffix,
            rows if table else None,
            hub_answers(self.task),
        )


def submitted_frame(task: Task, data: bytes) -> pd.DataFrame:
    """Read a submission, sound or not, as a grading function gets it: its text columns as text."""
    import pandas as pd

    kinds = sample_of(task).columns
    return pd.read_csv(
        io.BytesIO(data),
        dtype={name: "str" for name, kind in kinds.items() if kind == "text"},
        keep_default_na=False,
        na_values={name: list(MISSING) for name, kind in kinds.items() if kind != "text"},
    )


@contextlib.contextmanager
def captured() -> Iterator[io.StringIO]:
    """Keep what a grader prints; warnings and logged crashes are part of an audit, and left out."""
    said = io.StringIO()
    held = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with contextlib.redirect_stdout(said), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield said
    finally:
        logging.disable(held)
