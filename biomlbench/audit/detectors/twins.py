"""Twins: test rows that are training rows but for a little, or written otherwise."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from biomlbench.audit.findings import Found
from biomlbench.audit.prediction_values import label
from biomlbench.outcomes import Gravity

from ._known_rows import FEW, WHOLE
from ._near_rows import PROBES, Twins, is_text, near_rows
from ._near_texts import near_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from biomlbench.audit.public_tables import PublicTable
    from biomlbench.audit.subject import Subject

ORDER = 71
SCORES = False
MEDAL = "whose test rows are training rows but for a little"
FINDINGS = {
    "near-duplicates-across-split": "split by groups of near duplicates: replicates, reverse "
    "complements, equal molecules"
}
LEAST_ROWS = 20
LEAST_TWINS = 8
MANY = 0.1
"""Share of the test rows below which twins are a minor fault."""
OFTENER = 2.0
"""Times the share of training rows that have a twin among the others: so often data repeat."""
UNLIKELY = 1e-6
"""Probability of labels that agree so often by chance."""
BY_CHANCE = 1e-3
"""Probability that so many more test rows than training rows have a twin by chance."""
NEAREST = 0.1
"""Share of the training labels that are the nearest to an answer."""
SAME_NUMBER = 0.01
"""Standard deviations of the answers within which numbers are the same."""


class Agreed(NamedTuple):
    """How the labels of twins agree: which are the same, and the probability by chance."""

    same: np.ndarray
    chance: float
    numbers: bool


def find(subject: Subject) -> Iterable[Found]:
    """Compare the test rows with the training rows."""
    yield from subject.part(_worst(subject))


def _worst(subject: Subject) -> Iterator[Found]:
    found = [(share, one) for test in subject.public if test.own_key is not None
             for train in subject.public if train is not test
             for share, one in _between(subject, test, train)]  # fmt: skip
    if found:
        yield max(found, key=lambda one: one[0])[1]


def _between(
    subject: Subject, test: PublicTable, train: PublicTable
) -> Iterator[tuple[float, Found]]:
    """Yield findings of two tables, with the share of the test rows."""
    targets = [name for name in subject.truths if name in train.columns]
    shared = [name for name in subject.features(test) if name in train.columns]
    if not targets or not shared or len(train.frame) < LEAST_ROWS:
        return
    # The same random numbers for each pair of tables, so that no other table changes a finding.
    rng = subject.rng(71)
    assert test.own_key is not None
    asked = np.flatnonzero(test.own_key >= 0)
    asked = np.sort(rng.permutation(asked)[:PROBES])
    here = test.frame[shared].iloc[test.own_key[asked]].reset_index(drop=True)
    for where, twins in _ways(here, train.frame[shared], rng):
        if (one := _judged(subject, test, train, targets, asked, where, twins)) is not None:
            yield one


def _ways(
    here: pd.DataFrame, there: pd.DataFrame, rng: np.random.Generator
) -> Iterator[tuple[str, Twins]]:
    """Yield each way in which rows are compared: where, and what it finds."""
    texts = [name for name in here if is_text(there[name])]
    found = near_rows(here, there, rng)
    if found is not None:
        yield "", found
    for name in texts:
        asked, known = (side[name].fillna("").astype(str).to_numpy(object)
                        for side in (here, there))  # fmt: skip
        yield f"by {name}: ", near_texts(asked, known, rng)


def _judged(
    subject: Subject,
    test: PublicTable,
    train: PublicTable,
    targets: list[str],
    asked: np.ndarray,
    where: str,
    twins: Twins,
) -> tuple[float, Found] | None:
    has = twins.rows >= 0
    share = float(has.mean())
    if has.sum() < LEAST_TWINS or share < FEW or not _of_the_split(twins):
        return None
    pairs = asked[twins.asked[has]], twins.rows[has]
    agreed = [_agreed(subject.truths[name], train, name, *pairs) for name in targets]
    if min(one.chance for one in agreed) * len(agreed) >= UNLIKELY:
        return None
    same = np.all([one.same for one in agreed], axis=0)
    known = share * float(same.mean())
    severity = (
        Gravity.SEVERE if known >= WHOLE else Gravity.MODERATE if share >= MANY else Gravity.MINOR
    )
    to = f" to {SAME_NUMBER:.0%} of its standard deviation" if agreed[0].numbers else ""
    how = Counter(twins.how[has].tolist()).most_common(1)[0][0]
    return share, Found(
        name="near-duplicates-across-split",
        severity=severity,
        what=f"{share:.0%} of the rows of {test.name} are rows of {train.name} but for a little "
        f"({where}{how}); of them {same.mean():.0%} have the same label{to}",
    )


def _of_the_split(twins: Twins) -> bool:
    """Whether more test rows have twins than training rows have among themselves."""
    from scipy.stats import fisher_exact

    count, asked = int((twins.rows >= 0).sum()), len(twins.rows)
    if count / asked <= OFTENER * twins.among / twins.probes:
        return False
    table = np.array([[count, asked - count], [twins.among, twins.probes - twins.among]])
    return bool(fisher_exact(table, alternative="greater").pvalue < BY_CHANCE)


def _few(truth: np.ndarray) -> bool:
    """Whether numbers are those of classes."""
    return len(np.unique(truth[np.isfinite(truth)])) <= len(truth) // 5


def _agreed(
    truth: np.ndarray, train: PublicTable, target: str, tested: np.ndarray, rows: np.ndarray
) -> Agreed:
    """Compare the answers of test rows with the labels of their twins.

    Notes
    -----
    A label agrees that is equal, or of numbers among the tenth of the training labels that are the
    nearest to the answer. Chance is the tail of a binomial distribution of as many labels drawn
    from the training data.
    """
    from scipy.stats import binom

    wanted, numbers = truth[tested], truth.dtype.kind == "f" and not _few(truth)
    if truth.dtype.kind != "f":
        known = np.array([label(value) for value in train.text(target).tolist()], object)
        there = np.array([value not in ("", None) for value in wanted.tolist()])
        same = known[rows] == wanted.astype(object)
        chances = pd.Series(known).value_counts(normalize=True).reindex(wanted).fillna(0.0)
        hits, by_chance = same, chances.to_numpy(float)
    else:
        known = train.numbers(target)
        all_known = known[np.isfinite(known)]
        there = np.isfinite(wanted) & np.isfinite(known[rows])
        apart = np.abs(known[rows] - wanted)
        same = apart <= SAME_NUMBER * np.nanstd(truth)
        hits, by_chance = np.zeros(len(wanted), bool), np.zeros(len(wanted))
        for number in np.flatnonzero(there):
            all_apart = np.abs(all_known - wanted[number])
            limit = np.quantile(all_apart, NEAREST, method="lower")
            hits[number] = apart[number] <= limit
            by_chance[number] = (all_apart <= limit).mean()
    count = int(there.sum())
    if not count:
        return Agreed(same & there, 1.0, numbers)
    chance = float(binom.sf(hits[there].sum() - 1, count, min(1.0, by_chance[there].mean())))
    return Agreed(same & there, chance, numbers)
