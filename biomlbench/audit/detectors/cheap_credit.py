"""Cheap credit: what constants, priors, copied columns and the nearest neighbour earn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from biomlbench.audit.findings import Found
from biomlbench.outcomes import Gravity
from biomlbench.scoring.award import award
from biomlbench.scoring.effective_task import EffectiveTask

from ._neighbours import neighbours

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from biomlbench.audit.subject import Subject

ORDER = 50
SCORES = True
MEDAL = "that credits what takes no work"
FINDINGS = {
    "medal-without-work": "choose a leaderboard of better work, or a metric that gives no credit "
    "for it",
    "credit-without-work": "choose a metric under which it has the score of chance",
    "nearest-neighbour": "split by similarity, so that a look-up in the training data is not all",
}
NEARLY = 0.95
"""Share of the way from chance to the perfect score that is as good as solved."""
WHOLLY = 0.999
BLUR = 0.1
"""Share of the mean in a cautious guess."""
BLURRED = 5
MAX_COLUMNS = 60
MAX_LABELS = 50
_COPY = ("a copy of", "the negative of")
_SEVERITY = {"gold": Gravity.MODERATE, "silver": Gravity.MINOR, "bronze": Gravity.NOTE}


def find(subject: Subject) -> Iterable[Found]:
    """Score submissions that take no work, and see what medals they earn."""
    best: dict[bool, tuple[float, str, pd.DataFrame]] = {}
    for what, frame in _cheap(subject):
        score, copied = subject.doors.here(frame).score, what.startswith(_COPY)
        if score is not None and (copied not in best or subject.better(score, best[copied][0])):
            best[copied] = score, what, frame
    found: list[Found] = []
    for copied in sorted(best):
        found = found or list(subject.part(_judged(subject, *best[copied])))
    yield from found
    yield from subject.part(_neighbour(subject))


def _judged(subject: Subject, score: float, what: str, frame: pd.DataFrame) -> Iterator[Found]:
    result = award(EffectiveTask(subject.task), score, subject.task.direction)
    if result.error is None and result.any_medal:
        yield Found(
            name="medal-without-work",
            severity=_SEVERITY[result.medal],
            what=f"{what}: earns {result.medal}",
            before=subject.chance,
            after=score,
            submission=frame,
            here=f"{score:.6g}",
        )
    elif subject.gain(score) >= NEARLY and _blurred_gain(subject, score) >= NEARLY:
        yield Found(
            name="credit-without-work",
            severity=Gravity.NOTE if _honest(what, subject.gain(score)) else Gravity.MODERATE,
            what=f"{what}: {subject.gain(score):.0%} of the way from chance to the answers",
            before=subject.chance,
            after=score,
            submission=frame,
            here=f"{score:.6g}",
        )


def _honest(what: str, gain: float) -> bool:
    """Whether a feature is near the answers, but not all of them: as a series' last value is."""
    return what.startswith(_COPY) and gain < WHOLLY


def _blurred_gain(subject: Subject, score: float) -> float:
    """Return a score's gain over cautious guesses.

    Sure guesses in a wrong order are far below chance under a metric that punishes being sure
    without a bound, as log loss does, so that a constant would look nearly perfect.
    """
    if not all(spec.numeric for spec in subject.specs):
        return 1.0
    found = []
    for number in range(BLURRED):
        frame = subject.shuffled(number)
        values = [frame[name].to_numpy(float) for name in subject.names]
        cautious = [(1 - BLUR) * one + BLUR * one.mean() for one in values]
        outcome = subject.doors.alone(subject.with_values(cautious))
        if outcome.score is not None:
            found.append(outcome.score)
    if not found:
        return 1.0
    chance = float(np.median(found))
    if not subject.better(subject.best, chance):
        return 1.0
    return (score - chance) / (subject.best - chance)


def _cheap(subject: Subject) -> Iterator[tuple[str, pd.DataFrame]]:
    yield "the sample submission", subject.sample
    if all(spec.numeric for spec in subject.specs):
        for value in (0.0, 0.5, 1.0):
            yield f"{value:g} everywhere", subject.with_values(value)
        means = [np.full(subject.n, subject.perfect[name].to_numpy(float).mean())
                 for name in subject.names]  # fmt: skip
        yield "the mean of the answers everywhere", subject.with_values(means)
        rows = np.arange(subject.n, dtype=float)
        for sign in (1, -1):
            yield (
                f"the {'' if sign > 0 else 'negative '}number of the row",
                subject.with_values(sign * (rows + 1)),
            )
        yield from _copies(subject)
    else:
        common = [subject.perfect[name].astype(str).mode().iloc[0] for name in subject.names]
        yield (
            "the most frequent answer everywhere",
            subject.with_values([np.full(subject.n, value, object) for value in common]),
        )
        labels = [sorted(set(subject.perfect[name].astype(str))) for name in subject.names]
        if all(len(some) <= MAX_LABELS for some in labels):
            every = [np.full(subject.n, " ".join(some), object) for some in labels]
            yield "all answers there are, in each row", subject.with_values(every)


def _copies(subject: Subject) -> Iterator[tuple[str, pd.DataFrame]]:
    """Copy each public column of numbers of the test rows, as it is and negated."""
    count = 0
    for table, rows in subject.tests:
        for column in table.columns:
            if column in subject.ids or column in subject.truths or count >= MAX_COLUMNS:
                continue
            values = table.numbers(column)[rows]
            if np.isfinite(values).all() and np.ptp(values) > 0:
                count += 1
                yield f"{_COPY[0]} {table.name}:{column}", subject.with_values(values)
                yield f"{_COPY[1]} {table.name}:{column}", subject.with_values(-values)


def _neighbour(subject: Subject) -> Iterator[Found]:
    """Give each test row the label of the nearest training row."""
    if len(subject.names) != 1 or len(subject.truths) != 1:
        return
    ((target, _),) = subject.truths.items()
    for test, rows in subject.tests:
        if target in test.frame:
            continue
        for train in subject.public:
            if target not in train.frame or train is test:
                continue
            asked = test.frame.iloc[rows].reset_index(drop=True)
            for how, nearest in neighbours(asked, train.frame, subject.ids):
                labels = train.text(target)[nearest]
                frame = subject.with_values(
                    pd.to_numeric(pd.Series(labels), errors="coerce").to_numpy()
                    if subject.specs[0].numeric else labels)  # fmt: skip
                outcome = subject.doors.here(frame)
                if subject.gain(outcome.score) >= NEARLY:
                    yield Found(
                        name="nearest-neighbour",
                        severity=Gravity.MINOR,
                        what=f"labels of the nearest rows of {train.name}, by {how}, are "
                        f"{subject.gain(outcome.score):.0%} of the way from chance to the answers",
                        before=subject.chance,
                        after=outcome.score,
                        submission=frame,
                        here=outcome.words,
                    )
                    return
