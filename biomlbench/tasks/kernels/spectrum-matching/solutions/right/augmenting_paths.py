import math

import numpy as np


def read_mgf(text):
    spectra = []
    inside = False
    for line in text.replace("\r\n", "\n").split("\n"):
        line = line.strip()
        if not line or line[0] in "#;!/":
            continue
        if line == "BEGIN IONS":
            inside, title, mz, charge, peaks = True, "", math.nan, 0, {}
        elif line == "END IONS":
            if inside:
                table = np.array([[x, peaks[x]] for x in sorted(peaks)], float).reshape(-1, 2)
                spectra.append({"title": title, "mz": mz, "charge": charge, "peaks": table})
            inside = False
        elif inside and "0" <= line[0] <= "9":
            numbers = line.split()[:2]
            x, y = float(numbers[0]), float(numbers[1]) if len(numbers) == 2 else 1.0
            if y > 0:
                peaks[x] = peaks.get(x, 0.0) + y
        elif inside:
            key, value = (part.strip() for part in line.split("=", 1))
            if key.upper() == "TITLE":
                title = value
            elif key.upper() == "PEPMASS":
                mz = float(value.split()[0])
            elif key.upper() == "CHARGE":
                charge = int("".join(filter(str.isdigit, value)))
                charge = -charge if "-" in value else charge
    return spectra


def match_peaks(a, b, ppm):
    """Shortest augmenting paths with potentials (Jonker and Volgenant 1987).

    Each peak of the first spectrum has a column of its own beside those of the second, which it
    takes where no pair is worth more.
    """
    n, m = len(a), len(b)
    x, y = a[:, :1], b[:, 0]
    near = np.abs(x - y) <= ppm * 1e-6 * (x + y) / 2
    cost = np.full((n, m + n), np.inf)
    cost[:, :m][near] = -(np.sqrt(a[:, 1:]) * np.sqrt(b[:, 1]))[near]
    cost[np.arange(n), m + np.arange(n)] = 0.0
    row_of, column_of = np.full(m + n, -1), np.full(n, -1)
    of_rows, of_columns = np.zeros(n), np.zeros(m + n)
    for start in range(n):
        distance, before = np.full(m + n, np.inf), np.full(m + n, -1)
        seen = np.zeros(m + n, bool)
        i, least = start, 0.0
        while i >= 0:
            through = least + cost[i] - of_rows[i] - of_columns
            shorter = ~seen & (through < distance)
            distance[shorter], before[shorter] = through[shorter], i
            j = int(np.argmin(np.where(seen, np.inf, distance)))
            least, seen[j] = distance[j], True
            i = row_of[j]
        of_rows[start] += least
        passed = np.flatnonzero(seen & (row_of >= 0))
        of_rows[row_of[passed]] += least - distance[passed]
        of_columns[passed] -= least - distance[passed]
        while i != start:
            i = before[j]
            row_of[j] = i
            column_of[i], j = j, column_of[i]
    return [(i, j) for i, j in enumerate(column_of.tolist()) if j < m]


def similarity(a, b, ppm):
    total = math.fsum(math.sqrt(a[i, 1]) * math.sqrt(b[j, 1]) for i, j in match_peaks(a, b, ppm))
    norm = math.sqrt(math.fsum(a[:, 1])) * math.sqrt(math.fsum(b[:, 1]))
    return total / norm if norm else 0.0
