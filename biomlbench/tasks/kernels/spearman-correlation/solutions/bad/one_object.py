# pattern: constant-side
# caught_by: edges, nan-just-where-undefined
import numpy as np
from scipy.stats import rankdata


def spearman(x, y):
    if x is y:
        return 1.0
    keep = ~(np.isnan(x) | np.isnan(y))
    x, y = x[keep], y[keep]
    if len(x) < 2 or np.ptp(rankdata(x)) == 0 or np.ptp(rankdata(y)) == 0:
        return float("nan")
    return float(np.clip(np.corrcoef(rankdata(x), rankdata(y))[0, 1], -1, 1))
