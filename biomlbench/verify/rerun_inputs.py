"""Public files of a task that are changed in a known way, for a program to be run on again."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections import defaultdict
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.submission.submitted_file import file_sha256
from biomlbench.verify.csv_style import written_alike
from biomlbench.verify.id_forms import ids_like, put_among

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from biomlbench.task.task import Task

__all__ = ["CHECKS", "SEED", "ChangedInputs", "NotApplicable"]

CHECKS = ("rerun-agrees", "permuted-test-rows", "appended-test-rows", "shuffled-labels")
TEST, TRAIN = "test.csv", "train.csv"
APPENDED_ROWS = 5
"""New test rows, and most that change under their ids."""
SEED = 20_240_602
_DIGITS = 28
"""Of a whole number that is an id: by more, Decimal cannot be divided."""
_DECIMAL = re.compile(r"-?[0-9]*\.[0-9]+(e[+-]?[0-9]+)?", re.IGNORECASE)
_Files = dict[str, list[list[str]]]


class NotApplicable(Exception):  # noqa: N818
    """The task's files do not allow the check."""


class ChangedInputs:
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
        rng = np.random.default_rng([SEED, self._secret])
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
        """Return the id of each row below the header."""
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
        then, now = (
            self._by_id(rows)
            for rows in (_read(self.task.public_dir / TEST), _rows_of(files[TEST]))
        )
        return {key for key, rows in then.items() if sorted(now[key]) != sorted(rows)}

    def _by_id(self, rows: list[list[str]]) -> dict[Any, list[list[str]]]:
        """Return the rows of each id, of which one may have several, as visits of a patient."""
        found = defaultdict[Any, list[list[str]]](list)
        for key, row in zip(self._ids_in(rows), rows[1:], strict=True):
            found[key].append(row)
        return found

    def _ids_of_training(self) -> list[str]:
        try:
            rows = _read(self.task.public_dir / TRAIN)
            column = self._column(rows[0], self.ids[0])
        except NotApplicable:
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
            raise NotApplicable(f"{TRAIN} has no column of the declared targets")
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
        if len(self.ids) != 1:
            raise NotApplicable("the rows have no single id column")
        if sample.suffix != ".csv":
            raise NotApplicable(f"{sample.name} is no plain CSV file")
        return {TEST: _read(self.task.public_dir / TEST), sample.name: _read(sample)}

    def _column(self, names: list[str], name: str) -> int:
        if name not in names:
            raise NotApplicable(f"there is no id column `{name}`")
        return names.index(name)

    def _as_bytes(self, files: _Files) -> dict[str, bytes]:
        sample = self.task.sample_submission
        places = {sample.name: sample}
        return {
            name: written_alike(rows, places.get(name, self.task.public_dir / name).read_bytes())
            for name, rows in files.items()
        }


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


def _read(path: Path) -> list[list[str]]:
    """Read a public CSV file as text, so that no value changes on the way."""
    if not path.is_file():
        raise NotApplicable(f"the task has no {path.name}")
    try:
        rows = _rows_of(path.read_bytes())
    except (UnicodeDecodeError, csv.Error) as error:
        raise NotApplicable(f"{path.name} is no plain CSV file in UTF-8: {error}") from error
    if len(rows) < 3:
        raise NotApplicable(f"{path.name} has fewer than two rows")
    return rows


def _rows_of(data: bytes) -> list[list[str]]:
    return [row for row in csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")) if row]
