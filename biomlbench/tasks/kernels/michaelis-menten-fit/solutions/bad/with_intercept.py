# pattern: other-model
# caught_by: oracle, blanks
import numpy as np


def fit_michaelis_menten(s, v):
    # a background rate takes what belongs to the two values
    unit, size = s.max(), np.abs(v).max()
    x, y = s / unit, v / size
    grid = np.linspace(-12, 8, 401)
    best = None
    for t in grid:
        design = np.stack([x / (np.exp(t) + x), np.ones_like(x)], axis=1)
        values = np.linalg.lstsq(design, y, rcond=None)[0]
        squares = ((y - design @ values) ** 2).sum()
        if best is None or squares < best[0]:
            best = squares, values[0], np.exp(t)
    return float(best[1] * size), float(best[2] * unit)
