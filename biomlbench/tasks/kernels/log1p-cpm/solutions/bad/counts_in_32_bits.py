# pattern: size-limited
# caught_by: edges
# counts are kept in 32 bits
import numpy as np


def log1p_cpm(counts, target=1e6):
    x = counts.astype(float) if counts.dtype.kind == "f" else counts.astype(np.int32).astype(float)
    t = x.sum(1, keepdims=True)
    t[t == 0] = 1
    return np.log1p(x / t * target)
