# pattern: peaks-misread
# caught_by: gate
import numpy as np
from scipy.optimize import linear_sum_assignment

COMMENTS = "#;!/"


def read_mgf(text):
    spectra, lines = [], None
    for line in map(str.strip, text.replace("\r\n", "\n").split("\n")):
        if not line or line[0] in COMMENTS:
            continue
        if line == "BEGIN IONS":
            lines = []
        elif line == "END IONS" and lines is not None:
            spectra.append(_spectrum(lines))
            lines = None
        elif lines is not None:
            lines.append(line)
    return spectra


def match_peaks(a, b, ppm):
    weights, near = _weights(a, b, ppm)
    rows, columns = linear_sum_assignment(weights, maximize=True)
    return [(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if near[i, j]]


def similarity(a, b, ppm):
    weights, _ = _weights(a, b, ppm)
    total = sum(weights[i, j] for i, j in match_peaks(a, b, ppm))
    norm = np.sqrt(a[:, 1].sum()) * np.sqrt(b[:, 1].sum())
    return float(total / norm) if norm > 0 else 0.0


def _spectrum(lines):
    found = {"title": "", "mz": float("nan"), "charge": 0}
    peaks = {}
    for line in lines:
        if line[0].isdigit():
            mz, *rest = line.split()
            intensity = float(rest[0]) if rest else 1.0
            if intensity > 0:
                peaks[float(mz)] = peaks.get(float(mz), 0.0) + intensity
            continue
        key, _, value = line.partition("=")
        key, value = key.strip().upper(), value.strip()
        if key == "TITLE":
            found["title"] = value
        elif key == "PEPMASS":
            found["mz"] = float(value.split()[0])
        elif key == "CHARGE":
            sign = -1 if "-" in value else 1
            found["charge"] = sign * int(value.strip("+-"))
    found["peaks"] = np.array(sorted(peaks.items()), dtype=float).reshape(-1, 2)
    return found


def _weights(a, b, ppm):
    x, y = a[:, 0][:, None], b[:, 0][None, :]
    near = np.abs(x - y) <= ppm * 1e-6 * (x + y) / 2
    return np.where(near, np.sqrt(a[:, 1][:, None] * b[:, 1]), 0.0), near
