import numpy as np
from scipy.optimize import linear_sum_assignment

from biomlbench.verify.cases import Transformed, joined_lines, within


def _near(a, b, ppm):
    x, y = a[:, 0][:, None], b[:, 0]
    return np.abs(x - y) / (x + y) <= ppm * 0.5e-6 * (1 + 1e-12)


def spectra(inputs):
    """How many spectra a file has."""
    return sum(line.strip() == "END IONS" for line in inputs["text"].split("\n"))


def characters(inputs):
    """How many characters a file has."""
    return len(inputs["text"])


def paired_mz(inputs):
    """All m/z."""
    return np.concatenate([inputs["a"][:, 0], inputs["b"][:, 0]])


scored_mz = paired_mz


def file_of_peaks(mz, intensity, charges):
    """A file with two peaks a spectrum, all lines of one width."""
    lines = []
    for number, charge in enumerate(charges):
        lines += ["BEGIN IONS", f"TITLE=drawn {number}", f"CHARGE={charge}+"]
        for k in (2 * number, 2 * number + 1):
            lines.append(f"{mz[k]:09.4f} {intensity[k]:08.3f}")
        lines.append("END IONS")
    return {"text": "\n".join([*lines, ""])}


def two_spectra(mz_a, intensity_a, mz_b, intensity_b, ppm):
    """Two spectra in which many peaks can be paired."""
    x, y = mz_a[:, None], mz_b
    if (np.abs(np.abs(x - y) / (ppm * 0.5e-6 * (x + y)) - 1) < 1e-9).any():
        raise ValueError("a difference is at the tolerance")
    a, b = np.column_stack([mz_a, intensity_a]), np.column_stack([mz_b, intensity_b])
    return {"a": a, "b": b, "ppm": ppm}


def peaks_in_order(inputs, output):
    """In each spectrum m/z rises from peak to peak, and every peak has an intensity."""
    for spectrum in output:
        peaks = np.asarray(spectrum["peaks"])
        if peaks.ndim != 2 or peaks.shape[1] != 2:
            return "peaks are not rows of two numbers"
        if (np.diff(peaks[:, 0]) <= 0).any() or (peaks[:, 1] <= 0).any():
            return "peaks are not sorted, not put together, or have no intensity"
    return True


def pairs_are_allowed(inputs, output):
    """Pairs are near enough, sorted by the first row, and no row is in two of them."""
    near = _near(inputs["a"], inputs["b"], inputs["ppm"])
    if not isinstance(output, list):
        return "not a list"
    for pair in output:
        if not isinstance(pair, tuple) or len(pair) != 2:
            return "not a pair"
        if any(np.ndim(k) or np.asarray(k).dtype.kind not in "iu" for k in pair):
            return "not a pair of rows"
        if not (0 <= pair[0] < near.shape[0] and 0 <= pair[1] < near.shape[1]):
            return "a row that does not exist"
        if not near[pair[0], pair[1]]:
            return "two peaks are paired that are too far apart"
    first, second = [int(i) for i, _ in output], [int(j) for _, j in output]
    if len(set(first)) != len(first) or len(set(second)) != len(second):
        return "a peak is in two pairs"
    return first == sorted(first) or "the pairs are not sorted"


def largest_total(inputs, output):
    """No other choice of pairs has a larger total weight."""
    a, b = inputs["a"], inputs["b"]
    roots = np.sqrt(a[:, 1])[:, None] * np.sqrt(b[:, 1])
    weights = np.where(_near(a, b, inputs["ppm"]), roots, 0)
    best = weights[linear_sum_assignment(weights, maximize=True)].sum()
    got = sum(weights[i, j] for i, j in output)
    return within(max(best - got, 0), 1e-9 * best, "another choice of pairs weighs more")


def brighter_spectrum(inputs, rng):
    """Multiply all intensities of the first spectrum by one factor."""
    return Transformed([{**inputs, "a": inputs["a"] * [1.0, 37.0]}])


def rewrite_text(inputs, rng):
    """Write keys in small letters, indent lines, and put remarks and peaks between spectra."""
    lines = []
    for line in inputs["text"].replace("\r", "").split("\n"):
        key, sign, value = line.partition("=")
        if line == "BEGIN IONS":
            lines += ["TITLE=not in a spectrum", "CHARGE=9+", "50.5 5"]
        lines += [f"\t{key.lower()} {sign}{value} " if sign else f"  {line}\t", "# 100 1", ""]
    return Transformed([{**inputs, "text": "\r\n".join(lines)}])


def spectra_at_edges(mz_a, intensity_a, mz_b, intensity_b, ppm, far, alike):
    """Two spectra that share m/z, with no difference at the tolerance.

    They are `far` off by so much; or a few peaks of both follow one another at one end of the m/z
    that there are, each within tolerance of two of the other spectrum, and others are at the other
    end.
    """
    a, b = np.column_stack([mz_a, intensity_a]), np.column_stack([mz_b, intensity_b])
    if far == "ends":
        a, b = _in_turn_at_the_ends(a[:2], b[:3], ppm)
    else:
        a[:, 0] += far
        b[:, 0] += far
    for peaks, name in ((a, "a"), (b, "b")):
        if alike == name:
            peaks[:, 1] = _hardly_differing(peaks[:, 1])
    x, y = a[:, :1], b[:, 0]
    if (np.abs(np.abs(x - y) / (ppm * 0.5e-6 * (x + y)) - 1) < 1e-6).any():
        return None
    return {"a": a, "b": b, "ppm": ppm}


def _in_turn_at_the_ends(a, b, ppm):
    """Peaks of two spectra in turn, some share of a tolerance apart, and low ones besides."""
    share = 0.5 + 0.5 * np.ptp(a[:, 0]) if len(a) else 0.7
    for peaks, first in ((a, 0), (b, -1)):
        steps = share * (2 * np.arange(len(peaks)) + first) + 0.1 * (peaks[:, 0] - 100.5)
        peaks[:, 0] = 4990 * (1 + 1e-6 * ppm * steps)
    low = np.array([[34.0, 5.0], [54.0, 4.0], [74.0, 3.0]])
    return np.concatenate([a, low]), np.concatenate([b, low[::-1]])


def _hardly_differing(intensity):
    """Intensities that single precision does not tell apart, as different as others are."""
    return 1e8 * (1 - 2e-8 * (np.floor(intensity) % 4))


def file_at_edges(
    mz, intensity, title, mass, charge, form, between, twin, outside, last, end, finish
):
    """A file of a spectrum with odd lines, and one with a peak alone."""
    if "|" in outside and not last:
        return None  # within a spectrum there are no such lines, not even in one that never ends
    outside = outside.split("|")
    lines = [*outside, "BEGIN IONS", *title.split("\n"), *mass.split("\n"), charge]
    for peak in zip(mz, intensity, strict=True):
        texts = [f"{number:.2f}" for number in peak]
        lines += [form.format(*texts), between]
        if twin:
            lines.append(form.format(texts[0] + twin, texts[1]))
    if last:
        lines += [last, *outside, "BEGIN IONS", "50.5 3", "END IONS"]
    return {"text": joined_lines([*lines, *outside], end.split("|"), finish)}
