import numpy as np


def attack():
    return np.frombuffer(b"\xff\xff\xff\x7f", dtype="U1")
