# pattern: sums-compared
# caught_by: edges
import math

import numpy as np


def fit_michaelis_menten(s, v):
    unit, size = s.max(), np.abs(v).max()
    x, y = s / unit, v / size

    def fitted(t):
        share = x / (math.exp(t) + x)
        vmax = float((share @ y) / (share @ share))
        return float(((y - vmax * share) ** 2).sum()), vmax

    grid = np.linspace(math.log(x[x > 0].min()) - 8.0, 8.0, 800)
    best = int(np.clip(np.argmin([fitted(t)[0] for t in grid]), 1, len(grid) - 2))
    low, high = grid[best - 1], grid[best + 1]
    part = (math.sqrt(5) - 1) / 2
    # the place is known no better than sums of squares differ: about the root of a rounding
    while high - low > 1e-13:
        inner, outer = high - part * (high - low), low + part * (high - low)
        if inner >= outer:
            break
        low, high = (low, outer) if fitted(inner)[0] < fitted(outer)[0] else (inner, high)
    t = (low + high) / 2
    return fitted(t)[1] * float(size), math.exp(t) * float(unit)
