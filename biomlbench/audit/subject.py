"""A task under audit: its tables, and the submissions that detectors start from."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.errors import TaskError
from biomlbench.scoring.score_order import ScoreOrder, score_order
from biomlbench.submission.answers import answers_of
from biomlbench.submission.own_tables import own_table
from biomlbench.submission.sample import has_rows, sample_of

from .doors import Doors, Outcome
from .findings import Found
from .prediction_values import class_of, exchanged, filled, informs, label, row_texts
from .public_tables import PublicTable, in_words, read_public

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import pandas as pd

    from biomlbench.outcomes import Gravity
    from biomlbench.submission.answers import Answers
    from biomlbench.task.submission_columns import ColumnSpec
    from biomlbench.task.task import Task

__all__ = ["MATTERS", "NotAuditableError", "Subject"]

MATTERS = 0.02
"""Share of the way from chance to the perfect score by which a gain counts."""
_SEED = 20250707
_SHUFFLES = 20


class NotAuditableError(TaskError):
    """The task has no table of predictions and answers that an audit could vary."""


class Subject:
    """A task under audit.

    Parameters
    ----------
    task : Task
        With its data prepared.
    pandas_env : path, optional
        Virtual environment that has another version of pandas.

    Attributes
    ----------
    task : Task
    doors : Doors
    pandas_env : path or None
    not_tried : list of str
        What detectors had no means to try.
    ids : tuple of str
    specs : tuple of ColumnSpec
        The prediction columns.
    sample : DataFrame
        The sample submission as text.
    faults : list of str
        Which parts of the detector at work did not come to their end, and why.
    answers : DataFrame
        In the order of the sample, read as grading reads them: columns of numbers as float, others
        as text.

    Raises
    ------
    NotAuditableError
        If its submissions are no tables, or no submission made of the answers has a score.
    """

    def __init__(self, task: Task, pandas_env: Path | None = None) -> None:
        if task.is_card or not has_rows(task):
            raise NotAuditableError("only tables of predictions can be audited")
        known = sample_of(task)
        self.task, self.doors = task, Doors(task)
        self.pandas_env, self.not_tried = pandas_env, list[str]()
        self.ids, self.specs = known.keys.columns, known.predictions
        self.sample = own_table(task.sample_submission).to_pandas()
        self.faults = list[str]()
        self.answers = _as_graded(answers_of(task))

    def part(self, found: Iterable[Found], where: str = "") -> Iterator[Found]:
        """Yield what a part of a detector finds; its fault ends that part alone.

        Parameters
        ----------
        found : iterable of Found
            Generator of the part.
        where : str
            What the part looks at, for the message.
        """
        try:
            yield from found
        except TaskError:
            raise
        except Exception as error:
            place = where and f" at {where}"
            self.faults.append(f"the detector raised {type(error).__name__}{place}: {error}")

    @property
    def n(self) -> int:
        """Number of test rows."""
        return len(self.sample)

    @property
    def names(self) -> list[str]:
        """The prediction columns' names."""
        return [spec.name for spec in self.specs]

    def rng(self, *salt: int) -> np.random.Generator:
        """Return random numbers that are the same in every audit."""
        return np.random.default_rng([_SEED, *salt])

    def spec(self, name: str) -> ColumnSpec:
        """Return a prediction column's specification."""
        return next(spec for spec in self.specs if spec.name == name)

    def with_values(self, values: Any) -> pd.DataFrame:
        """Return a submission with one array of values, or one for each prediction column."""
        frame: pd.DataFrame = self.sample.copy()
        for number, name in enumerate(self.names):
            frame[name] = values[number] if isinstance(values, list) else values
        return frame

    @cached_property
    def truths(self) -> dict[str, np.ndarray]:
        """The answers' columns that hold the truth, float or text."""
        names = self.task.submission.targets
        if not names or any(name not in self.answers for name in names):
            names = tuple(name for name in self.names if name in self.answers)
        if not names:
            others = tuple(name for name in self.answers if name not in self.ids)
            names = tuple(name for name in others if informs(self.answers[name])) or others
        return {name: self.answers[name].to_numpy() for name in names}

    @cached_property
    def perfect(self) -> pd.DataFrame:
        """The best submission that can be made of the answers."""
        best: tuple[float, pd.DataFrame] | None = None
        plain = ScoreOrder(self.task.direction)  # the scale is that of what is found here
        said = "the answers have no column beside the id"
        for frame in self._made_of_answers():
            outcome = self.doors.alone(frame)
            if outcome.score is None:
                said = outcome.told
            elif best is None or plain.better(outcome.score, best[0]):
                best = outcome.score, frame
        if best is None:
            raise NotAuditableError(f"no submission made of the answers has a score ({said})")
        return best[1]

    def _made_of_answers(self) -> Iterator[pd.DataFrame]:
        truths = [filled(truth) for truth in self.truths.values()]
        numeric = all(spec.numeric for spec in self.specs)
        if self.task.gold_submission.is_file():
            gold = own_table(self.task.gold_submission).to_pandas()
            if set(gold) == set(self.sample) and self._same_ids(gold):
                yield gold[list(self.sample)]
        if len(truths) == len(self.specs):
            yield self.with_values(truths)
            # A risk is high where a time is short; what has the answer's name is the answer.
            opposite = list(self.truths) != self.names
            if opposite and numeric and all(truth.dtype.kind == "f" for truth in truths):
                yield self.with_values([-truth for truth in truths])
            return
        for name, truth in zip(self.truths, truths, strict=True):
            labels = {label(value) for value in truth.tolist()}
            if len(self.names) > 1 and labels <= {class_of(one, name) for one in self.names}:
                hits = [[label(v) == class_of(one, name) for v in truth] for one in self.names]
                yield self.with_values([np.array(hit, float) for hit in hits])
            if numeric == (truth.dtype.kind == "f"):
                yield self.with_values(truth)
                if numeric:
                    yield self.with_values(-truth)

    def _same_ids(self, frame: pd.DataFrame) -> bool:
        ids = list(self.ids)
        return frame[ids].reset_index(drop=True).equals(self.sample[ids])

    def unknown_ids(self, count: int) -> dict[str, list[str]]:
        """Return ids of the kind of the task's own, that no row has."""
        texts = self.sample[self.ids[0]]
        if texts.str.fullmatch(r"\d{1,12}").all():
            first = int(texts.astype(int).max()) + 1000
            values = [str(first + i) for i in range(count)]
        else:
            values = [f"unknown-{i}" for i in range(count)]
        return dict.fromkeys(self.ids, values)

    @cached_property
    def wrong(self) -> np.ndarray:
        """Which half of the rows :attr:`mixed` has wrong."""
        rows = self.rng(1).permutation(self.n)[: self.n // 2]
        mask = np.zeros(self.n, bool)
        mask[rows] = True
        return mask

    @cached_property
    def mixed(self) -> pd.DataFrame:
        """The perfect submission with half of its rows made wrong."""
        return self.spoilt(self.wrong)

    def spoilt(self, rows: np.ndarray) -> pd.DataFrame:
        """Return the perfect submission with the predictions of some rows exchanged."""
        frame = self.perfect.copy()
        source = exchanged(row_texts(frame[self.names]), np.flatnonzero(rows), self.rng(2))
        for name in self.names:
            frame[name] = frame[name].to_numpy()[source]
        return frame

    def blurred(self, share: float) -> pd.DataFrame:
        """Return the perfect submission, each number moved that share of the way to another row's.

        Its errors are spread over all rows, and no value leaves the range of the answers.
        """
        frame, other = self.perfect.copy(), self.shuffled(0)
        for name in self.names:
            own, others = (one[name].to_numpy(float) for one in (self.perfect, other))
            frame[name] = (1 - share) * own + share * others
        return frame

    def shuffled(self, number: int) -> pd.DataFrame:
        """Return the perfect submission with all predictions in a wrong order."""
        order = self.rng(3, number).permutation(self.n)
        frame = self.perfect.copy()
        for name in self.names:
            frame[name] = frame[name].to_numpy()[order]
        return frame

    def with_right(self, frame: pd.DataFrame, rows: np.ndarray) -> pd.DataFrame:
        """Return a submission with the predictions of some rows from the perfect one."""
        made = frame.copy()
        for name in self.names:
            made[name] = made[name].where(~rows, self.perfect[name])
        return made

    @cached_property
    def uninformed(self) -> list[tuple[float, pd.DataFrame]]:
        """Submissions that need no knowledge of any row, with their scores, the best first.

        The mean of the answers, the most frequent one, and the answers in the wrong order whose
        score is nearest to :attr:`chance`; those among them that have a score.
        """
        perfect = [self.perfect[name] for name in self.names]
        frames = [self.with_values([column.mode().iloc[0] for column in perfect])]
        if all(spec.numeric for spec in self.specs):
            frames.append(self.with_values([column.astype(float).mean() for column in perfect]))
        orders = [self.shuffled(i) for i in range(_SHUFFLES)]
        gaps = [abs(s - self.chance) if (s := self.doors.alone(one).score) is not None else np.inf
                for one in orders]  # fmt: skip
        frames.append(orders[int(np.argmin(gaps))])
        found = [(s, one) for one in frames if (s := self.doors.alone(one).score) is not None]
        return sorted(found, key=lambda one: one[0], reverse=self.task.direction == "maximize")

    @cached_property
    def best(self) -> float:
        """Score of :attr:`perfect`."""
        return _score_of(self.doors.alone(self.perfect))

    @cached_property
    def by_chance(self) -> np.ndarray:
        """Scores of the answers in wrong orders."""
        found = [self.doors.alone(self.shuffled(i)).score for i in range(_SHUFFLES)]
        return np.array([score for score in found if score is not None], float)

    @cached_property
    def chance(self) -> float:
        """Median of :attr:`by_chance`; the perfect score where there is none."""
        return float(np.median(self.by_chance)) if len(self.by_chance) else self.best

    @cached_property
    def start(self) -> float:
        """Score of :attr:`mixed`."""
        outcome = self.doors.alone(self.mixed)
        return self.best if outcome.score is None else outcome.score

    @property
    def reads_predictions(self) -> bool:
        """Whether better predictions have a better score."""
        return self.better(self.best, self.chance) and self.better(self.best, self.start)

    @cached_property
    def _order(self) -> ScoreOrder:
        """How scores compare, on the scale from chance and the sample submission to perfect."""
        sample = self.doors.alone(self.sample).score
        return score_order(self.task, (self.best, sample, *self.by_chance.tolist()))

    def better(self, one: float, other: float) -> bool:
        """Whether a score is better than another, beyond rounding."""
        return self._order.better(one, other)

    def same(self, one: float | None, other: float | None) -> bool:
        """Whether two scores differ by rounding only."""
        return one is not None and other is not None and self._order.same(one, other)

    def gain(self, score: float | None) -> float:
        """Return how far a score is from chance (0) to perfect (1); below 0 without one."""
        if score is None or not self.better(self.best, self.chance):
            return -1.0
        return (score - self.chance) / (self.best - self.chance)

    def raises(self, outcome: Outcome, before: float) -> bool:
        """Whether a submission scores so much better than another that it counts."""
        return outcome.score is not None and self.gain(outcome.score) - self.gain(before) > MATTERS

    def exploit(
        self,
        name: str,
        severity: Gravity,
        what: str,
        frame: pd.DataFrame,
        before: float | None = None,
    ) -> Found:
        """Return a finding that a submission shows, with what grading here makes of it.

        It is open where grading here gives that submission at least half of the gain that it has
        by the grader alone.
        """
        start = self.start if before is None else before
        outcome, here = self.doors.alone(frame), self.doors.here(frame)
        return Found(
            name=name,
            severity=severity,
            what=what,
            before=start,
            after=outcome.score,
            submission=frame,
            here=here.words,
            open=self._gained(here, start) > max(MATTERS, self._gained(outcome, start) / 2),
        )

    def _gained(self, outcome: Outcome, before: float) -> float:
        score = outcome.score
        return 0.0 if score is None else self.gain(score) - self.gain(before)

    def accepted(self, name: str, severity: Gravity, what: str, frame: pd.DataFrame) -> Found:
        """Return a finding of a submission that should have been refused; open where it is not."""
        outcome, here = self.doors.alone(frame), self.doors.here(frame)
        return Found(
            name=name,
            severity=severity,
            what=what,
            before=self.start,
            after=outcome.score,
            submission=frame,
            here=here.words,
            open=here.kind == outcome.kind,
        )

    @cached_property
    def public(self) -> tuple[PublicTable, ...]:
        """Tables among the public files, but for the sample submission."""
        unread: list[Path] = []
        found = tuple(read_public(self.task, self.sample[list(self.ids)], unread))
        if unread:
            self.not_tried.append(
                f"public files that are no tables, nor a little text: {in_words(unread)}"
            )
        return found

    @property
    def tests(self) -> Iterator[tuple[PublicTable, np.ndarray]]:
        """Public tables that have all test rows, with the row of each."""
        for table in self.public:
            rows = table.own_key
            if rows is not None and (rows >= 0).all():
                yield table, rows

    def features(self, table: PublicTable) -> list[str]:
        """Return a table's columns that are neither ids nor targets nor predictions."""
        own = {*self.ids, *self.truths, *self.names}
        return [column for column in table.columns if column not in own]


def _as_graded(answers: Answers) -> Any:
    """Return answers in the order of the sample, with columns of numbers where grading has them.

    A metric takes the targets from the table, a function all from :attr:`Answers.frame`. A missing
    text is an empty one.
    """
    frame = answers.table.to_pandas()
    graded, grader = answers.frame, answers.task.grader
    as_they_are = {*answers.paired, *answers.sample.keys.columns}
    if answers.task.metric is not None and grader.inputs_fn is None:
        as_they_are |= set(answers.targets)
    for name in frame.columns.difference(list(as_they_are)):
        column = graded[name].reset_index(drop=True)
        if column.dtype.kind in "iuf":
            frame[name] = column.astype(float)
        elif frame[name].dtype.kind == "f":
            frame[name] = own_table(answers.task.answers).column(name).to_pandas()
    if answers.order is not None:
        frame = frame.take(np.argsort(answers.order)).reset_index(drop=True)
    return frame


def _score_of(outcome: Outcome) -> float:
    if outcome.score is None:
        raise NotAuditableError(f"the answers themselves have no score ({outcome.told})")
    return outcome.score
