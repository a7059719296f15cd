# pattern: size-limited
# caught_by: edges
# weights below an absolute limit count as none
import numpy as np


def roc_auc(labels, scores, weights=None):
    w = np.ones(len(labels)) if weights is None else weights
    _, g = np.unique(scores, return_inverse=True)
    k = int(g.max(initial=-1)) + 1
    P = np.bincount(g, w * (labels == 1), minlength=k)
    N = np.bincount(g, w * (labels == 0), minlength=k)
    t = P.sum() * N.sum()
    return float((P * (np.cumsum(N) - N / 2)).sum() / t) if t > 1e-9 else float("nan")
