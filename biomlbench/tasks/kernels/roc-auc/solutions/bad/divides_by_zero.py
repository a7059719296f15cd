# pattern: one-class
# caught_by: gate
import numpy as np


def roc_auc(labels, scores, weights=None):
    w = np.ones(len(labels)) if weights is None else weights
    kinds, place = np.unique(scores, return_inverse=True)
    ill = np.bincount(place, np.where(labels == 1, w, 0.0), len(kinds)).tolist()
    well = np.bincount(place, np.where(labels == 0, w, 0.0), len(kinds)).tolist()
    won = below = 0.0
    for a, b in zip(ill, well):
        won += a * (below + 0.5 * b)
        below += b
    return won / (sum(ill) * below)
