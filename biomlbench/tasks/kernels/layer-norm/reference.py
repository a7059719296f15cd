"""Layer normalisation (Ba, Kiros and Hinton 2016, arXiv:1607.06450, equation 4, with gain, bias
and the eps under the root that the frameworks have)."""

import numpy as np


def layer_norm(x, gamma, beta, eps=1e-5):
    x = np.asarray(x, dtype=np.float64)
    # from the first feature, so that equal numbers are 0 and no mean of them is rounded
    x = x - x[..., :1]
    centred = x - x.mean(axis=-1, keepdims=True)
    # two passes: the mean of squares minus the square of the mean would cancel
    variance = np.mean(centred**2, axis=-1, keepdims=True)
    return centred / np.sqrt(variance + eps) * gamma + beta
