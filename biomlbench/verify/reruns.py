"""Verification of a program by running it again on inputs that were changed in a known way."""

from __future__ import annotations

import csv
import hashlib
import io
import math
import re
from collections import defaultdict
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from biomlbench.outcomes import Outcome, Reason, Severity, Suite
from biomlbench.submission.ids import Keys
from biomlbench.submission.submitted_file import file_sha256
from biomlbench.verify.csv_style import written_alike
from biomlbench.verify.id_forms import ids_like, put_among
from biomlbench.verify.policy import CheckOutcome

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from biomlbench.task.task import Task

__all__ = ["CHECKS", "RerunFailed", "judge", "wanted"]

TEST, TRAIN = "test.csv", "train.csv"
RTOL, OF_LARGEST = 1e-6, 1e-9
"""Difference of two runs' predictions that writing them as text explains, as a share of the number
and of the largest one in its column."""
OF_SPREAD, NOISE = 1e-4, 1e-14
"""No more than this share of what a column's numbers differ by is nothing, however large they are,
as a score may hang on their order alone; but rounding errors are, as a share of a number."""
APPENDED_ROWS = 5
"""New test rows, and most that change under their ids."""
SHUFFLES = 200
"""Shuffles of the program's own predictions that show what chance gives."""
CHANCE_DEVIATIONS = 5.0
"""Standard deviations above chance from which on a score is no accident: p below 1e-6."""
_DIGITS = 28
"""Of a whole number that is an id: by more, Decimal cannot be divided."""
_SEED = 20_240_602
_DECIMAL = re.compile(r"-?[0-9]*\.[0-9]+(e[+-]?[0-9]+)?", re.IGNORECASE)
_Files = dict[str, list[list[str]]]

CHECKS = ("rerun-agrees", "permuted-test-rows", "appended-test-rows", "shuffled-labels")


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
    inputs = _Inputs(task)
    found = []
    for check in CHECKS:
        try:
            found += inputs.of(check)
        except _NotApplicable:
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


class _NotApplicable(Exception):  # noqa: N818
    """The task's files do not allow the check."""


class _LabelsUnused(Exception):  # noqa: N818
    """The program scores without having looked at the labels."""


