import numpy as np

from biomlbench.verify.cases import within


def back_to_target(inputs, output):
    """Undone with expm1, every cell with counts sums to the target, and the others to 0."""
    x = np.expm1(np.asarray(output, float))
    filled = np.asarray(inputs["counts"], float).sum(axis=1) > 0
    off = np.abs(x.sum(axis=1) - np.where(filled, inputs["target"], 0.0))
    return within(off.max(initial=0.0) / inputs["target"], 1e-8, "a cell has another total")


def keeps_zeros_and_order(inputs, output):
    """Zero stays zero, counts become positive, and equal counts of a cell become equal values."""
    counts, out = np.asarray(inputs["counts"], float), np.asarray(output, float)
    if not ((out > 0) == (counts > 0)).all() or (out < 0).any():
        return "zeros are not where the counts have them"
    order = np.argsort(counts, axis=1, kind="stable")
    rising = np.take_along_axis(counts, order, axis=1)
    step, gain = np.diff(rising), np.diff(np.take_along_axis(out, order, axis=1))
    apart = step > 1e-9 * rising[:, 1:]
    # numbers hardly apart may be rounded to one
    if (gain < -1e-12).any() or (gain[apart] <= 0).any() or (np.abs(gain[step == 0]) > 1e-9).any():
        return "the order of the counts of a cell is lost"
    return None
