import numpy as np

from biomlbench.verify.cases import within


def at_most_unrotated(inputs, output):
    """The optimum is no worse than superposing the centroids alone."""
    p = inputs["mobile"] - inputs["mobile"].mean(axis=0)
    q = inputs["target"] - inputs["target"].mean(axis=0)
    plain = np.sqrt(np.mean(np.sum((p - q) ** 2, axis=1)))
    # the statement promises 1e-5 for sets that are alike
    return within(max(float(output) - plain, 0.0), 1e-5 + 1e-9 * plain, "worse than no rotation")


def squared(output):
    """The mean square with the sign of its root, of which rounding takes as much near 0."""
    return float(output) * abs(float(output))
