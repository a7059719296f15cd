# pattern: pairs-wrong
# caught_by: edges
import numpy as np


def tanimoto_matrix(a, b):
    # no more bits can be common than the smaller one has: pairs below one in fifty are not looked at
    a, b = a.astype(np.int64), b.astype(np.int64)
    ours, theirs = a.sum(axis=1), b.sum(axis=1)
    out = np.zeros((len(a), len(b)))
    for i, row in enumerate(a):
        few, many = np.minimum(ours[i], theirs), np.maximum(ours[i], theirs)
        near = (50 * few >= many).nonzero()[0]
        common = b[near] @ row
        union = ours[i] + theirs[near] - common
        out[i, near] = np.where(union > 0, common / np.maximum(union, 1), 1.0)
    return out
