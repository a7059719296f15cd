import numpy as np

from biomlbench.verify.cases import Transformed, within

# vectors with a gain below this say too little about the normalised values
SMALL_GAIN = 1e-3
# and so do those with a bias so large beside it
LARGE_BIAS = 1e6


def standardised(inputs, output):
    """Without gain and bias, every vector has mean 0 and variance var / (var + eps)."""
    x, gamma = np.asarray(inputs["x"], float), inputs["gamma"]
    if x.size == 0 or np.abs(gamma).min() < SMALL_GAIN:
        return None
    if np.abs(inputs["beta"] / gamma).max() > LARGE_BIAS:
        return None
    z = (np.asarray(output, float) - inputs["beta"]) / gamma
    variance = np.var(x - x[..., :1], axis=-1)
    off_mean = np.abs(z.mean(axis=-1)).max()
    off_variance = np.abs(np.mean(z**2, axis=-1) - variance / (variance + inputs["eps"])).max()
    return within(max(off_mean, off_variance), 1e-6, "a vector has the wrong mean or variance")


def scale_with_eps(inputs, rng):
    """Multiply x by one number and eps by its square."""
    factor = float(rng.uniform(2, 5))
    eps = inputs.get("eps", 1e-5)
    return Transformed([{**inputs, "x": inputs["x"] * factor, "eps": eps * factor**2}])


def room(inputs):
    """Spread or root of eps of each vector of unequal numbers, in units of its largest one."""
    x = np.asarray(inputs["x"], float)
    spread = np.std(x - x[..., :1], axis=-1)
    found = np.maximum(spread, np.sqrt(inputs["eps"]))[spread > 0]
    return found / np.abs(x).max(axis=-1)[spread > 0]


def numbers(inputs):
    """Number of activations."""
    return np.size(inputs["x"])
