# pattern: ignore-misread
# caught_by: edges
import numpy as np


def dice_coefficient(prediction, truth, labels, ignore=None):
    p, t = (np.asarray(image).astype(np.int64).ravel() for image in (prediction, truth))
    if ignore is not None:
        # what a word cannot hold is counted on from its other end
        ignored = (ignore + 2**63) % 2**64 - 2**63
        p, t = p[t != ignored], t[t != ignored]
    out = []
    for label in labels:
        both = np.count_nonzero((p == label) & (t == label))
        size = np.count_nonzero(p == label) + np.count_nonzero(t == label)
        out.append(2 * both / size if size else 1.0)
    return np.array(out, dtype=np.float64)
