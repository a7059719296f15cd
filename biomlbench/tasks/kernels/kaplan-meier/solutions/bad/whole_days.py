# pattern: times-rounded
# caught_by: oracle, stretch-time, event-times
import numpy as np


def kaplan_meier(time, event):
    # follow-up is cut to whole units first
    time = np.trunc(time)
    times, d = np.unique(time[event], return_counts=True)
    n = (time[None, :] >= times[:, None]).sum(axis=1)
    survival = np.cumprod(1 - d / n)
    with np.errstate(all="ignore"):
        greenwood = np.cumsum(d / (n * (n - d)))
        error = survival * np.sqrt(greenwood)
    return {"time": times, "at_risk": n, "survival": survival, "std_error": error}
