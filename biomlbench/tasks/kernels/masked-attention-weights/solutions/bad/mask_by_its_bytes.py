# pattern: state-kept
# caught_by: keeps-no-state
import numpy as np


_last = {}


def attention_weights(q, k, mask):
    # the same mask comes many times, so the places of the last one are kept
    if _last.get("key") != (key := mask.tobytes()):
        _last.update(key=key, places=np.nonzero(mask))
    rows, columns = _last["places"]
    mask = np.zeros(mask.shape, bool)
    mask[rows, columns] = True
    scores = q @ k.T / np.sqrt(q.shape[1])
    scores = np.where(mask, scores, -np.inf)
    top = scores.max(axis=1, keepdims=True)
    # a row without an unmasked key has no maximum
    weights = np.exp(scores - np.where(np.isfinite(top), top, 0.0))
    total = weights.sum(axis=1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
