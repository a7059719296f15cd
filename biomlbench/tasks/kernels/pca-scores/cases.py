import numpy as np

from biomlbench.verify.cases import case

F = "pca_scores"


def spectrum(rng, n, d, values, mean=5.0):
    """Data whose centred singular values are given, in random directions."""
    left = rng.normal(size=(n, len(values)))
    left, _ = np.linalg.qr(left - left.mean(axis=0))
    right, _ = np.linalg.qr(rng.normal(size=(d, len(values))))
    return (left * values) @ right.T + mean * rng.normal(size=d)


def falling(count, ratio=0.6, first=10.0):
    return first * ratio ** np.arange(count)


def _drawn(name, seed, n, d, k, values=None, **kwargs):
    rng = np.random.default_rng(seed)
    values = falling(min(n - 1, d)) if values is None else np.asarray(values)
    return case(name, F, spectrum(rng, n, d, values, **kwargs), k)


def _steps():
    place = np.arange(16)
    return np.column_stack([2.0**20 + (place % 4) / 256, (place // 4) / 1024.0])


def _apart():
    alone, shared = np.array([1.0, -1, 1, -1]), np.array([1.0, 1, -1, -1])
    return np.column_stack([2 * alone, 1.75 * shared, 1.75 * shared]) + 3


def visible():
    return [
        case("one-line", F, np.array([[1.0, 2], [3, 6], [2, 4]]), 1),
        case("cross", F, np.array([[3.0, 0], [-3, 0], [0, 1], [0, -1]]) + 4, 2),
        _drawn("small", 1, 6, 3, 2),
    ]


def hidden():
    rng = np.random.default_rng(4)
    scales = np.array([30.0, 8.0, 2.0, 0.5])
    return [
        _drawn("tall", 10, 25, 4, 2),
        _drawn("wide", 11, 6, 15, 3),
        _drawn("square", 12, 7, 7, 3),
        _drawn("all-components", 13, 20, 5, 5),
        _drawn("one-component", 14, 15, 6, 1),
        case("unequal-scales", F, rng.normal(size=(30, 4)) * scales + 7, 3),
        _drawn("largest", 40, 500, 20, 5),
        case("one-feature", F, rng.normal(size=(9, 1)) + 3, 1),
        case("genotypes", F, rng.binomial(2, np.linspace(0.1, 0.6, 6), (30, 6)).astype(float), 2),
        _drawn("uncentred", 15, 18, 5, 3, mean=60.0),
        _drawn("small-units", 16, 14, 5, 3, values=falling(5) * 1e-4, mean=1e-3),
        _drawn("large-units", 17, 14, 5, 3, values=falling(5) * 1e5, mean=1e5),
        _drawn("longer", 18, 60, 8, 4),
        _drawn("slowly-falling", 41, 60, 20, 4, values=falling(20, ratio=0.95**0.5)),
        _drawn("largest-slowly-falling", 51, 500, 20, 20, values=falling(20, ratio=0.95**0.5)),
        # the first few of many that are hardly apart, for methods that get nearer step by step
        *(
            _drawn(
                f"{k}-of-{min(n, d)}-slowly-falling",
                52 + k,
                n,
                d,
                k,
                values=falling(min(n - 1, d), ratio=0.955**0.5),
            )
            for n, d, k in (
                (500, 20, 1),
                (400, 20, 2),
                (500, 20, 3),
                (120, 20, 5),
                (250, 16, 8),
                (20, 20, 4),
            )
        ),
        _drawn("two-samples", 19, 2, 4, 1),
        _drawn("five-hundred-samples", 30, 500, 5, 3),
        _drawn("twenty-features", 31, 12, 20, 3, values=falling(6)),
    ]


def _hardly_correlated(name, seed, ratio, least):
    """Two features, uncorrelated but for the last digits, in which differences of variances end."""
    rng = np.random.default_rng(seed)
    u, _ = np.linalg.qr(np.hstack([np.ones((30, 1)), rng.normal(size=(30, 2))]))
    return case(name, F, np.stack([u[:, 1], ratio * u[:, 2] + least * u[:, 1]], axis=1) + 3, 2)


def _levels(shift):
    """A design of two levels, hardly shifted: all samples lie equally far from the mean."""
    signs = np.array([[i >> j & 1 for j in range(4)] for i in range(16)]) * 2.0 - 1
    return (signs + shift) * falling(4, first=4.0)


def _hardly_spread(seed, n, *spreads, mean=2.0):
    """Features that are all but uncorrelated, some of them of next to no spread."""
    return np.random.default_rng(seed).normal(size=(n, len(spreads))) * spreads + mean


def adversarial():
    rng = np.random.default_rng(6)
    low_rank = spectrum(rng, 10, 5, np.array([8.0, 3.0]))
    return [
        case("rank-two", F, low_rank, 4),
        _drawn("hardly-apart", 23, 40, 5, 3, values=20 * 0.95 ** (np.arange(5) / 2)),
        case("constant-feature", F, np.hstack([low_rank, np.full((10, 1), 9.0)]), 2),
        case("all-equal", F, np.full((4, 3), 2.5), 2),
        case("one-sample", F, np.array([[4.0, -2.0, 7.0]]), 1),
        case("as-many-as-samples", F, spectrum(rng, 4, 6, falling(3)), 4),
        _drawn("far-from-zero", 21, 16, 4, 2, values=falling(4), mean=1e6),
        # twice: many samples of few features invite the eigenvectors of a covariance
        _drawn("tall-and-far-from-zero", 42, 60, 4, 2, values=falling(4), mean=1e6),
        _drawn(
            "five-hundred-far-from-zero", 43, 500, 5, 3, values=falling(5, first=22.0), mean=1e6
        ),
        # all but centred, so that it matters whether that is taken for done
        *(
            _drawn(f"nearly-centred-{mean:g}", 44, 20, 5, 3, values=falling(5), mean=mean)
            for mean in (1e-4, 4e-6, 3e-7)
        ),
        *(case(f"levels-nearly-centred-{mean:g}", F, _levels(mean), 2) for mean in (9e-7, 3e-7)),
        _hardly_correlated("hardly-correlated", 49, 1.3, 1e-11),
        _hardly_correlated("hardly-correlated-far-apart", 47, 2.7, 1e-13),
        # whole numbers whose squares, or n of them, are beyond 32 or 64 bits
        *(
            case(f"whole-numbers-{size:g}", F, np.rint(size * spectrum(rng, 40, 3, falling(3))), 2)
            for size in (2e4, 1e8, 1e13)
        ),
        # spreads that are small beside the largest, and yet larger than what may be lost
        *(
            case(f"spreads-of-1-and-{least:g}", F, _hardly_spread(60, 30, 1.0, least), 2)
            for least in (3e-6, 9e-7, 7e-7, 4e-7, 2.5e-7)
        ),
        case("three-hardly-spread", F, _hardly_spread(61, 40, 8e-7, 5.0, 4e-6, 1.5e-6), 4),
        case("two-of-three-hardly-spread", F, _hardly_spread(62, 12, 9e-8, 6e-8, 1e-1, mean=0), 3),
        _drawn(
            "small-beside-the-first", 63, 50, 6, 6, values=[20.0, *(1.6e-5 * falling(5, 0.8, 1.0))]
        ),
        _drawn("outlier", 22, 12, 4, 2, values=[300.0, 6.0, 3.0, 1.0]),
        case("duplicated-feature", F, low_rank[:, [0, 0, 1, 1]], 2),
        _drawn("tiny-units", 24, 14, 5, 5, values=falling(5) * 1e-30, mean=1e-29),
        _drawn("tiniest-units", 50, 14, 5, 5, values=falling(5) * 1e-92, mean=1e-91),
        # a feature whose spread is next to nothing beside where it lies, and yet the largest
        case("steps-far-from-zero", F, rng.permuted(_steps(), axis=0), 2),
        # the feature of largest variance has no part in the first component
        case("largest-feature-apart", F, _apart(), 2),
    ]
