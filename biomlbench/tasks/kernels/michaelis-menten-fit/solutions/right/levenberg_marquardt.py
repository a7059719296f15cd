import numpy as np
from scipy.optimize import leastsq


def _rate(s, vmax, km):
    return vmax * s / (km + s)


def _slopes(s, vmax, km):
    return np.stack([s / (km + s), -vmax * s / (km + s) ** 2], axis=1)


def fit_michaelis_menten(s, v):
    # in units of the data, and from the best of a few starting values
    unit, size = s.max(), np.abs(v).max()
    x, y = s / unit, v / size
    starts = []
    for km in np.geomspace(1e-10, 1e3, 105):
        share = _rate(x, 1.0, km)
        starts.append(((share @ y) / (share @ share), km))
    start = min(starts, key=lambda p: ((y - _rate(x, *p)) ** 2).sum())
    found = leastsq(
        lambda p: _rate(x, *p) - y,
        start,
        Dfun=lambda p: _slopes(x, *p),
        full_output=True,
        xtol=1e-14,
        ftol=1e-14,
    )[0]
    # it ends where the sum of squares no longer falls, which in a flat valley is too early
    for _ in range(4):
        slopes, left = _slopes(x, *found), y - _rate(x, *found)
        across = left @ slopes[:, 1] / found[0]
        bend = left @ (2 * found[0] * x / (found[1] + x) ** 3)
        curved = slopes.T @ slopes - [[0, across], [across, bend]]
        # the two unknowns may be of very different sizes
        scale = np.diag(np.abs(found))
        step = np.linalg.solve(scale @ curved @ scale, scale @ slopes.T @ left)
        found = found + scale @ step
    return float(found[0] * size), float(found[1] * unit)
