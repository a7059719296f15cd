# pattern: start-dependent
# caught_by: edges
import numpy as np

DECADES = 6
"""The half-saturation constant is looked for this far beyond the concentrations."""


def _best_vmax(s, v, km):
    saturation = s / (km + s)
    return (v @ saturation) / (saturation @ saturation)


def _slope(s, v, log_km):
    """Derivative of the sum of squares with respect to log(km), up to a positive factor."""
    km = np.exp(log_km)
    vmax = _best_vmax(s, v, km)
    return vmax * ((v - vmax * s / (km + s)) @ (s / (km + s) ** 2)) * km


def fit_michaelis_menten(s, v):
    unit, size = s.max(), np.abs(v).max()
    s, v = s / unit, v / size
    middle = np.log(np.median(s[s > 0]))
    grid = np.linspace(middle - DECADES * np.log(10), middle + DECADES * np.log(10), 200)
    shape = s / (np.exp(grid)[:, None] + s)
    # what the best vmax explains of the sum of squares, for each km
    explained = (shape @ v) ** 2 / (shape**2).sum(axis=1)
    best = int(np.clip(np.argmax(explained), 1, len(grid) - 2))
    left, right = grid[best - 1], grid[best + 1]
    for _ in range(100):
        middle = (left + right) / 2
        if _slope(s, v, middle) < 0:
            left = middle
        else:
            right = middle
    km = np.exp((left + right) / 2)
    return float(_best_vmax(s, v, km) * size), float(km * unit)
