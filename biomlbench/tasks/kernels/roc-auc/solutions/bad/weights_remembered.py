# pattern: state-kept
# caught_by: keeps-no-state
# weights of an earlier call stand in for missing ones
import numpy as np


def roc_auc(labels, scores, weights=None, _w=[None]):
    if weights is None and _w[0] is not None and len(_w[0]) == len(labels):
        weights = _w[0]
    elif weights is not None:
        _w[0] = weights.copy()
    w = np.ones(len(labels)) if weights is None else weights
    p, n = labels == 1, labels == 0
    d = w[p].sum() * w[n].sum()
    if not d > 0:
        return float("nan")
    a, b = scores[p][:, None], scores[n]
    return float((((a > b) + 0.5 * (a == b)) * w[p][:, None] * w[n]).sum() / d)
