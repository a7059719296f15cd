import numpy as np


def attack():
    return np.array([1, 2], dtype="m8")
