import numpy as np

from biomlbench.verify.cases import Transformed


def _whole(inputs):
    x, y = inputs["x"], inputs["y"]
    both = ~(np.isnan(x) | np.isnan(y))
    return x[both], y[both]


def nan_just_where_undefined(inputs, output):
    """The result is NaN without two different values on each side, and in [-1, 1] otherwise."""
    x, y = _whole(inputs)
    undefined = len(set(x.tolist())) < 2 or len(set(y.tolist())) < 2
    if undefined or np.isnan(output):
        return bool(undefined and np.isnan(output))
    return bool(abs(output) <= 1)


def _places(values):
    """How many different values lie below each."""
    return np.unique(values, return_inverse=True)[1]


def one_just_where_in_order(inputs, output):
    """The result is 1 or -1 just where both sides have the same or the opposite order."""
    x, y = _whole(inputs)
    if len(set(x.tolist())) < 2 or len(set(y.tolist())) < 2:
        return None
    places, (rising, falling) = _places(x), (_places(y), _places(-y))
    same, opposite = np.array_equal(places, rising), np.array_equal(places, falling)
    return (abs(output - 1) < 1e-9) == same and (abs(output + 1) < 1e-9) == opposite


def bend(inputs, rng):
    """Send each side through a function that grows throughout."""
    return Transformed([{"x": np.arctan(inputs["x"]), "y": inputs["y"] ** 3 + inputs["y"]}])


def scatter_missing(inputs, rng):
    """Put further pairs of which one value is missing between the others."""
    n = len(inputs["x"])
    x, y = np.r_[inputs["x"], rng.normal(size=6)], np.r_[inputs["y"], rng.normal(size=6)]
    x[n : n + 3] = np.nan
    y[n + 3 :] = np.nan
    order = rng.permutation(n + 6)
    return Transformed([{"x": x[order], "y": y[order]}])
