# pattern: layout-dependent
# caught_by: any-layout
# pixels are compared in the order in which they lie in memory
import numpy as np


def dice_coefficient(prediction, truth, labels, ignore=None):
    p0, t0 = prediction.ravel("K"), truth.ravel("K")
    if ignore is not None:
        k = t0 != ignore
        p0, t0 = p0[k], t0[k]
    out = []
    for l in labels:
        p, t = p0 == l, t0 == l
        s = p.sum() + t.sum()
        out.append(2 * (p & t).sum() / s if s else 1.0)
    return np.array(out, float)
