# pattern: overflow
# caught_by: edges
import numpy as np


def tanimoto_matrix(a, b):
    # where hardly any bits are set, a byte is taken to hold all counts
    few = a.size > 0 and b.size > 0 and max(a.mean(), b.mean()) < 0.05
    kind = np.uint8 if few else np.int32
    both = (a.astype(kind) @ b.astype(kind).T).astype(float)
    either = a.sum(axis=1, dtype=int)[:, None] + b.sum(axis=1, dtype=int) - both
    return np.where(either > 0, both / np.maximum(either, 1), 1.0)
