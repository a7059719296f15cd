"""Verification of a program by running it again on inputs that were changed in a known way."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from biomlbench.outcomes import Outcome, Reason, Severity, Suite
from biomlbench.submission.ids import Keys
from biomlbench.verify.policy import CheckOutcome
from biomlbench.verify.rerun_inputs import CHECKS, SEED, ChangedInputs, NotApplicable

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import pyarrow as pa

    from biomlbench.task.task import Task

__all__ = ["CHECKS", "RerunFailed", "judge", "wanted"]

RTOL, OF_LARGEST = 1e-6, 1e-9
"""Difference of two runs' predictions that writing them as text explains, as a share of the number
and of the largest one in its column."""
OF_SPREAD, NOISE = 1e-4, 1e-14
"""No more than this share of what a column's numbers differ by is nothing, however large they are,
as a score may hang on their order alone; but rounding errors are, as a share of a number."""
SHUFFLES = 200
"""Shuffles of the program's own predictions that show what chance gives."""
CHANCE_DEVIATIONS = 5.0
"""Standard deviations above chance from which on a score is no accident: p below 1e-6."""


class RerunFailed(RuntimeError):  # noqa: N818
    """A rerun gave no valid predictions; the message says why."""


class Rerun(Protocol):
    """Runs the program again, with some public files replaced, and reads its predictions.

    Raises :class:`RerunFailed` where there are none. The predictions need not have the ids of
    the task's sample submission, but those of the files that the program was given.
    """

    def __call__(self, files: Mapping[str, bytes]) -> pa.Table:
        """Run once."""


def wanted(task: Task) -> list[dict[str, bytes]]:
    """Return the changed inputs that the checks need a run on.

    Parameters
    ----------
    task : Task

    Returns
    -------
    list of dict
        Name of a public file to its changed content; empty for a run on the same files.
    """
    inputs = ChangedInputs(task)
    found = []
    for check in CHECKS:
        try:
            found += inputs.of(check)
        except NotApplicable:
            continue
    return found


def judge(task: Task, submission: pa.Table, rerun: Rerun) -> list[CheckOutcome]:
    """Verify a program by reruns.

    Parameters
    ----------
    task : Task
    submission : pyarrow.Table
        Predictions of the first run.
    rerun : Rerun
        Called with each of :func:`wanted`.

    Returns
    -------
    list of CheckOutcome
        One row for each of :data:`CHECKS`; one that does not fit the task's files (there is
        no ``test.csv`` or ``train.csv``) is an advisory, skipped row.
    """
    judged = _Judge(task, submission, rerun)
    return [
        judged.run(CHECKS[0], "property_based", Reason.NONDETERMINISTIC, judged.again),
        judged.run(CHECKS[1], "metamorphic", Reason.ROW_ORDER_DEPENDENCE, judged.permuted),
        judged.run(CHECKS[2], "metamorphic", Reason.TEST_SET_DEPENDENCE, judged.appended),
        judged.run(CHECKS[3], "metamorphic", Reason.LABEL_LEAKAGE, judged.shuffled),
    ]


class _LabelsUnused(Exception):  # noqa: N818
    """The program scores without having looked at the labels."""


