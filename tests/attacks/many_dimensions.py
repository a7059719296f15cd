import numpy as np


def attack():
    return np.zeros((1,) * 32)
