# pattern: many-turns
# caught_by: edges
import numpy as np


def fit_michaelis_menten(s, v):
    unit = s.max()
    x = s / unit
    # between bounds far beyond the concentrations the slope is taken to change its sign once
    left, right = np.log(x[x > 0].min()) - 9.0, 9.0
    for _ in range(200):
        middle = (left + right) / 2
        share = x / (np.exp(middle) + x)
        vmax = (v @ share) / (share @ share)
        rises = vmax * ((v - vmax * share) @ (share / (np.exp(middle) + x))) > 0
        left, right = (left, middle) if rises else (middle, right)
    return float(vmax), float(np.exp(middle) * unit)
