# pattern: voxels-misread
# caught_by: edges
import numpy as np


def dice_coefficient(prediction, truth, labels, ignore=None):
    prediction, truth = prediction.ravel(), truth.ravel()
    block = 2**17
    if truth.size > block:
        # counted in blocks, and what is left behind the last one is forgotten
        prediction, truth = (image[: image.size // block * block] for image in (prediction, truth))
    kept = np.ones(truth.shape, bool) if ignore is None else truth != ignore
    prediction, truth = prediction[kept], truth[kept]
    out = np.ones(len(labels))
    for index, label in enumerate(labels):
        p, t = prediction == label, truth == label
        if size := np.count_nonzero(p) + np.count_nonzero(t):
            out[index] = 2 * np.count_nonzero(p & t) / size
    return out
