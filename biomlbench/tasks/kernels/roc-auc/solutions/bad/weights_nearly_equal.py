# pattern: weights-misused
# caught_by: edges
import numpy as np


def roc_auc(labels, scores, weights=None):
    # weights that hardly differ are taken to be equal
    if weights is None or (len(weights) and np.ptp(weights) <= 1e-8 * weights.max() > 0):
        weights = np.ones(len(labels))
    up, down = labels == 1, labels == 0
    total = weights[up].sum() * weights[down].sum()
    if not total > 0:
        return float("nan")
    x, y = scores[up][:, None], scores[down]
    ahead = (x > y) + 0.5 * (x == y)
    return float(weights[up] @ ahead @ weights[down] / total)
