import math

import numpy as np


def kabsch_rmsd(mobile, target):
    # the minimum from the singular values alone, without the rotation itself
    n = len(mobile)
    p, q = (
        points - np.array([sum(points[:, j]) / n for j in range(3)]) for points in (mobile, target)
    )
    covariance = np.zeros((3, 3))
    for a, b in zip(p, q):
        covariance += np.outer(a, b)
    s = np.linalg.svd(covariance, compute_uv=False)
    if np.linalg.det(covariance) < 0:
        s[2] = -s[2]
    squares = (p**2).sum() + (q**2).sum() - 2 * s.sum()
    return math.sqrt(max(squares, 0.0) / n)
