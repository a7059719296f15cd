import numpy as np


def contact_map(coordinates, chain, cutoff=8.0, min_separation=6):
    # no roots: the square of a distance below that of the cutoff
    near = np.zeros((len(coordinates),) * 2, dtype=bool)
    for row, place in enumerate(coordinates):
        x, y, z = (coordinates - place).T
        near[row] = x * x + y * y + z * z < cutoff * cutoff
    order = np.arange(len(coordinates))
    far = np.abs(np.subtract.outer(order, order)) >= min_separation
    return near & (far | np.not_equal.outer(chain, chain))
