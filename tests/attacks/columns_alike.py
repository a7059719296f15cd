import pandas as pd


def attack():
    return pd.DataFrame([[1, 2]], columns=["a", "a"])
