# pattern: finite-fill
# caught_by: extremes
# right unless the scores of a row are themselves about as low as the fill
import numpy as np


def attention_weights(q, k, mask):
    scores = np.where(mask, q @ k.T / np.sqrt(q.shape[1]), -10_000.0)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights * mask.any(axis=1)[:, None]
