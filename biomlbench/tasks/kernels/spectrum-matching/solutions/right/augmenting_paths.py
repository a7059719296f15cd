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
        elif inside and line[0].isdigit():
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
    """Longest augmenting paths, found as in Bellman and Ford, until none gains anything."""
    near = [[] for _ in a]
    for i, (x, p) in enumerate(a.tolist()):
        for j, (y, q) in enumerate(b.tolist()):
            if abs(x - y) <= ppm * 1e-6 * (x + y) / 2:
                near[i].append((j, math.sqrt(p) * math.sqrt(q)))
    of_a, of_b = {}, {}
    weight = {(i, j): w for i, edges in enumerate(near) for j, w in edges}
    for start in range(len(a)):
        gain, back = {start: 0.0}, {}
        queue = [start]
        end, best = (start, None), 0.0
        while queue:
            i = queue.pop(0)
            for j, w in near[i]:
                if of_a.get(i) == j:
                    continue
                other = of_b.get(j)
                value = gain[i] + w - (weight[other, j] if other is not None else 0.0)
                if other is None:
                    if value > best + 1e-12 * abs(value):
                        best, end = value, (i, j)
                elif other != start and value > gain.get(other, -math.inf) + 1e-12 * abs(value):
                    gain[other], back[other] = value, (i, j)
                    if other not in queue:
                        queue.append(other)
        for i, value in gain.items():
            # giving up the last row of a path altogether
            if value > best + 1e-12 * abs(value):
                best, end = value, (i, None)
        i, j = end
        while best > 0:
            previous = back.get(i)
            if j is not None:
                of_a[i], of_b[j] = j, i
            else:
                of_a.pop(i, None)
            if previous is None:
                break
            i, j = previous
    return sorted(of_a.items())


def similarity(a, b, ppm):
    total = math.fsum(math.sqrt(a[i, 1]) * math.sqrt(b[j, 1]) for i, j in match_peaks(a, b, ppm))
    norm = math.sqrt(math.fsum(a[:, 1])) * math.sqrt(math.fsum(b[:, 1]))
    return total / norm if norm else 0.0
