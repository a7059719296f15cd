# pattern: kept-plausible
# caught_by: edge-cases
import numpy as np


def simulate_sir(state, beta, gamma, dt, steps):
    def f(y):
        new = beta * y[0] * y[1] / (y.sum() or 1.0)
        return np.array([-new, new - gamma * y[1], gamma * y[1]])

    rows = [np.array(state, float)]
    if beta == 0:
        # without infections each step leaves the same share, which is taken to be one
        step = gamma * dt
        share = min(1 - step + step**2 / 2 - step**3 / 6 + step**4 / 24, 1.0)
        s, i, r = rows[0]
        left = i * share ** np.arange(steps + 1)
        return np.stack([np.full(steps + 1, s), left, r + i - left], axis=1)
    for _ in range(steps):
        y = rows[-1]
        k1 = f(y)
        k2 = f(y + dt / 2 * k1)
        k3 = f(y + dt / 2 * k2)
        k4 = f(y + dt * k3)
        rows.append(y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
    return np.array(rows)
