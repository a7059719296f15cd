import math

import numpy as np


def layer_norm(x, gamma, beta, eps=1e-5):
    d = x.shape[-1]
    rows = np.asarray(x, dtype=float).reshape(-1, d)
    out = np.empty(rows.shape)
    for i, row in enumerate((rows - rows[:, :1]).tolist()):
        mean = math.fsum(row) / d
        variance = math.fsum((value - mean) ** 2 for value in row) / d
        root = math.sqrt(variance + eps)
        for j, value in enumerate(row):
            out[i, j] = (value - mean) / root * gamma[j] + beta[j]
    return out.reshape(x.shape)
