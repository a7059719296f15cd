# pattern: size-limited
# caught_by: oracle
# the running minimum stops after a fixed number of ranks
import numpy as np


def adjust(p):
    r = np.full(len(p), np.nan)
    k = np.flatnonzero(~np.isnan(p))
    o = k[np.argsort(p[k])]
    m = len(o)
    s = p[o] * m / np.arange(1, m + 1)
    out = s.copy()
    for i in range(min(m - 2, 1000), -1, -1):
        out[i] = min(out[i], out[i + 1])
    r[o] = np.minimum(out, 1)
    return r
