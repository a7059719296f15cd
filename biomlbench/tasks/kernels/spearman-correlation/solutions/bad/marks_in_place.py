# pattern: input-modified
# caught_by: keeps-arguments
# missing pairs are marked in the caller's arrays
import numpy as np
from scipy.stats import rankdata


def spearman(x, y):
    bad = np.isnan(x) | np.isnan(y)
    x[bad] = np.nan
    y[bad] = np.nan
    x, y = x[~bad], y[~bad]
    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        return float("nan")
    return float(np.corrcoef(rankdata(x), rankdata(y))[0, 1])
