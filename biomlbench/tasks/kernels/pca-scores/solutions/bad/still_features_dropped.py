# pattern: taken-for-none
# caught_by: small-components
import numpy as np


def pca_scores(x, k):
    spread = x.std(axis=0)
    centred = x - x.mean(axis=0)
    centred = centred - centred.mean(axis=0)
    # features that hardly vary are taken for constant
    centred[:, spread <= 1e-6 * spread.max()] = 0.0
    u, s, _ = np.linalg.svd(centred, full_matrices=False)
    return u[:, :k] * s[:k]
