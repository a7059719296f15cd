import numpy as np

from biomlbench.verify.cases import Transformed


def nan_just_without_a_class(inputs, output):
    """The result is NaN if a class has no weight, and a number from 0 to 1 otherwise."""
    labels, weights = inputs["labels"], inputs["weights"]
    weights = np.ones(len(labels)) if weights is None else weights
    undefined = not (weights[labels == 1].sum() > 0 and weights[labels == 0].sum() > 0)
    if undefined or np.isnan(output):
        return bool(undefined and np.isnan(output))
    return bool(-1e-9 <= output <= 1 + 1e-9)


def certain_where_separated(inputs, output):
    """Classes that do not overlap have an AUC of 1 or 0, and equal scores one of 1/2."""
    scores, labels, weights = inputs["scores"], inputs["labels"], inputs["weights"]
    weights = np.ones(len(scores)) if weights is None else weights
    scores, labels, weights = (values[weights > 0] for values in (scores, labels, weights))
    up, down = scores[labels == 1], scores[labels == 0]
    if not len(up) or not len(down):
        return None
    if up.min() > down.max():
        return bool(abs(output - 1) < 1e-9)
    if up.max() < down.min():
        return bool(abs(output) < 1e-9)
    if scores.min() == scores.max():
        return bool(abs(output - 0.5) < 1e-9)
    if weights.max() > 1e3 * weights.min():
        return None  # what overlaps may weigh next to nothing
    return bool(1e-9 < output < 1 - 1e-9)


def bend_scores(inputs, rng):
    """Send the scores through a function that grows throughout."""
    scores = inputs["scores"]
    ranks = np.unique(scores, return_inverse=True)[1]
    return Transformed([{**inputs, "scores": np.exp(ranks / 20) - 3}])


def weight_by_count(inputs, rng):
    """Give samples whole weights, and then in their place as many copies of each."""
    counts = rng.integers(1, 4, len(inputs["labels"]))
    weighted = {**inputs, "weights": counts.astype(float)}
    copied = {
        "labels": np.repeat(inputs["labels"], counts),
        "scores": np.repeat(inputs["scores"], counts),
        "weights": None,
    }
    return Transformed([weighted, copied])
