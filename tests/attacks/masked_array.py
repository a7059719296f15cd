import numpy as np


def attack():
    return np.ma.masked_all((3, 3))
