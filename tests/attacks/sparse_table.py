import pandas as pd


def attack():
    return pd.DataFrame({"a": pd.arrays.SparseArray([0, 0, 1.0])})
