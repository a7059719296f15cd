import numpy as np


def attack():
    return np.lib.stride_tricks.as_strided(np.empty(0), (0, 2**40), (0, 0))
