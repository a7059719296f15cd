import numpy as np
import pandas as pd


def usable_rows(entry, time, cause):
    table = pd.DataFrame({"entry": entry, "time": time, "cause": cause})
    table = table[np.isfinite(table["entry"]) & np.isfinite(table["time"])]
    return table.query("0 <= entry < time and cause >= 0").index.to_numpy(dtype=np.int64)


def _life_table(entry, time, cause, n_causes):
    rows = usable_rows(entry, time, cause)
    table = pd.DataFrame({"entry": entry[rows], "time": time[rows], "cause": cause[rows]})
    events = table[table["cause"] > 0]
    died = pd.crosstab(events["time"], events["cause"])
    died = died.reindex(columns=range(1, n_causes + 1), fill_value=0).sort_index()
    u = died.index.to_numpy(dtype=float)
    entered = (table["entry"].to_numpy()[None, :] < u[:, None]).sum(axis=1)
    left = (table["time"].to_numpy()[None, :] < u[:, None]).sum(axis=1)
    d, n = died.to_numpy(dtype=float).reshape(len(u), n_causes), entered - left
    survival = np.ones(len(u))
    survival[1:] = np.cumprod(1 - d.sum(axis=1) / n)[:-1]
    return u, (survival / n)[:, None] * d


def cumulative_incidence(entry, time, cause, n_causes, at):
    u, rises = _life_table(entry, time, cause, n_causes)
    return ((u[None, :] <= np.asarray(at)[:, None]).astype(float) @ rises).T.copy()


def years_lost(entry, time, cause, n_causes, horizon):
    u, rises = _life_table(entry, time, cause, n_causes)
    return np.clip(horizon - u, 0, None) @ rises
