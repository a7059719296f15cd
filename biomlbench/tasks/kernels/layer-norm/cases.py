import numpy as np

from biomlbench.verify.cases import case

F = "layer_norm"


def _random(name, seed, *shape, size=1.0, far=0.0, eps=1e-5):
    rng = np.random.default_rng(seed)
    x = far + size * rng.normal(size=shape)
    gamma, beta = rng.uniform(0.5, 2, shape[-1]), rng.normal(size=shape[-1])
    return case(name, F, x, gamma, beta, eps)


def visible():
    return [
        case("pair", F, np.array([[1.0, 3.0]]), np.ones(2), np.array([0.0, 10.0]), 1e-12),
        _random("small", 1, 2, 4),
        _random("batch", 2, 2, 3, 5),
    ]


def hidden():
    rng = np.random.default_rng(9)
    x = rng.normal(size=(4, 6))
    signed = np.array([-1.0, 2.0, 0.0, 0.5, -0.25, 3.0])
    return [
        _random("matrix", 10, 5, 7),
        _random("square", 11, 6, 6),
        _random("tokens", 12, 2, 4, 8),
        _random("wide", 13, 3, 64),
        _random("two-features", 14, 8, 2),
        _random("one-row", 15, 1, 9),
        _random("vector", 16, 5),
        _random("heads", 17, 2, 2, 3, 4),
        _random("large-eps", 18, 4, 5, eps=0.5),
        _random("small-spread", 19, 4, 6, size=0.01),
        _random("shifted", 20, 6, 5, far=50.0),
        case("default-eps", F, 0.02 * x, np.ones(6), np.zeros(6)),
        case("signed-gain", F, x, signed, np.arange(6.0)),
        case("no-gain", F, x, np.zeros(6), np.arange(6.0)),
        case("rows-differ", F, x * [[1], [10], [100], [0.1]], signed + 4, signed),
        _random("thousand-features", 30, 3, 1024),
        _random("five-thousand-rows", 31, 5000, 4),
    ]


def adversarial():
    rng = np.random.default_rng(21)
    gamma, beta = rng.uniform(0.5, 2, 6), rng.normal(size=6)
    x = rng.normal(size=(4, 6))
    norm = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)
    some = x.copy()
    some[2] = 3.0
    far = np.array([[0.0], [1e8], [-1e8], [1e4]])
    inner = np.array([1, 2**-14, -(2**-10), -1, 2**-10, -(2**-14)])
    return [
        case("one-row-constant", F, some, gamma, beta),
        case("all-zero", F, np.zeros((3, 6)), gamma, beta),
        case("constant-third", F, np.full((2, 6), 1 / 3), gamma, beta),
        case("single-feature", F, x[:, :1].copy(), gamma[:1], beta[:1]),
        case("far-away", F, 1e8 + x, gamma, beta),
        case("far-and-tight", F, 1e4 + 0.01 * x, gamma, beta),
        case("huge", F, 1e99 * x, gamma, beta),
        case("tiny", F, 1e-9 * x, gamma, beta, 1e-5),
        case("single-precision", F, (300 + x).astype(np.float32), gamma, beta),
        *(
            case(f"empty-{'-'.join(map(str, shape))}", F, np.zeros(shape), gamma, beta)
            for shape in ((0, 6), (0, 3, 6), (2, 0, 6), (2, 3, 0, 6))
        ),
        *equal_rows(),
        # all but normalised, so that it matters whether that is taken for done
        *(
            case(f"nearly-normalised-{off:g}", F, (1 + off) * norm + off, gamma, beta, 1e-12)
            for off in (4e-6, 3e-7, 2e-8)
        ),
        case("at-the-least-spread", F, 1e8 - np.array([[0.0, 1.0] * 3] * 2), gamma, beta, 1e-300),
        case("alike-and-not", F, np.array([[0.1] * 6, [0.1, 0.3] * 3]), gamma, beta, 1e-40),
        # as many numbers as there may be
        _random("largest-and-wide", 40, 132, 1022),
        _random("largest-and-narrow", 41, 3, 15_000, 3),
        _random("most-vectors", 42, 67_500, 2),
        _random("most-vectors-of-one", 43, 45, 3_000, 1),
        case("vast-eps", F, x, gamma, beta, 1e300),
        case("any-size", F, x * _sizes(x.shape[1]), gamma, beta, 1e-300),
        case("any-size-and-far", F, (x + 1e7) * _sizes(x.shape[1]), gamma, beta, 1e-300),
        case("near-and-far-rows", F, x + far, gamma, beta),
        case("close-to-a-far-mean", F, 1e8 + np.outer([1, 2], inner), gamma, beta, 1e-9),
        case("hardly-apart-beside-eps", F, 1e8 + 3e-3 * np.sin(x), gamma, beta, 0.36),
    ]


def _sizes(features):
    """Factors of the rows, far above and far below any number that is taken for 0."""
    return np.repeat([[1e-90], [1e-40], [1e-9], [1e90]], features, axis=1)


def equal_rows():
    """Rows of equal numbers whose mean is rounded, beside which eps is nothing."""
    found = []
    for size in (3, 6, 7, 10, 49, 1000):
        for number, eps in ((0.1, 1e-40), (1 / 3, 1e-300), (-7e5 / 9, 1e-40)):
            name = f"equal-{size}-of-{number:.3g}"
            found.append(
                case(name, F, np.full((2, size), number), np.ones(size), np.zeros(size), eps)
            )
    numbers = np.array([0.1, 1 / 3, -7e5 / 9, 1e-9, 0.7, -0.1])
    for name, shape in (("each-row", (6, 1)), ("each-row-of-matrices", (2, 3, 1))):
        x = np.repeat(numbers.reshape(shape), 7, axis=-1)
        found.append(case(f"equal-in-{name}", F, x, np.ones(7), np.zeros(7), 1e-300))
    return found
