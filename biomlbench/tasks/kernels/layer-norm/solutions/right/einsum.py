import numpy as np


def layer_norm(x, gamma, beta, eps=1e-5):
    x = x.astype(np.float64) - x[..., :1].astype(np.float64)
    d = x.shape[-1]
    centred = x - x.sum(axis=-1)[..., None] / d
    variance = np.einsum("...i,...i->...", centred, centred) / d
    inverse = (variance + eps) ** -0.5
    return np.einsum("...i,...,i->...i", centred, inverse, gamma) + beta
