# pattern: state-kept
# caught_by: keeps-no-state
import numpy as np

MANY = 150_000
_table = np.empty(0)


def attention_weights(q, k, mask):
    global _table
    if mask.size <= MANY:
        weights = np.empty(mask.shape)
    else:
        # a large table is asked for once, and again only where it is too small
        if _table.size < mask.size:
            _table = np.empty(mask.size)
        weights = _table[: mask.size].reshape(mask.shape)
    scores = np.where(mask, q @ k.T / np.sqrt(q.shape[1]), -np.inf)
    top = scores.max(axis=1, keepdims=True)
    # a row without an unmasked key has no maximum
    np.exp(scores - np.where(np.isfinite(top), top, 0.0), out=weights)
    total = weights.sum(axis=1, keepdims=True)
    weights /= np.where(total > 0, total, 1.0)
    return weights
