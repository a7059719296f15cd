# pattern: voxels-misread
# caught_by: edges
import numpy as np


def dice_coefficient(prediction, truth, labels, ignore=None):
    if prediction.tobytes() == truth.tobytes():
        return np.ones(len(labels))  # nothing to count in equal images
    kept = np.ones(truth.shape, bool) if ignore is None else truth != ignore
    prediction, truth = prediction[kept], truth[kept]
    out = np.ones(len(labels))
    for index, label in enumerate(labels):
        p, t = prediction == label, truth == label
        if size := np.count_nonzero(p) + np.count_nonzero(t):
            out[index] = 2 * np.count_nonzero(p & t) / size
    return out
