# pattern: size-limited
# caught_by: oracle
# sums of squares overflow
import numpy as np
from scipy.stats import rankdata


def spearman(x, y):
    ok = ~(np.isnan(x) | np.isnan(y))
    x, y = x[ok], y[ok]
    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        return float("nan")
    a, b = (2 * rankdata(x)).astype(np.int32), (2 * rankdata(y)).astype(np.int32)
    n = np.int32(len(x))
    m = n + 1
    a = a - m
    b = b - m
    with np.errstate(all="ignore"):
        return float(
            (a * b).sum(dtype=np.int32)
            / np.sqrt(float((a * a).sum(dtype=np.int32)) * float((b * b).sum(dtype=np.int32)))
        )
