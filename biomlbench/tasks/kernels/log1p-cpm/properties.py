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
    for row, values in zip(counts, out, strict=True):
        order = np.argsort(row, kind="stable")
        step, gain = np.diff(row[order]), np.diff(values[order])
        apart = step > 1e-9 * row[order][1:]
        # numbers hardly apart may be rounded to one
        if (
            (gain < -1e-12).any()
            or (gain[apart] <= 0).any()
            or (np.abs(gain[step == 0]) > 1e-9).any()
        ):
            return "the order of the counts of a cell is lost"
    return None
