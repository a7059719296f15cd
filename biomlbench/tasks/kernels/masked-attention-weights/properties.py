import numpy as np

from biomlbench.verify.cases import Transformed, within


def rows_sum_to_one_or_zero(inputs, output):
    """Rows with an unmasked key sum to 1, the others to 0, and no weight is negative."""
    weights = np.asarray(output, float)
    want = np.asarray(inputs["mask"]).any(axis=1).astype(float)
    if np.isnan(weights).any() or (weights < 0).any():
        return "a weight is negative or NaN"
    return within(np.abs(weights.sum(axis=1) - want).max(), 1e-9, "a row has the wrong sum")


def shift_scores(inputs, rng):
    """Shift all keys by one vector, which shifts each query's scores by one number."""
    shift = rng.normal(size=inputs["k"].shape[1])
    return Transformed([{**inputs, "k": inputs["k"] + shift}])


def scores(inputs):
    """The scaled dot products, masked ones included."""
    return inputs["q"] @ inputs["k"].T / np.sqrt(inputs["q"].shape[1])


def within_scores(q, k, mask):
    """Queries so small that all scores are promised; where all were alike they are at an end."""
    largest = (np.abs(q) @ np.abs(k).T).max() / np.sqrt(q.shape[1])
    return {"q": q if largest <= 1e4 else q * (1e4 / largest), "k": k, "mask": mask}