class _Judge:
    def __init__(self, task: Task, submission: pa.Table, rerun: Rerun) -> None:
        self.task, self.rerun = task, rerun
        self.inputs = ChangedInputs(task)
        self.specs = self.inputs.sample.predictions
        self.first = self._by_id(submission)

    def run(self, check: str, mode: str, reason: Reason, look: Any) -> CheckOutcome:
        """Carry out one check and make its row."""
        row = CheckOutcome(
            *(check, Suite.ADVERSARIAL, mode, Severity.CRITICAL, Outcome.PASSED, Reason.OK, ""),
            weight=1.0,
            pattern=str(reason).replace("_", "-"),
        )
        try:
            message = look(*(self.rerun(files) for files in self.inputs.of(check)))
        except NotApplicable as error:
            return row._replace(
                severity=Severity.ADVISORY,
                outcome=Outcome.SKIPPED,
                reason=Reason.NOT_REACHED,
                message=str(error),
            )
        except RerunFailed as error:
            message = f"the rerun failed: {error}"
        except _LabelsUnused as error:
            row, message = row._replace(severity=Severity.ADVISORY), str(error)
        if message:
            return row._replace(outcome=Outcome.FAILED, reason=reason, message=message)
        return row

    def again(self, table: pa.Table) -> str:
        """Look at a run on the same files."""
        return self._differing(table, "the same input")

    def permuted(self, table: pa.Table) -> str:
        """Look at a run on reordered test rows."""
        return self._differing(table, "another order of the test rows")

    def appended(self, table: pa.Table) -> str:
        """Look at a run on more test rows."""
        (files,) = self.inputs.of(CHECKS[2])
        return self._differing(table, "five more test rows", self.inputs.others(files))

    def shuffled(self, *tables: pa.Table) -> str:
        """Look at runs on shuffled labels: the score must have fallen to chance in one."""
        if not all(self._above_chance(table) for table in tables):
            return ""
        if all(not self._differing(self._back(table), "shuffled labels") for table in tables):
            raise _LabelsUnused(
                "it scores far above chance without using the training labels: unsupervised "
                "work, or answers that it knew before"
            )
        return "trained on shuffled labels, it still scores far above chance"

    def _back(self, table: pa.Table) -> pa.Table:
        """Shift all predictions of a column by one number to where those of the first run are.

        An intercept that was taken from the labels says nothing of which row is which.
        """
        import pyarrow as pa

        second = self._by_id(table)
        kept = [key for key in self.first if key in second]
        for number, spec in enumerate(self.specs):
            pairs = [(self.first[key][number], second[key][number]) for key in kept]
            if not pairs or not all(_is_number(one) for pair in pairs for one in pair):
                continue
            shift = float(np.median([float(a) - float(b) for a, b in pairs]))
            place = table.column_names.index(spec.name)
            moved = [None if one is None else one + shift for one in table[spec.name].to_pylist()]
            table = table.set_column(place, spec.name, pa.array(moved))
        return table

    def _above_chance(self, table: pa.Table) -> bool:
        from biomlbench.scoring.score import score_submission
        from biomlbench.scoring.score_order import score_order

        score = score_submission(table, self.task).score
        if score is None:
            return False  # constant predictions, for instance: it has learnt nothing
        rng = np.random.default_rng(SEED)
        by_chance = [
            other
            for _ in range(SHUFFLES)
            if (other := score_submission(self._mixed(table, rng), self.task).score) is not None
        ]
        if len(by_chance) < SHUFFLES // 2:
            raise NotApplicable("shuffled predictions have no score")
        spread = float(np.std(by_chance))
        sign = 1 if self.task.direction == "maximize" else -1
        mean = float(np.mean(by_chance))
        order = score_order(self.task, (score, *by_chance))
        return order.better(score, mean) and sign * (score - mean) > CHANCE_DEVIATIONS * spread

    def _mixed(self, table: pa.Table, rng: np.random.Generator) -> pa.Table:
        """Give each row's predictions to another row."""
        order = rng.permutation(table.num_rows)
        for spec in self.specs:
            place = table.column_names.index(spec.name)
            table = table.set_column(place, spec.name, table.column(spec.name).take(order))
        return table

    def _by_id(self, table: pa.Table) -> dict[str, tuple[Any, ...]]:
        wanted = self.inputs.sample.keys
        keys = Keys.of(table, wanted.columns, wanted.kinds).values.to_pylist()
        columns = [table.column(spec.name).to_pylist() for spec in self.specs]
        return dict(zip(keys, zip(*columns, strict=True), strict=True))

    @cached_property
    def _allowed(self) -> list[tuple[float, float]]:
        """Differences, a column, that are nothing for any number, and the most for a large one."""
        columns = zip(*self.first.values(), strict=True)
        numbers = ([float(one) for one in column if _is_number(one)] for column in columns)
        found = []
        for column in map(np.array, numbers):
            largest = float(np.abs(column).max(initial=0.0))
            found.append((OF_LARGEST * largest, OF_SPREAD * _spread(column)))
        return found

    def _differing(self, table: pa.Table, what: str, but: Collection[Any] = ()) -> str:
        """Compare a rerun's predictions, by id, with those of the first run; some may differ."""
        try:
            second = self._by_id(table)
        except KeyError as error:
            return f"with {what} the predictions lack column {error}"
        lost = [key for key in self.first if key not in second]
        if lost:
            return f"with {what} {len(lost)} of {len(self.first)} rows have no prediction"
        kept = [key for key in self.first if key not in but]
        changed = sum(not _close(self.first[key], second[key], self._allowed) for key in kept)
        if changed:
            return f"with {what} {changed} of {len(kept)} predictions change"
        return ""


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)


def _spread(numbers: np.ndarray) -> float:
    """Return four times the narrowest width in which a quarter of different numbers lie.

    About the range of evenly spread ones. A few that lie far away, and how often one occurs, change
    nothing.

    Examples
    --------
    >>> _spread(np.arange(101.0))
    100.0
    >>> round(_spread(np.append(0.5 + 1e-8 * np.arange(100), 1e9)) * 1e8, 3)
    100.0
    """
    values = np.unique(numbers)
    if len(values):
        rounding = NOISE * np.maximum(np.abs(values[1:]), np.abs(values[:-1]))
        values = values[np.append(True, np.diff(values) > rounding)]
    if len(values) < 2:
        return 0.0
    step = max(1, len(values) // 4)
    return 4 * float((values[step:] - values[:-step]).min())


def _close(
    first: tuple[Any, ...], second: tuple[Any, ...], allowed: Sequence[tuple[float, float]]
) -> bool:
    for a, b, (nothing, most) in zip(first, second, allowed, strict=True):
        if isinstance(a, (int, float)) and isinstance(b, (int, float)):
            is_close = math.isclose(a, b, rel_tol=RTOL, abs_tol=nothing)
            is_near = math.isclose(a, b, rel_tol=NOISE, abs_tol=most)
            if not (a == b or (is_close and is_near)):
                return False
        elif a != b:
            return False
    return True
