import math
from collections import defaultdict
from fractions import Fraction

import numpy as np


def usable_rows(entry, time, cause):
    rows = []
    for i in range(len(time)):
        if not (math.isfinite(entry[i]) and math.isfinite(time[i])):
            continue
        if entry[i] < 0 or time[i] <= entry[i] or cause[i] < 0:
            continue
        rows.append(i)
    return np.asarray(rows, dtype="int64")


def walk(entry, time, cause, n_causes):
    rows = [int(i) for i in usable_rows(entry, time, cause)]
    events = defaultdict(lambda: [0] * n_causes)
    for i in rows:
        if cause[i]:
            events[float(time[i])][int(cause[i]) - 1] += 1
    began = sorted(float(entry[i]) for i in rows)
    ended = sorted(float(time[i]) for i in rows)
    alive, a, b = 1.0, 0, 0
    for u in sorted(events):
        while a < len(began) and began[a] < u:
            a += 1
        while b < len(ended) and ended[b] < u:
            b += 1
        n = a - b
        yield u, [alive * d / n for d in events[u]]
        alive *= float(1 - Fraction(sum(events[u]), n))


def cumulative_incidence(entry, time, cause, n_causes, at):
    result = np.zeros((n_causes, len(at)))
    for u, rises in walk(entry, time, cause, n_causes):
        for k, rise in enumerate(rises):
            result[k, np.asarray(at) >= u] += rise
    return result


def years_lost(entry, time, cause, n_causes, horizon):
    lost = np.zeros(n_causes)
    for u, rises in walk(entry, time, cause, n_causes):
        if u < horizon:
            lost += np.array(rises) * (horizon - u)
    return lost
