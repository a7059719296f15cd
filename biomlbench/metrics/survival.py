"""Agreement of risk with censored survival times: Harrell's concordance index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from biomlbench.outcomes import Fault

from ._base import metric
from ._errors import MetricError
from ._inputs import Floats, check_varied, numbers
from ._order import Ties, inversions, merge_levels
from ._resample import Scorer, safe_divide

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["concordance_index"]


def _times_events(y_true: Any) -> tuple[Floats, NDArray[np.bool_]]:
    values = numbers(y_true, Fault.TASK, ndim=(2,))
    if values.shape[1] != 2:
        raise MetricError("shape_mismatch", "the truth has two columns: time and event", Fault.TASK)
    if len(values) == 0:
        raise MetricError("empty", "there are no rows to score", Fault.TASK)
    if not np.isin(values[:, 1], (0.0, 1.0)).all():
        raise MetricError("not_labels", "the event column holds 0 (censored) and 1", Fault.TASK)
    if (values[:, 0] < 0).any():
        raise MetricError("negative_time", "a survival time is below 0", Fault.TASK)
    return values[:, 0], values[:, 1] == 1.0


def _concordance_scorer(y_true: Any, y_pred: Any, higher: str = "risk") -> Scorer:
    if higher not in ("risk", "survival"):
        raise ValueError(f"higher is 'risk' or 'survival', not {higher!r}")
    times, events = _times_events(y_true)
    risk = numbers(y_pred, Fault.SUBMISSION)
    if len(risk) != len(times):
        raise MetricError(
            "shape_mismatch", f"there are {len(risk)} predictions for {len(times)} true values"
        )
    rank = Ties.of(risk if higher == "risk" else -risk).group
    n_ranks = int(rank.max()) + 1
    moment = Ties.of(times).group
    # Ascending time; at one time events come before censored rows, which outlive them, and
    # stand in ascending risk, so that among themselves none is an inversion.
    order = np.lexsort((rank, ~events, moment))
    rank_sorted, event_sorted = rank[order], events[order].astype(np.float64)
    levels = merge_levels(rank_sorted)
    # Comparable with an event: what follows the events of its time.
    key = 2 * moment[order] + ~events[order]
    following = np.searchsorted(key, key, side="right")
    tied = Ties.of(rank_sorted, stable=True)
    # Position, within the rows of equal risk, of the first that is comparable with each row.
    tied_key = rank_sorted[tied.order] * (2 * len(times) + 2) + key[tied.order]
    tied_following = np.searchsorted(tied_key, tied_key, side="right")
    tied_end = np.searchsorted(rank_sorted[tied.order], np.arange(n_ranks), side="right")[
        rank_sorted[tied.order]
    ]
    if not (event_sorted * (following < len(times))).any():
        raise MetricError(
            "no_comparable_pairs", "censoring leaves no pair of rows to compare", Fault.TASK
        )
    check_varied(risk, Fault.SUBMISSION, "the concordance index")

    def score(counts: Floats) -> Floats:
        drawn = np.take(counts, order, axis=1)
        dying = drawn * event_sorted
        concordant = inversions(levels, dying, drawn)
        up_to = _cumulative(drawn)
        comparable = (dying * (up_to[:, -1:] - np.take(up_to, following, axis=1))).sum(axis=1)
        by_risk = np.take(drawn, tied.order, axis=1)
        up_to = _cumulative(by_risk)
        later = np.take(up_to, tied_end, axis=1) - np.take(up_to, tied_following, axis=1)
        equal = (np.take(dying, tied.order, axis=1) * later).sum(axis=1)
        result = safe_divide(concordant + 0.5 * equal, comparable)
        constant = tied.sums(by_risk).max(axis=1) == counts.sum(axis=1)
        result[constant] = np.nan
        return result

    return score


def _cumulative(weights: Floats) -> Floats:
    """Return (b, n + 1) sums of the weights before each position."""
    result = np.zeros((len(weights), weights.shape[1] + 1))
    np.cumsum(weights, axis=1, out=result[:, 1:])
    return result


@metric(
    direction="maximize",
    range=(0.0, 1.0),
    best=1.0,
    kind="survival",
    rank_invariant=True,
    resampler=_concordance_scorer,
)
def concordance_index(
    y_true: Any, y_pred: Any, higher: Literal["risk", "survival"] = "risk"
) -> float:
    """Harrell's concordance index of right-censored data.

    The share, among the pairs whose order of death is known, of those in which the one that
    dies first has the higher predicted risk; equal risks count half.

    Parameters
    ----------
    y_true : (n, 2) array_like
        Time, in any unit, and event (1 observed, 0 censored).
    y_pred : (n,) array_like
        One score a row.
    higher : {"risk", "survival"}
        What a higher score means: earlier death, or later.

    Returns
    -------
    float
        In [0, 1]; 0.5 is chance.

    Raises
    ------
    MetricError
        ``constant_predictions``, ``nan_predictions``, ``not_numeric``, ``shape_mismatch`` by
        the submission; ``no_comparable_pairs``, ``missing_truth``, ``not_labels``,
        ``negative_time``, ``empty`` by the task.

    Notes
    -----
    A pair is comparable where the earlier time is an event's; at equal times an event is
    comparable with a censored row, which outlives it, and not with another event.

    References
    ----------
    Harrell FE, Califf RM, Pryor DB, Lee KL, Rosati RA. Evaluating the yield of medical tests.
    JAMA 247 (1982) 2543-2546.

    Examples
    --------
    >>> concordance_index([[1, 1], [2, 0], [3, 1], [4, 0]], [0.9, 0.1, 0.2, 0.4])
    0.75
    """
    return float(_concordance_scorer(y_true, y_pred, higher)(np.ones((1, len(y_true))))[0])
