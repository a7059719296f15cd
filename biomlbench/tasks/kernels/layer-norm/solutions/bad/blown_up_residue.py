# pattern: rounded-mean
# caught_by: extremes
# equal numbers are not exactly their mean, and the root of a tiny eps does not hide it
import numpy as np


def layer_norm(x, gamma, beta, eps=1e-5):
    x = x.astype(np.float64)
    mean, sd = np.mean(x, axis=-1), np.std(x, axis=-1)
    return ((x - mean[..., None]) / np.hypot(sd, np.sqrt(eps))[..., None]) * gamma + beta
