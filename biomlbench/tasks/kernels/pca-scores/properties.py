import numpy as np

from biomlbench.verify.cases import Transformed, within

LEAST_SPREAD = 1e-100
"""Scale of data that are all 0, whose square is still a number."""
SHOWS = 2e-7
"""Singular values beside the largest from which on those of products have digits left, too."""
NEAR_TOP = 0.9
"""Elements within this factor of the largest count as largest, so that rounding decides nothing,
also in a column of which it has left three digits."""


def signs_fixed(output):
    """Turn each column so that its first element of (nearly) largest size is positive."""
    scores = np.array(output, dtype=float)
    if scores.ndim != 2 or scores.size == 0:
        return scores
    size = np.abs(scores)
    lead = np.argmax(size >= NEAR_TOP * size.max(axis=0), axis=0)
    return scores * np.where(scores[lead, np.arange(scores.shape[1])] < 0, -1.0, 1.0)


def spread(inputs):
    """Largest distance of a sample from the mean, as the scale of what rounding may do."""
    centred = inputs["x"] - inputs["x"].mean(axis=0)
    largest = float(np.sqrt((centred**2).sum(axis=1).max()))
    return max(largest, np.abs(inputs["x"]).max() * 1e-12, LEAST_SPREAD)


def uncorrelated_and_falling(inputs, output):
    """Columns have mean 0, are uncorrelated, and their variances fall."""
    scores = np.asarray(output, float)
    scale = spread(inputs)
    gram = scores.T @ scores / len(scores)
    variance = np.diag(gram)
    off = np.abs(gram - np.diag(variance)).max() / scale**2
    rise = np.maximum(np.diff(variance), 0).max(initial=0.0) / scale**2
    mean = np.abs(scores.mean(axis=0)).max() / scale
    return within(max(mean, off, rise), 1e-7, "columns are not centred, uncorrelated and falling")


def projection_of_the_data(inputs, output):
    """Samples lie no farther apart than in the data, and as far where all components are kept."""
    x, scores = inputs["x"], np.asarray(output, float)
    gap = _distances(x) - _distances(scores)
    everything = inputs["k"] == min(x.shape)
    worst = np.abs(gap).max() if everything else np.maximum(-gap, 0).max()
    # columns without variance are 0 to within 1e-6 of the largest score, and equal samples that far
    return within(worst / spread(inputs), 1e-5, "distances are not those of a projection")


def no_component_is_lost(inputs, output):
    """A column is right even where its scores are small beside the largest."""
    x = inputs["x"] - inputs["x"].mean(axis=0)
    u, s, _ = np.linalg.svd(x - x.mean(axis=0), full_matrices=False)
    small = np.flatnonzero((s[: inputs["k"]] > SHOWS * s[0]) & (s[: inputs["k"]] > 0))
    if not len(small) or s[0] <= spread(inputs) * 1e-3:
        return None
    want, got = (u * s)[:, small], np.asarray(output, float)[:, small]
    off = _apart_up_to_sign(got, want).max()
    return within(off / np.abs(u * s).max(), 1e-7, "a small component is not as it should be")


def _apart_up_to_sign(one, other):
    """How far each column is from another one or from its negative."""
    ways = [np.abs(one - way * other).max(axis=0, initial=0) for way in (1, -1)]
    return np.minimum(*ways)


def captures_most(inputs, output):
    """The components capture at least the variance of the k most variable features."""
    x = inputs["x"] - inputs["x"].mean(axis=0)
    features = np.sort((x**2).sum(axis=0))[::-1][: inputs["k"]].sum()
    lost = features - (np.asarray(output, float) ** 2).sum()
    scale = len(x) * spread(inputs) ** 2
    return within(max(lost, 0) / scale, 1e-8, "plain features have more variance")


def _distances(x):
    return np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2))


def turn_features(inputs, rng):
    """Turn the axes of the feature space by a random orthogonal matrix."""
    d = inputs["x"].shape[1]
    turn, _ = np.linalg.qr(rng.normal(size=(d, d)))
    return Transformed([{**inputs, "x": inputs["x"] @ turn}])


def fewer_components(inputs, rng):
    """Ask for one component only."""
    return Transformed([{**inputs, "k": 1}])


def add_constant_feature(inputs, rng):
    """Append a feature that is the same for all samples."""
    extra = np.full((len(inputs["x"]), 1), 40.0)
    return Transformed([{**inputs, "x": np.hstack([inputs["x"], extra])}])


def same_up_to_sign(base, variants, info, *, tolerance=1e-8):
    """The scores stay what they were, up to the sign of a column."""
    got = np.asarray(variants[0].output, float)
    order = info.get("permutation", slice(None))
    want = np.asarray(base.output, float)[order][:, : got.shape[1]]
    if got.shape != want.shape:
        return "the shape changed"
    off = _apart_up_to_sign(got, want * info.get("factor", 1.0)).max()
    return within(off / np.abs(want).max(), tolerance, "the scores changed")


def with_spectrum(left, right, mean, take):
    """Build data with falling singular values in the drawn directions."""
    u, _ = np.linalg.qr(left - left.mean(axis=0))
    v, _ = np.linalg.qr(right)
    rank = min(len(left) - 1, len(right), u.shape[1])
    values = 10 * 0.6 ** np.arange(rank)
    k = 1 + int(take * (rank - 1))
    return {"x": (u[:, :rank] * values) @ v[:, :rank].T + mean, "k": k}


def spectrum_at_edges(
    size, ratio, rank, offset, far, constant, directions, small, k, rows, columns
):
    """Data of a given rank with falling variances, some features of which do not vary."""
    rng = np.random.default_rng([len(rows), len(columns), rank, k])
    n, d = len(rows), len(columns)
    varying = max(d - constant, 1)
    rank = min(rank, n - 1, varying)
    if rank == 0 and offset:
        return None  # what rounding leaves of the mean would be the largest score
    x = np.full((n, d), offset * size)
    if far == "one":
        x[:, 1:] = 0
    strength = 10 * size * ratio ** np.arange(rank)
    strength[(rank + 1) // 2 :] *= small
    if directions == "simple":
        x[:, :varying] += _along_simple_directions(rng, n, varying, strength)
    else:
        left = rng.normal(size=(n, rank))
        u, _ = np.linalg.qr(left - left.mean(axis=0))
        if directions == "axes":
            v = rng.permutation(np.eye(varying))[:, :rank]
        else:
            v, _ = np.linalg.qr(rng.normal(size=(varying, rank)))
        x[:, :varying] += (u * strength) @ v.T
    return {"x": x, "k": min(k, n, d)}


def _along_simple_directions(rng, n, d, strength):
    """Pairs of samples on both sides of the mean, each along another row of a Hadamard matrix."""
    rows = np.ones((1, 1))
    while 2 * len(rows) <= d:
        rows = np.block([[rows, rows], [rows, -rows]])
    places = rng.permutation(d)[: len(rows)]
    pairs = zip(strength[: n // 2], rng.permutation(rows), strict=False)
    x = np.zeros((n, d))
    for i, (size, row) in enumerate(pairs):
        x[2 * i, places], x[2 * i + 1, places] = size * row, -size * row
    return x
