import numpy as np


def attack():
    return np.zeros(2, dtype=[("a", "f4"), ("b", "O")])
