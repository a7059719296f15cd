import numpy as np
from scipy.optimize import curve_fit


def _rate(s, vmax, km):
    return vmax * s / (km + s)


def _slopes(s, vmax, km):
    return np.stack([s / (km + s), -vmax * s / (km + s) ** 2], axis=1)


def fit_michaelis_menten(s, v):
    # in units of the data, and from the best of a few starting values
    unit, size = s.max(), np.abs(v).max()
    x, y = s / unit, v / size
    starts = [(y.max() * (1 + km), km) for km in np.geomspace(1e-10, 1e3, 53)]
    start = min(starts, key=lambda p: ((y - _rate(x, *p)) ** 2).sum())
    found, _ = curve_fit(_rate, x, y, p0=start, jac=_slopes, xtol=1e-14, ftol=1e-14, maxfev=2000)
    # it ends where the sum of squares no longer falls, which in a flat valley is too early
    for _ in range(4):
        found = found + np.linalg.lstsq(_slopes(x, *found), y - _rate(x, *found))[0]
    return float(found[0] * size), float(found[1] * unit)
