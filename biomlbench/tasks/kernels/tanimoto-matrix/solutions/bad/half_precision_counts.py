# pattern: size-limited
# caught_by: oracle
# counts above 2,048 are rounded
import numpy as np


def tanimoto_matrix(a, b):
    A, B = a.astype(np.float16), b.astype(np.float16)
    c = (A.astype(np.float32) @ B.T.astype(np.float32)).astype(np.float16).astype(float)
    u = a.sum(1, dtype=int)[:, None] + b.sum(1, dtype=int) - c
    return np.where(u == 0, 1.0, c / np.maximum(u, 1))
