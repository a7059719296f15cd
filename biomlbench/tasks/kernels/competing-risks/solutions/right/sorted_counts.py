import numpy as np


def usable_rows(entry, time, cause):
    kept = [
        i
        for i, (e, t, c) in enumerate(zip(entry.tolist(), time.tolist(), cause.tolist()))
        if 0 <= e < t < float("inf") and c >= 0
    ]
    return np.array(kept, dtype=np.int64)


def _curves(entry, time, cause, n_causes):
    rows = usable_rows(entry, time, cause)
    entry, time, cause = entry[rows], time[rows], cause[rows]
    times, place = np.unique(time[cause > 0], return_inverse=True)
    d = np.zeros((n_causes, len(times)))
    np.add.at(d, (cause[cause > 0] - 1, place), 1)
    entered = np.searchsorted(np.sort(entry), times, side="left")
    left = np.searchsorted(np.sort(time), times, side="left")
    n = entered - left
    survival = np.cumprod(np.concatenate([[1.0], 1 - d.sum(axis=0) / n]))
    return times, np.cumsum(survival[:-1] * d / n, axis=1)


def cumulative_incidence(entry, time, cause, n_causes, at):
    times, curves = _curves(entry, time, cause, n_causes)
    place = np.searchsorted(times, at, side="right") - 1
    found = np.zeros((n_causes, len(at)))
    found[:, place >= 0] = curves[:, place[place >= 0]]
    return found


def years_lost(entry, time, cause, n_causes, horizon):
    times, curves = _curves(entry, time, cause, n_causes)
    before = times < horizon
    ends = np.append(times[before], horizon)
    return (curves[:, before] * np.diff(ends)).sum(axis=1)
