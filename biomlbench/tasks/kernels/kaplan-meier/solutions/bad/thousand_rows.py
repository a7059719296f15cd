# pattern: size-limited
# caught_by: oracle
# at most a thousand rows are returned
import numpy as np


def kaplan_meier(time, event):
    t, d = np.unique(time[event], return_counts=True)
    n = len(time) - np.searchsorted(np.sort(time), t)
    s = np.cumprod(1 - d / n)
    with np.errstate(all="ignore"):
        se = s * np.sqrt(np.cumsum(d / (n * (n - d))))
    return {k: v[:1000] for k, v in dict(time=t, at_risk=n, survival=s, std_error=se).items()}
