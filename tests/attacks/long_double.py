import numpy as np


def attack():
    return np.frombuffer(bytes(range(64)), dtype="f16")
