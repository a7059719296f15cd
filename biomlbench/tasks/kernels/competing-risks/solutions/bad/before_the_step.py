# pattern: left-limit
# caught_by: oracle, edges, share-of-patients
import numpy as np


def usable_rows(entry, time, cause):
    finite = np.isfinite(entry) & np.isfinite(time)
    return np.flatnonzero(finite & (entry >= 0) & (entry < time) & (cause >= 0)).astype(np.int64)


def cumulative_incidence(entry, time, cause, n_causes, at):
    times, steps = _steps(entry, time, cause, n_causes)
    reached = np.concatenate([np.zeros((n_causes, 1)), np.cumsum(steps, axis=1)], axis=1)
    return reached[:, np.searchsorted(times, at, side="left")]


def years_lost(entry, time, cause, n_causes, horizon):
    times, steps = _steps(entry, time, cause, n_causes)
    # a step at u is kept from u to the horizon
    return steps @ np.maximum(horizon - times, 0.0)


def _steps(entry, time, cause, n_causes):
    """Event times, and by how much each cause's incidence rises at them."""
    rows = usable_rows(entry, time, cause)
    entry, time, cause = entry[rows], time[rows], cause[rows]
    times = np.unique(time[cause > 0])
    steps = np.zeros((n_causes, len(times)))
    alive = 1.0
    for i, u in enumerate(times):
        at_risk = np.sum((entry < u) & (time >= u))
        here = time == u
        died = np.array([np.sum(here & (cause == k)) for k in range(1, n_causes + 1)])
        steps[:, i] = alive * died / at_risk
        alive *= 1 - died.sum() / at_risk
    return times, steps
