# pattern: small-motion
# caught_by: small-motions
import numpy as np


def tm_score(mobile, target, pairs, rotation, translation):
    m = len(target)
    d0 = max(1.24 * np.cbrt(m - 15) - 1.8, 0.5)
    moved = mobile[pairs[:, 0]]
    if not np.allclose(rotation, np.eye(3)):
        moved = moved @ rotation.T
    d = np.linalg.norm(moved + translation - target[pairs[:, 1]], axis=1)
    return float(np.nansum(1 / (1 + (d / d0) ** 2)) / m)
