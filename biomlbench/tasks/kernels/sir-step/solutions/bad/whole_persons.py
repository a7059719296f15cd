# pattern: changes-input
# caught_by: edge-cases
import numpy as np


def simulate_sir(state, beta, gamma, dt, steps):
    def f(y):
        new = beta * y[0] * y[1] / (y.sum() or 1.0)
        return np.array([-new, new - gamma * y[1], gamma * y[1]])

    # the rows take the type of the input, and whole numbers cut off the rest
    rows = np.zeros((steps + 1, 3), dtype=state.dtype)
    rows[0] = state
    for t in range(steps):
        y = rows[t]
        k1 = f(y)
        k2 = f(y + dt / 2 * k1)
        k3 = f(y + dt / 2 * k2)
        k4 = f(y + dt * k3)
        rows[t + 1] = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return rows.astype(float)
