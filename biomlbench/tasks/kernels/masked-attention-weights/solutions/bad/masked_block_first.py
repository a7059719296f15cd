# pattern: masked-row-nan
# caught_by: extremes
import numpy as np

BLOCK = 64


def attention_weights(q, k, mask):
    # block by block; where a block has no key yet, 0 is kept as the largest score so far
    weights = np.zeros(mask.shape)
    top, total = np.full(len(q), -np.inf), np.zeros(len(q))
    for start in range(0, len(k), BLOCK):
        part = slice(start, start + BLOCK)
        scores = np.where(mask[:, part], q @ k[part].T / np.sqrt(q.shape[1]), -np.inf)
        new = np.maximum(top, scores.max(axis=1))
        new[np.isneginf(new)] = 0.0
        factor = np.exp(top - new)
        weights[:, :start] *= factor[:, None]
        weights[:, part] = np.exp(scores - new[:, None])
        total = total * factor + weights[:, part].sum(axis=1)
        top = new
    return weights / np.where(total == 0, 1.0, total)[:, None]
