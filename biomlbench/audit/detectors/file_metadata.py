"""File metadata: sizes, times, folders, modes or metadata of test rows' files that tell the label.

Nothing is decoded: what a name, the file system and an image's header say is read, no pixel.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from biomlbench.audit.findings import Found
from biomlbench.audit.public_row_files import LEAST_ROWS, row_files
from biomlbench.outcomes import Gravity

from ._levels import LEAST_VALUES, UNLIKELY, strength

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from biomlbench.audit.public_row_files import RowFiles
    from biomlbench.audit.public_tables import PublicTable
    from biomlbench.audit.subject import Subject

ORDER = 72
SCORES = False
MEDAL = "whose files tell the answers"
FINDINGS = {
    "file-metadata-tells-label": "write the files anew, without metadata, in random order",
}
STRONG = 0.5
"""Purity, correlation or order from which on a column tells the label."""
NEARLY_PERFECT = 0.95
"""The same of sizes, which may follow what is in a file; of two classes, area under the curve."""
SEVERE = 0.95
LEAST_CLASS = 5
"""Rows of the second largest class below which tests of classes are not nearly right."""
EACH = 5
"""Rows for each class, and for each value of a text, at least."""
MAX_CLASSES = 20
MAX_TARGETS = 50
MAX_NAMED = 5


class _Told(NamedTuple):
    strength: float
    column: str
    target: str


def find(subject: Subject) -> Iterable[Found]:
    """Compare what is known of the files of test rows with the answers."""
    if subject.n < LEAST_ROWS:
        return
    for files in row_files(subject.task, _keys(subject)):
        told = sorted(_told(files, subject), reverse=True)
        if told:
            best = told[0]
            columns = list(dict.fromkeys(one.column for one in told if one.target == best.target))
            others = f"; so do {', '.join(columns[1:MAX_NAMED])}" if columns[1:] else ""
            yield Found(
                name="file-metadata-tells-label",
                severity=Gravity.SEVERE if best.strength > SEVERE else Gravity.MODERATE,
                what=f"{files.name}: {best.column} tells {best.target} "
                f"(strength {best.strength:.2f}, 0 to 1){others}",
            )


def _keys(subject: Subject) -> Iterator[list[str]]:
    """Yield the ids of the test rows, and columns of text of the public tables that have them."""
    for name in subject.ids:
        yield subject.sample[name].tolist()
    for table, rows in subject.tests:
        for column in table.columns:
            texts = table.text(column)[rows].astype(str).tolist()
            differ = len(set(texts)) >= LEAST_ROWS
            if differ and column not in subject.ids and not _has_numbers(table, column):
                yield texts


def _has_numbers(table: PublicTable, column: str) -> bool:
    return bool(np.isfinite(table.numbers(column)).any())


def _told(files: RowFiles, subject: Subject) -> Iterator[_Told]:
    for target, answers in list(subject.truths.items())[:MAX_TARGETS]:
        truth = answers[files.rows]
        there = np.asarray(pd.notna(truth))
        truth = truth[there]
        if len(truth) < LEAST_ROWS:
            continue
        codes, values = pd.factorize(truth)
        numeric = truth.dtype.kind == "f" and len(values) >= LEAST_VALUES
        if not numeric and not _are_classes(codes):
            continue
        for column in files.frame:
            found = files.frame[column].to_numpy()[there]
            along = (_follows if numeric else _separates)(found, truth if numeric else codes)
            least = NEARLY_PERFECT
            if column != "bytes":
                least = STRONG
            elif not numeric and len(values) == 2:
                least = 2 * NEARLY_PERFECT - 1
            if along >= least:
                yield _Told(along, str(column), target)


def _are_classes(codes: np.ndarray) -> bool:
    sizes = np.sort(np.bincount(codes))
    return 2 <= len(sizes) <= min(MAX_CLASSES, len(codes) // EACH) and sizes[-2] >= LEAST_CLASS


def _follows(found: np.ndarray, truth: np.ndarray) -> float:
    """Return how far numbers follow a column, 0 where that may be chance.

    Of numbers the rank correlation; of texts the correlation ratio of the ranks (the square root of
    the share of their variance that lies between the texts), with the test of Kruskal and Wallis.
    """
    from scipy.stats import kruskal, rankdata, spearmanr

    numbers = _numbers(found)
    if numbers is not None:
        there = np.isfinite(numbers)
        if there.sum() < LEAST_ROWS or len(np.unique(numbers[there])) < 2:
            return 0.0
        result = spearmanr(numbers[there], truth[there])
        return abs(float(result.statistic)) if result.pvalue < UNLIKELY else 0.0
    texts = _few(found)
    if texts is None:
        return 0.0
    ranks = pd.Series(rankdata(truth))
    groups = [part.to_numpy() for _, part in ranks.groupby(texts)]
    if kruskal(*groups).pvalue >= UNLIKELY:
        return 0.0
    between = sum(len(part) * (part.mean() - ranks.mean()) ** 2 for part in groups)
    return float((between / ((ranks - ranks.mean()) ** 2).sum()) ** 0.5)


def _separates(found: np.ndarray, codes: np.ndarray) -> float:
    """Return how far a column tells classes, 0 where that may be chance.

    By its values, where they are few, and by their order, where they are numbers; the larger.
    """
    numbers = _numbers(found)
    if numbers is None:
        return strength(found, codes)
    there = np.isfinite(numbers)
    numbers, codes = numbers[there], pd.factorize(codes[there])[0]
    if len(codes) < LEAST_ROWS or not _are_classes(codes):
        return 0.0
    return max(strength(numbers, codes), _order(numbers, codes))


def _order(numbers: np.ndarray, codes: np.ndarray) -> float:
    """Return how far numbers put the classes in an order, whichever: twice the area less one.

    Of more than two classes the mean over their pairs, weighted by their rows (after Hand and Till
    2001, each pair in its own direction), with the test of Kruskal and Wallis.
    """
    from scipy.stats import kruskal, mannwhitneyu

    if len(np.unique(numbers)) < 2:
        return 0.0
    groups = [numbers[codes == one] for one in range(codes.max() + 1)]
    if kruskal(*groups).pvalue >= UNLIKELY:
        return 0.0
    total = weights = 0.0
    for one, other in combinations(groups, 2):
        pairs = len(one) * len(other)
        area = mannwhitneyu(one, other, method="asymptotic").statistic / pairs
        total += pairs * abs(2 * area - 1)
        weights += pairs
    return total / weights


def _numbers(found: np.ndarray) -> np.ndarray | None:
    """Return a column as numbers; None where some value is none."""
    if found.dtype.kind == "f":
        return found
    numbers = pd.to_numeric(pd.Series(found), errors="coerce").to_numpy(float)
    return numbers if np.isfinite(numbers).all() else None


def _few(found: np.ndarray) -> np.ndarray | None:
    """Return a column's values as numbers; None where they are the same, or too many."""
    values = pd.factorize(found)[0]
    return values if 2 <= values.max() + 1 <= len(found) // EACH else None
