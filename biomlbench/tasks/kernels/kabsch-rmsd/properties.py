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


def extent_of_alike(inputs):
    """Greatest distance of an atom from the middle, in Å, where the root is small; else 0."""
    p = inputs["mobile"] - inputs["mobile"].mean(axis=0)
    q = inputs["target"] - inputs["target"].mean(axis=0)
    left, values, right = np.linalg.svd(p.T @ q)
    values[2] *= np.sign(np.linalg.det(left) * np.linalg.det(right))
    mean_square = (np.sum(p**2) + np.sum(q**2) - 2 * values.sum()) / len(p)
    return np.linalg.norm(p, axis=1).max() if mean_square < SMALL**2 else 0.0


def squared_near_zero(output):
    """A small root's square in units of such a root's length, and others less a constant."""
    root = float(output)
    if abs(root) < SMALL:
        return root * abs(root) / (2 * SMALL)
    return root - SMALL / 2 if root > 0 else root + SMALL / 2
