"""Submissions of a given score whose errors are spread over the rows as in honest work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from biomlbench.audit.subject import Subject

__all__ = ["of_score"]

HALVINGS = 12
DISTANCE = 12.0
"""Between two classes that are told apart in every row, in standard deviations of what tells."""
SHIFT = 0.5
"""Largest shift of a mask, in heights and widths of the image."""
_OF_NUMBERS = ("regression", "ranking", "survival", "structure")
"""Kinds of metrics of predictions that are more or less wrong, not right or wrong."""
_OF_CHANCES = ("probabilities", "binary")


def of_score(subject: Subject, score: float) -> pd.DataFrame:
    """Return a submission that has about that score.

    An interval depends on how the errors are spread: a few large ones make it several times as
    wide as many small ones. Numbers are all a little wrong, probabilities those of a model whose
    scores of two classes overlap, masks all shifted, and classes wrong in some rows.

    Parameters
    ----------
    subject : Subject
    score : float
    """
    make = _maker(subject)
    if make is None or subject.doors.alone(make(0.5)).score is None:
        order = subject.rng(8).permutation(subject.n).argsort()

        def make(wrong: float) -> pd.DataFrame:
            return subject.spoilt(order < round(wrong * subject.n))

    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        frame = make((low + high) / 2)
        found = subject.doors.alone(frame).score
        if found is not None and subject.better(found, score):
            low = (low + high) / 2
        else:
            high = (low + high) / 2
    return frame


def _maker(subject: Subject) -> Callable[[float], pd.DataFrame] | None:
    """Return what makes submissions from nearly right (0) to useless (1); None for none."""
    kind = "" if subject.task.metric is None else subject.task.metric.kind
    if all(spec.numeric for spec in subject.specs):
        if kind in _OF_NUMBERS:
            return subject.blurred
        hits = _hits(subject) if kind in _OF_CHANCES else None
        if hits is not None:
            return lambda wrong: _likely(subject, hits, DISTANCE * (1 - wrong))
    if all(spec.type == "rle" and spec.height and spec.width for spec in subject.specs):
        return lambda wrong: _shifted(subject, SHIFT * wrong)
    return None


def _hits(subject: Subject) -> np.ndarray | None:
    """Return where the answers have each column's class; None where they are no classes."""
    values = subject.perfect[subject.names].to_numpy(float)
    low, high = values.min(axis=0), values.max(axis=0)
    if not (low < high).all() or not ((values == low) | (values == high)).all():
        return None
    hits = values == high
    return hits if hits.shape[1] == 1 or (hits.sum(axis=1) == 1).all() else None


def _likely(subject: Subject, hits: np.ndarray, distance: float) -> pd.DataFrame:
    """Return what a model says that sees each row's class through normal noise, and knows it.

    The scores of two classes are normal and lie that many standard deviations apart; the
    probabilities are those that follow from them, so that many rows are a little wrong, and few
    much.
    """
    from scipy.stats import norm

    (n, k), rng = hits.shape, subject.rng(9)
    single = k == 1
    noise = np.empty((n, k))
    for row in np.unique(hits, axis=0):
        same = np.flatnonzero((hits == row).all(axis=1))
        # of each class evenly spaced quantiles, so that no interval depends on what was drawn
        even = norm.ppf((np.arange(len(same)) + 0.5) / len(same))
        noise[same] = np.column_stack([rng.permutation(even) for _ in range(k)])
    # distances between corners of a simplex are the square root of two times its coordinates
    scale = distance if single else distance / 2**0.5
    share = hits.mean(axis=0)
    if single:
        seen = scale * (hits - 0.5) + noise
        logits = scale * seen + np.log(share / (1 - share))
        chances = 1 / (1 + np.exp(-np.clip(logits, -700, 700)))
    else:
        logits = scale * (scale * hits + noise) + np.log(share)
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
    return subject.with_values(list(chances.T))


def _shifted(subject: Subject, size: float) -> pd.DataFrame:
    """Return the perfect submission with each mask shifted as far, in directions of their own."""
    from biomlbench.metrics.rle import rle_decode, rle_encode

    frame, rng = subject.perfect.copy(), subject.rng(10)
    for spec in subject.specs:
        shape = (int(spec.height or 0), int(spec.width or 0))

        def shifted(cell: str, shape: tuple[int, int] = shape) -> str:
            taken, codes = np.zeros(shape, bool), []
            for code in cell.split(";"):  # of instances, with a semicolon between them
                turn = 2 * np.pi * rng.random()
                steps = size * np.array(shape) * (np.sin(turn), np.cos(turn))
                mask = np.roll(rle_decode(code, shape), np.rint(steps).astype(int), (0, 1)) & ~taken
                taken |= mask
                codes.append(rle_encode(mask))
            return ";".join(codes)

        frame[spec.name] = [shifted(cell) for cell in frame[spec.name]]
    return frame
