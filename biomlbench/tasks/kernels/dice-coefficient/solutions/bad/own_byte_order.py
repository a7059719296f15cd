# pattern: layout-dependent
# caught_by: any-layout
# the bytes are read as those of this machine
import numpy as np


def dice_coefficient(prediction, truth, labels, ignore=None):
    p, t = (
        np.frombuffer(np.ascontiguousarray(x), dtype=f"i{x.itemsize}" if x.itemsize > 1 else "u1")
        for x in (prediction, truth)
    )
    if ignore is not None:
        p, t = p[t != ignore], t[t != ignore]
    out = []
    for label in labels:
        sizes = np.sum(p == label) + np.sum(t == label)
        out.append(2 * np.sum((p == label) & (t == label)) / sizes if sizes else 1.0)
    return np.array(out, dtype=float)
