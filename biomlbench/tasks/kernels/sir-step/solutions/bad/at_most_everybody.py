# pattern: kept-plausible
# caught_by: edge-cases
import numpy as np


def simulate_sir(state, beta, gamma, dt, steps):
    def f(y):
        new = beta * y[0] * y[1] / (y.sum() or 1.0)
        return np.array([-new, new - gamma * y[1], gamma * y[1]])

    rows = [np.array(state, float)]
    for _ in range(steps):
        y = rows[-1]
        k1 = f(y)
        k2 = f(y + dt / 2 * k1)
        k3 = f(y + dt / 2 * k2)
        k4 = f(y + dt * k3)
        new = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        # nobody is counted twice
        rows.append(np.minimum(new, y.sum()))
    return np.array(rows)
