# pattern: taken-for-none
# caught_by: small-components
import numpy as np


def pca_scores(x, k):
    centred = x - x.mean(axis=0)
    centred = centred - centred.mean(axis=0)
    u, s, _ = np.linalg.svd(centred, full_matrices=False)
    # what is so small is held for rounding
    s[s < 1e-6 * s.max()] = 0.0
    return u[:, :k] * s[:k]
