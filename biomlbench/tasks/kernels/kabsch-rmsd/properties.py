import numpy as np

from biomlbench.verify.cases import within


def at_most_unrotated(inputs, output):
    """The optimum is no worse than superposing the centroids alone."""
    p = inputs["mobile"] - inputs["mobile"].mean(axis=0)
    q = inputs["target"] - inputs["target"].mean(axis=0)
    plain = np.sqrt(np.mean(np.sum((p - q) ** 2, axis=1)))
    # the statement promises 1e-5 for sets that are alike
    return within(max(float(output) - plain, 0.0), 1e-5 + 1e-9 * plain, "worse than no rotation")


SMALL = 0.005
"""Roots below this are as exact as their squares, of which rounding takes as much near 0."""


def squared_near_zero(output):
    """A small root's square in units of such a root's length, and others less a constant."""
    root = float(output)
    if abs(root) < SMALL:
        return root * abs(root) / (2 * SMALL)
    return root - SMALL / 2 if root > 0 else root + SMALL / 2
