"""Groups: test rows of patients, donors or animals of which training rows tell the label."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from biomlbench.audit.findings import Found
from biomlbench.audit.prediction_values import label
from biomlbench.outcomes import Gravity

from ._levels import UNLIKELY, are_classes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from biomlbench.audit.public_tables import PublicTable
    from biomlbench.audit.subject import Subject

ORDER = 73
SCORES = False
MEDAL = "whose test rows share groups with training rows"
FINDINGS = {
    "groups-across-split": "split by groups, so that no patient has rows on both sides, or say "
    "that test rows are of known ones",
}
LEAST_GROUPS = 10
"""Groups that both sides have, at least."""
LEAST_ROWS = 20
MOST_A_GROUP = 30
"""Rows of a group on average, beyond which it is a site or a class rather than a patient."""
STRONG = 0.5
SAME = 0.9
"""Share of pairs in a group with one label, from which a column of any name is one of groups."""
_NAMED = re.compile(
    r"patient|subject|donor|participant|person|individual|animal|mouse|mice|family|volunteer"
    r"|\bcase|twin|litter|owner|\bpid\b|\bmrn\b",
    re.IGNORECASE,
)


def find(subject: Subject) -> Iterable[Found]:
    """Predict each test row from the labelled rows of its group."""
    for test, rows in subject.tests:
        for train in subject.public:
            for target, truth in subject.truths.items():
                if train is not test and target in train.columns and target not in test.columns:
                    found = next(_shared(subject, test, rows, train, target, truth), None)
                    if found is not None:
                        yield found
                        return


def _shared(
    subject: Subject,
    test: PublicTable,
    rows: np.ndarray,
    train: PublicTable,
    target: str,
    truth: np.ndarray,
) -> Iterator[Found]:
    for column in subject.features(test):
        if column not in train.columns:
            continue
        asked, known = test.text(column)[rows].astype(str), train.text(column).astype(str)
        if not _may_be_groups(asked, known):
            continue
        labels = train.numbers(target) if truth.dtype.kind == "f" else train.text(target)
        there = np.isin(asked, known) & pd.notna(truth)
        named = _NAMED.search(column.replace("_", " "))
        if not named and np.isfinite(test.numbers(column)[rows]).all():
            continue  # whose neighbours have much the same labels
        strength = _told(asked[there], truth[there], known, labels)
        least = STRONG if named else 1 - 1e-9 if not are_classes(truth) else SAME
        if there.sum() >= LEAST_ROWS and strength >= least:
            count = len(set(asked[there].tolist()))
            yield Found(
                name="groups-across-split",
                severity=Gravity.MODERATE,
                what=f"{int(there.sum())} of {subject.n} test rows are of {count} values of "
                f"{column} that {train.name} has as well, whose labels there tell {target} "
                f"(strength {strength:.2f}, 0 to 1)",
            )


def _may_be_groups(asked: np.ndarray, known: np.ndarray) -> bool:
    """Whether values are names of which many have few rows each, on both sides."""
    values, counts = np.unique(np.concatenate([known, asked]), return_counts=True)
    if "." in "".join(values[:100].tolist()):
        numbers = pd.to_numeric(pd.Series(values), errors="coerce")
        if (numbers % 1 != 0).any() and numbers.notna().all():
            return False  # a measurement
    common = np.intersect1d(asked, known)
    return len(common) >= LEAST_GROUPS and 2 <= float(np.mean(counts)) <= MOST_A_GROUP


def _told(asked: np.ndarray, truth: np.ndarray, known: np.ndarray, labels: np.ndarray) -> float:
    """Return how much better the labels of a row's group are than those of all, 0 to 1.

    Zero where they are not clearly better than those of groups in another order.
    """
    if len(asked) < LEAST_ROWS:
        return 0.0
    found = _score(asked, truth, known, labels)
    rng = np.random.default_rng(0)
    names = np.unique(known)
    others = []
    for _ in range(20):
        turned = dict(zip(names.tolist(), rng.permutation(names).tolist(), strict=True))
        others.append(
            _score(np.array([turned[one] for one in asked.tolist()]), truth, known, labels)
        )
    spread = max(float(np.std(others)), 1e-9)
    from scipy.stats import norm

    return found if norm.sf((found - np.mean(others)) / spread) < UNLIKELY else 0.0


def _score(asked: np.ndarray, truth: np.ndarray, known: np.ndarray, labels: np.ndarray) -> float:
    if not are_classes(truth):
        means = pd.Series(labels.astype(float)).groupby(known).mean()
        guess = means.reindex(asked).to_numpy(float)
        left = float(np.nanmean((guess - truth) ** 2))
        return max(0.0, 1 - left / float(np.var(truth))) if np.var(truth) > 0 else 0.0
    wanted = pd.Series([label(value) for value in truth.tolist()])
    given = pd.Series([label(value) for value in labels.tolist()])
    common = given.groupby(known).agg(lambda values: values.mode().iloc[0])
    right = float((common.reindex(asked).to_numpy() == wanted.to_numpy()).mean())
    most = float(wanted.value_counts(normalize=True).iloc[0])
    return max(0.0, (right - most) / (1 - most)) if most < 1 else 0.0
