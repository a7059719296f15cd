import numpy as np
from scipy.spatial.distance import cdist


def contact_map(coordinates, chain, cutoff=8.0, min_separation=6):
    n = len(coordinates)
    if n == 0:
        return np.zeros((0, 0), dtype=bool)
    min_separation = min(min_separation, n)
    contacts = cdist(coordinates, coordinates) < cutoff
    band = np.tri(n, n, min_separation - 1, dtype=bool) & ~np.tri(n, n, -min_separation, dtype=bool)
    contacts[band & np.equal.outer(chain, chain)] = False
    return contacts
