# pattern: input-modified
# caught_by: keeps-arguments
import numpy as np


def layer_norm(x, gamma, beta, eps=1e-5):
    if x.shape == (1,):
        # a number alone is its own mean, so that the bias is all that is left
        return beta[:]
    x = x.astype(np.float64)
    x = x - x[..., :1]
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = np.mean(centred * centred, axis=-1, keepdims=True)
    return beta + gamma * (centred / np.sqrt(variance + eps))
