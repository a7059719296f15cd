import numpy as np
import pandas as pd


def attack():
    return [np.datetime64("NaT"), np.timedelta64("NaT"), pd.NaT, pd.NA]
