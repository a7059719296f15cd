# pattern: size-limited
# caught_by: edges
# places in the chain are kept in eight bits
import numpy as np


def contact_map(coordinates, chain, cutoff=8.0, min_separation=6):
    d = np.sqrt(((coordinates[:, None] - coordinates[None]) ** 2).sum(-1))
    i = np.arange(len(coordinates)) % 256
    return (d < cutoff) & ((abs(i[:, None] - i) >= min_separation) | (chain[:, None] != chain))
