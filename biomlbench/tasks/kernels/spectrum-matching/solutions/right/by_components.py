import re

import numpy as np
from scipy.optimize import linear_sum_assignment


def read_mgf(text):
    kept = [line.strip() for line in text.split("\n")]
    kept = [line for line in kept if line and not re.match("[#;!/]", line)]
    spectra = []
    for block in re.findall(r"^BEGIN IONS$(.*?)^END IONS$", "\n".join(kept), re.M | re.S):
        rows = block.split("\n")
        keys = {}
        for row in rows:
            if re.match("[^0-9]", row):
                key, value = row.split("=", 1)
                keys[key.strip().lower()] = value.strip()
        charge = keys.get("charge", "0")
        numbers = [row.split() for row in rows if re.match("[0-9]", row)]
        mz = np.array([float(row[0]) for row in numbers])
        height = np.array([float(row[1]) if len(row) > 1 else 1.0 for row in numbers])
        mz, place = np.unique(mz[height > 0], return_inverse=True)
        peaks = np.column_stack([mz, np.bincount(place, height[height > 0], len(mz))])
        spectra.append(
            {
                "title": keys.get("title", ""),
                "mz": float(keys["pepmass"].split()[0]) if "pepmass" in keys else np.nan,
                "charge": int(re.search(r"\d+", charge)[0]) * (-1 if "-" in charge else 1),
                "peaks": peaks.reshape(-1, 2),
            }
        )
    return spectra


def match_peaks(a, b, ppm):
    # peaks in reach of one another are matched group by group, in order of m/z
    everything = sorted(
        [(a[i, 0], 0, i) for i in range(len(a))] + [(b[j, 0], 1, j) for j in range(len(b))]
    )
    groups, last = [], -1e9
    for mz, side, row in everything:
        if mz - last > ppm * 1e-6 * mz * 1.01:
            groups.append(([], []))
        groups[-1][side].append(row)
        last = mz
    pairs = []
    for rows, columns in groups:
        if not rows or not columns:
            continue
        x, y = a[rows, 0][:, None], b[columns, 0]
        close = np.abs(x - y) * 2 <= ppm * 1e-6 * (x + y)
        cost = -np.sqrt(a[rows, 1])[:, None] * np.sqrt(b[columns, 1])
        for i, j in zip(*linear_sum_assignment(np.where(close, cost, 0))):
            if close[i, j]:
                pairs.append((int(rows[i]), int(columns[j])))
    return sorted(pairs)


def similarity(a, b, ppm):
    total = sum(np.sqrt(a[i, 1]) * np.sqrt(b[j, 1]) for i, j in match_peaks(a, b, ppm))
    size = np.sqrt(a[:, 1].sum()) * np.sqrt(b[:, 1].sum())
    return float(total) / float(size) if size else 0.0
