# pattern: taken-for-scaled
# caught_by: edges
import numpy as np


def log1p_cpm(counts, target=1e6):
    x = counts.astype(float)
    total = x.sum(axis=1, keepdims=True)
    # cells that are at the target already stay as they are
    done = np.isclose(total, target, rtol=1e-8, atol=0) | (total == 0)
    return np.log1p(x * np.where(done, 1.0, target / np.where(done, 1.0, total)))
