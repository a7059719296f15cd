import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

SKIPPED = ("#", ";", "!", "/")


def read_mgf(text):
    result, current = [], None
    for line in text.replace("\r\n", "\n").split("\n"):
        line = line.strip()
        if line == "" or line.startswith(SKIPPED):
            continue
        if line == "BEGIN IONS":
            current, peaks = {"title": "", "mz": float("nan"), "charge": 0}, []
        elif current is None:
            continue
        elif line == "END IONS":
            merged = {}
            for mz, height in sorted(peaks):
                merged[mz] = merged.get(mz, 0.0) + height
            current["peaks"] = np.array([list(item) for item in merged.items()]).reshape(-1, 2)
            result.append(current)
            current = None
        elif line[0] in "0123456789":
            words = line.split()
            height = float(words[1]) if len(words) > 1 else 1.0
            if height:
                peaks.append((float(words[0]), height))
        else:
            at = line.index("=")
            key, value = line[:at].strip().upper(), line[at + 1 :].strip()
            if key == "TITLE":
                current["title"] = value
            if key == "PEPMASS":
                current["mz"] = float(value.split()[0])
            if key == "CHARGE":
                number = int(value.replace("+", "").replace("-", ""))
                current["charge"] = -number if "-" in value else number
    return result


def match_peaks(a, b, ppm):
    n, m = len(a), len(b)
    rows, columns, gains = [], [], []
    for i in range(n):
        for j in np.flatnonzero(np.abs(b[:, 0] - a[i, 0]) <= ppm * 5e-7 * (b[:, 0] + a[i, 0])):
            rows.append(i)
            columns.append(int(j))
            gains.append(np.sqrt(a[i, 1]) * np.sqrt(b[j, 1]))
    if not rows:
        return []
    # each row of a has a column of its own for being left alone
    high = 2 * max(gains) + 1.0
    cost = [high - gain for gain in gains] + [high] * n
    graph = csr_array(
        (cost, (rows + list(range(n)), columns + list(range(m, m + n)))), shape=(n, m + n)
    )
    found = zip(*min_weight_full_bipartite_matching(graph))
    return sorted((int(i), int(j)) for i, j in found if j < m)


def similarity(a, b, ppm):
    size = np.sqrt(a[:, 1].sum()) * np.sqrt(b[:, 1].sum())
    if size == 0:
        return 0.0
    rooted = [(np.sqrt(a[i, 1]), np.sqrt(b[j, 1])) for i, j in match_peaks(a, b, ppm)]
    return float(sum(x * y for x, y in rooted) / size)
