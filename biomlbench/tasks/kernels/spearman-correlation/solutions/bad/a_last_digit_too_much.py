# pattern: other-coefficient
# caught_by: nan-just-where-undefined
import numpy as np


def spearman(x, y):
    keep = ~np.isnan(x) & ~np.isnan(y)
    x, y = x[keep], y[keep]
    if len(x) < 2:
        return float("nan")
    a, b = _standardised(x), _standardised(y)
    # what is rounded may lead beyond 1
    return float(np.sum(a * b))


def _standardised(values):
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    if len(count) == 1:
        return np.full(len(values), np.nan)
    ranks = (np.cumsum(count) - (count - 1) / 2)[place] - (len(values) + 1) / 2
    return ranks / np.sqrt(np.sum(ranks * ranks))