class _Inputs:
    """The changed public files that each check needs; the same ones whenever it is asked."""

    def __init__(self, task: Task) -> None:
        from biomlbench.submission.sample import sample_of

        self.task = task
        self.sample = sample_of(task)
        self.ids = list(self.sample.keys.columns)
        # What no program sees goes into what is drawn, so that none can draw the same.
        digest = hashlib.sha256(file_sha256(task.answers).encode()).digest()
        self._secret = int.from_bytes(digest[:8], "little")

    def of(self, check: str) -> list[dict[str, bytes]]:
        """Return what a check's runs are given."""
        make = dict(zip(CHECKS, (self._same, self._permuted, self._appended, self._shuffled),
                        strict=True))  # fmt: skip
        rng = np.random.default_rng([_SEED, self._secret])
        return [self._as_bytes(files) for files in make[check](rng)]

    def _same(self, rng: np.random.Generator) -> list[_Files]:
        return [{}]

    def _permuted(self, rng: np.random.Generator) -> list[_Files]:
        """Put the test rows, and those of the sample submission, into another order.

        Into one and the same where row i of one belongs to row i of the other.
        """
        files = self._test_files()
        order, shared = None, self._rows_belong_together(files)
        for name, rows in files.items():
            if order is None or not shared:
                order = rng.permutation(len(rows) - 1)
            files[name] = [rows[0], *(rows[1 + i] for i in order)]
        return [files]

    def _rows_belong_together(self, files: _Files) -> bool:
        """Whether test rows and those of the sample submission are as many, in one order."""
        test, sample = files[TEST], files[self.task.sample_submission.name]
        name = self.ids[0]
        if len(test) != len(sample) or name not in sample[0]:
            return False
        if name not in test[0]:
            return True
        return self._ids_in(test) == self._ids_in(sample)

    def _ids_in(self, rows: list[list[str]]) -> list[Any]:
        place = self._column(rows[0], self.ids[0])
        return [self.key(row[place]) for row in rows[1:]]

    def _appended(self, rng: np.random.Generator) -> list[_Files]:
        """Add rows under new ids, and give some ids the values of others: see :meth:`others`."""
        files = self._test_files()
        names, rows = files[TEST][0], files[TEST][1:]
        column = self._column(names, self.ids[0])
        sample = files[self.task.sample_submission.name]
        place = self._column(sample[0], self.ids[0])
        ids = [row[column] for row in rows]
        shared = self._rows_belong_together(files)
        fresh = ids_like(ids, {*ids, *self._ids_of_training()}, APPENDED_ROWS, rng, self.key)
        extra = [self._mixture(rows, column, new_id, rng) for new_id in fresh]
        for i in self._replaced(len(rows), rng):
            rows[i] = self._mixture(rows, column, ids[i], rng)
        more = []
        for new_id in fresh:
            more.append(list(sample[1 + int(rng.integers(len(sample) - 1))]))
            more[-1][place] = new_id
        if shared:
            old, new = (
                list(zip(*both, strict=True)) for both in ((rows, sample[1:]), (extra, more))
            )
            pairs = put_among(old, new, lambda pair: pair[0][column], rng)
            rows, among = ([pair[k] for pair in pairs] for k in (0, 1))
        else:
            rows = put_among(rows, extra, lambda row: row[column], rng)
            among = put_among(sample[1:], more, lambda row: row[place], rng)
        files[TEST] = [names, *rows]
        files[self.task.sample_submission.name] = [sample[0], *among]
        return [files]

    def _replaced(self, number: int, rng: np.random.Generator) -> list[int]:
        return list(rng.permutation(number)[: min(APPENDED_ROWS, number // 4)])

    def _mixture(
        self, rows: list[list[str]], column: int, new_id: str, rng: np.random.Generator
    ) -> list[str]:
        """Make a row of one whose decimal numbers are partly those of another one."""
        one, other = (rows[int(i)] for i in rng.integers(0, len(rows), 2))
        row = [
            theirs if rng.random() < 0.5 and _are_decimal(own, theirs) else own
            for own, theirs in zip(one, other, strict=True)
        ]
        row[column] = new_id
        return row

    def others(self, files: Mapping[str, bytes]) -> set[Any]:
        """Return the ids of which a run's files changed the values of a test row."""
        before = _read(self.task.public_dir / TEST)
        column = self._column(before[0], self.ids[0])
        then, now = (self._by_key(rows, column) for rows in (before, _rows_of(files[TEST])))
        return {key for key, rows in then.items() if sorted(now[key]) != sorted(rows)}

    def _by_key(self, rows: list[list[str]], column: int) -> dict[Any, list[list[str]]]:
        """Return the rows of each id, of which one may have several, as visits of a patient."""
        found = defaultdict[Any, list[list[str]]](list)
        for row in rows[1:]:
            found[self.key(row[column])].append(row)
        return found

    def _ids_of_training(self) -> list[str]:
        try:
            rows = _read(self.task.public_dir / TRAIN)
            column = self._column(rows[0], self.ids[0])
        except _NotApplicable:
            return []
        return [row[column] for row in rows[1:] if len(row) > column]

    def key(self, text: str) -> Any:
        """Return an id as predictions are told apart by."""
        if self.sample.keys.kinds[0] != "integer":
            return text
        try:
            number = Decimal(text)
        except InvalidOperation:
            return text  # other files may have other ids
        is_whole = number.is_finite() and number.adjusted() < _DIGITS and number % 1 == 0
        return int(number) if is_whole else text

    def _shuffled(self, rng: np.random.Generator) -> list[_Files]:
        """Shuffle the labels of the training rows, and once more with their order reversed.

        One shuffle is not enough: labels without meaning may by chance point along a direction
        in which the data differ, and give a score far from chance, to either side. Mirrored
        labels point the other way, so work that has learnt from the labels alone cannot be
        above chance in both runs.
        """
        rows = _read(self.task.public_dir / TRAIN)
        targets = [name for name in self.task.submission.targets if name in rows[0]]
        if not targets:
            raise _NotApplicable(f"{TRAIN} has no column of the declared targets")
        order = rng.permutation(len(rows) - 1)
        once, mirrored = [list(row) for row in rows], [list(row) for row in rows]
        for name in targets:
            place = rows[0].index(name)
            labels = [rows[1 + i][place] for i in order]
            for number, (one, other) in enumerate(
                zip(labels, _mirrored(labels, rng), strict=True), start=1
            ):
                once[number][place], mirrored[number][place] = one, other
        return [{TRAIN: once}, {TRAIN: mirrored}]

    def _test_files(self) -> _Files:
        sample = self.task.sample_submission
        if len(self.ids) != 1 or sample.suffix != ".csv":
            raise _NotApplicable("the rows have no single id column")
        return {TEST: _read(self.task.public_dir / TEST), sample.name: _read(sample)}

    def _column(self, names: list[str], name: str) -> int:
        if name not in names:
            raise _NotApplicable(f"there is no id column `{name}`")
        return names.index(name)

    def _as_bytes(self, files: _Files) -> dict[str, bytes]:
        sample = self.task.sample_submission
        places = {sample.name: sample}
        return {
            name: written_alike(rows, places.get(name, self.task.public_dir / name).read_bytes())
            for name, rows in files.items()
        }


class _Judge:
    def __init__(self, task: Task, submission: pa.Table, rerun: Rerun) -> None:
        self.task, self.rerun = task, rerun
        self.inputs = _Inputs(task)
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
        except _NotApplicable as error:
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
        if all(not self._differing(table, "shuffled labels") for table in tables):
            raise _LabelsUnused(
                "it scores far above chance without using the training labels: unsupervised "
                "work, or answers that it knew before"
            )
        return "trained on shuffled labels, it still scores far above chance"

    def _above_chance(self, table: pa.Table) -> bool:
        from biomlbench.scoring.score import score_submission
        from biomlbench.scoring.score_order import score_order

        score = score_submission(table, self.task).score
        if score is None:
            return False  # constant predictions, for instance: it has learnt nothing
        rng = np.random.default_rng(_SEED)
        by_chance = [
            other
            for _ in range(SHUFFLES)
            if (other := score_submission(self._mixed(table, rng), self.task).score) is not None
        ]
        if len(by_chance) < SHUFFLES // 2:
            raise _NotApplicable("shuffled predictions have no score")
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


def _mirrored(labels: list[str], rng: np.random.Generator) -> list[str]:
    """Return numbers with their order reversed; of other labels another shuffle."""
    try:
        values = np.array([float(label) for label in labels])
    except ValueError:
        return [labels[i] for i in rng.permutation(len(labels))]
    low, high = values.min(), values.max()
    whole = np.array_equal(values, np.round(values))
    mirror = (low + high - values).tolist()
    return [str(round(value)) if whole else repr(value) for value in mirror]


def _are_decimal(*values: str) -> bool:
    return all(map(_DECIMAL.fullmatch, values))


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


def _read(path: Path) -> list[list[str]]:
    """Read a public CSV file as text, so that no value changes on the way."""
    if not path.is_file():
        raise _NotApplicable(f"the task has no {path.name}")
    try:
        rows = _rows_of(path.read_bytes())
    except (UnicodeDecodeError, csv.Error) as error:
        raise _NotApplicable(f"{path.name} is no plain CSV file in UTF-8: {error}") from error
    if len(rows) < 3:
        raise _NotApplicable(f"{path.name} has fewer than two rows")
    return rows


def _rows_of(data: bytes) -> list[list[str]]:
    return [row for row in csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")) if row]
