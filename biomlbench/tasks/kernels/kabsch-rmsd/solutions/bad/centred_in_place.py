# pattern: input-modified
# caught_by: keeps-arguments
# centroids are removed from the caller's arrays
import numpy as np


def kabsch_rmsd(mobile, target):
    mobile -= mobile.mean(0)
    target -= target.mean(0)
    u, s, vt = np.linalg.svd(mobile.T @ target)
    d = np.sign(np.linalg.det(u @ vt)) or 1
    r = u @ np.diag([1, 1, d]) @ vt
    return float(np.sqrt(((mobile @ r - target) ** 2).sum() / len(mobile)))
