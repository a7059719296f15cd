import numpy as np
from scipy.optimize import brentq


def fit_michaelis_menten(s, v):
    # with the best vmax put in, the derivative with respect to km has a root at the minimum
    unit = s[s > 0].mean()
    x = s / unit

    def slope(t):
        f = x / (np.exp(t) + x)
        g = f * f / x.clip(min=1e-300)
        return (v @ f) * (f @ g) - (v @ g) * (f @ f)

    grid = np.linspace(-26, 14, 401)
    f = x / (np.exp(grid)[:, None] + x)
    explained = (f @ v) ** 2 / (f * f).sum(axis=1)
    best = int(np.clip(np.argmax(explained), 1, len(grid) - 2))
    t = brentq(slope, grid[best - 1], grid[best + 1], xtol=1e-14, rtol=1e-14)
    f = x / (np.exp(t) + x)
    return float((v @ f) / (f @ f)), float(np.exp(t) * unit)
