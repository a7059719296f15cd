"""Values: what is no honest prediction, and is accepted, changed, or crashes the grader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.outcomes import Gravity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pandas as pd

    from biomlbench.audit.findings import Found
    from biomlbench.audit.subject import Subject
    from biomlbench.contracts.mappings import Arguments

ORDER = 40
SCORES = True
MEDAL = "whose score rises with values that are no predictions"
FINDINGS = {
    "values-dropped": "refuse missing and infinite predictions, instead of leaving their rows out",
    "values-accepted": "refuse missing, infinite and textual predictions of numbers",
    "crash-on-values": "refuse values that cannot be scored as an invalid submission, not by an "
    "exception",
    "crash-oracle": "refuse a value in any row alike: which rows crash says which are graded",
    "beats-perfect": "bound the score, so that no submission is better than the answers",
    "unnormalised": "normalise probabilities, or refuse those that do not sum to one",
    "one-part-suffices": "average over all rows or classes, those without a prediction included",
}
COVERED_BY = {"unnormalised": "probabilities-sum-to-one"}
HUGE = 1e300
LARGE = 1e6
PROBED_ROWS = 12
NEARLY = 0.9


def find(subject: Subject) -> Iterable[Found]:
    """Put values into the wrong rows that no honest model writes."""
    yield from subject.part(_odd(subject))
    yield from subject.part(_oracle(subject))
    yield from subject.part(_beyond(subject))
    yield from subject.part(_parts(subject))
    yield from subject.part(_scaled(subject))


def _odd_values(subject: Subject) -> Arguments:
    """Return the values that are refused of a sound task, by what they are called."""
    blank = any(_has_blank(subject.sample[name].to_numpy()) for name in subject.names)
    blank = blank or any(_has_blank(truth) for truth in subject.truths.values())
    if not all(spec.numeric for spec in subject.specs):
        return {} if blank else {"an empty text": ""}  # else it may mean something
    values: Arguments = {} if blank else {"missing": np.nan, "an empty text": ""}
    return {**values, "infinity": np.inf, "minus infinity": -np.inf, "text": "n/a?",
            "a text of NaN": "nan"}  # fmt: skip


def _has_blank(values: np.ndarray) -> bool:
    return any(isinstance(value, str) and not value.strip() for value in values.tolist())


def _filled(subject: Subject, value: Any, rows: np.ndarray) -> pd.DataFrame:
    frame = subject.mixed.copy()
    for name in subject.names:
        column = frame[name].astype(object).to_numpy().copy()
        column[rows] = value
        frame[name] = column
    return frame


def _odd(subject: Subject) -> Iterator[Found]:
    accepted, crashed, dropped = {}, {}, False
    for what, value in _odd_values(subject).items():
        frame = _filled(subject, value, subject.wrong)
        outcome = subject.doors.alone(frame)
        if subject.raises(outcome, subject.start) and _like_dropped(subject, outcome.score):
            if not dropped:
                yield subject.exploit(
                    "values-dropped",
                    Gravity.SEVERE,
                    f"{what} in the wrong rows raises the score",
                    frame,
                )
            dropped = True
        elif outcome.kind == "score":
            accepted[what] = frame
        elif outcome.kind == "crash":
            crashed[what] = frame
    if not all(spec.numeric for spec in subject.specs):
        accepted = {}  # an empty label is a wrong one
    for name, frames in (("values-accepted", accepted), ("crash-on-values", crashed)):
        if frames:
            verb = "accepted" if name == "values-accepted" else "crash the grader"
            frame = next(iter(frames.values()))
            yield subject.accepted(name, Gravity.MINOR, f"{verb}: {', '.join(frames)}", frame)


def _like_dropped(subject: Subject, score: float | None) -> bool:
    """Whether a score is more than halfway from the half-right one to the perfect one."""
    return subject.gain(score) > (1 + subject.gain(subject.start)) / 2


def _oracle(subject: Subject) -> Iterator[Found]:
    if not all(spec.numeric for spec in subject.specs):
        return
    rows = np.unique(np.linspace(0, subject.n - 1, PROBED_ROWS).astype(int))
    kinds = {}
    for row in rows:
        frame = _filled(subject, "n/a?", np.array([row]))
        kinds[row] = subject.doors.alone(frame).kind
    if len(set(kinds.values())) > 1:
        row = next(row for row, kind in kinds.items() if kind == "crash") if (
            "crash" in kinds.values()) else rows[0]  # fmt: skip
        yield subject.accepted(
            "crash-oracle", Gravity.MODERATE,
            f"text in one row is {' or '.join(sorted(set(kinds.values())))}, depending on the row",
            _filled(subject, "n/a?", np.array([row])),
        )  # fmt: skip


def _beyond(subject: Subject) -> Iterator[Found]:
    """Look for a submission that is better than the answers."""
    if not all(spec.numeric for spec in subject.specs):
        return
    best = _best_possible(subject)
    truth = [subject.perfect[name].to_numpy(float) for name in subject.names]
    tries = {
        "the answers times a million": [LARGE * one for one in truth],
        "the answers times minus a million": [-LARGE * one for one in truth],
        "the answers squared": [np.sign(one) * one**2 for one in truth],
        "huge values": [np.full(subject.n, HUGE)] * len(truth),
        "hugely negative values": [np.full(subject.n, -HUGE)] * len(truth),
        "large values": [np.full(subject.n, LARGE)] * len(truth),
        "large negative values": [np.full(subject.n, -LARGE)] * len(truth),
        "zeros": [np.zeros(subject.n)] * len(truth),
        "tiny values": [np.full(subject.n, 1e-300)] * len(truth),
    }
    for what, values in tries.items():
        frame = subject.with_values(values)
        if subject.raises(subject.doors.alone(frame), best):
            yield subject.exploit(
                "beats-perfect",
                Gravity.SEVERE,
                f"{what} are better than the answers themselves ({best:.6g})",
                frame,
                best,
            )
            return


def _best_possible(subject: Subject) -> float:
    """Return the best score there can be: the metric's, or that of the answers."""
    metric = subject.task.metric
    if metric is not None and metric.best is not None and np.isfinite(metric.best):
        return float(metric.best)
    return subject.best


def _parts(subject: Subject) -> Iterator[Found]:
    """Have one class, or one row, exactly right and nothing else."""
    if not all(spec.numeric for spec in subject.specs):
        return
    truth = next(iter(subject.truths.values()))
    classes = np.unique(truth) if truth.dtype.kind == "f" else np.array([])
    masks = {"one row": np.arange(subject.n) == int(np.argmax(_size(subject)))}
    if 2 < len(classes) <= subject.n // 5:
        masks |= {f"the class {value:g}": truth == value for value in classes if value}
    for what, mask in masks.items():
        if mask.mean() > 1 / 3:
            continue
        values = [np.where(mask, subject.perfect[n].to_numpy(float), 0.0) for n in subject.names]
        rest = [np.where(mask, 0.0, one) for one in values]
        frame, empty = subject.with_values(values), subject.with_values(rest)
        gain = subject.gain(subject.doors.alone(frame).score)
        if gain > NEARLY and gain - subject.gain(subject.doors.alone(empty).score) > NEARLY / 2:
            yield subject.exploit("one-part-suffices", Gravity.SEVERE,
                                  f"{what} right and zero elsewhere is nearly perfect",
                                  frame, subject.chance)  # fmt: skip
            return


def _size(subject: Subject) -> np.ndarray:
    total = np.zeros(subject.n)
    for name in subject.names:
        total += np.abs(subject.perfect[name].to_numpy(float))
    return total


def _scaled(subject: Subject) -> Iterator[Found]:
    """Scale the rows of probabilities of several classes."""
    if len(subject.names) < 2 or not all(spec.numeric for spec in subject.specs):
        return
    rows = subject.mixed[subject.names].to_numpy(float)
    if (rows < 0).any() or not np.allclose(rows.sum(axis=1), 1):
        return
    flat = 0.6 * rows + 0.4 / rows.shape[1]
    before = subject.doors.alone(subject.with_values(list(flat.T))).score
    for factor in (10.0, LARGE):
        frame = subject.with_values(list(factor * flat.T))
        outcome = subject.doors.alone(frame)
        if before is not None and subject.raises(outcome, before):
            yield subject.exploit("unnormalised", Gravity.SEVERE,
                                  f"probabilities times {factor:g} raise the score",
                                  frame, before)  # fmt: skip
            return
