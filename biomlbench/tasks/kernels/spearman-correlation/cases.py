import numpy as np

from biomlbench.verify.cases import case

F = "spearman"


def _random(name, seed, n, signal=0.7, decimals=None, lost=0.0, bend=None):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = signal * x + (1 - abs(signal)) * rng.normal(size=n)
    if bend:
        y = bend(y)
    if decimals is not None:
        x, y = np.round(x, decimals), np.round(y, decimals)
    x[rng.random(n) < lost] = np.nan
    y[rng.random(n) < lost] = np.nan
    return case(name, F, x, y)


def visible():
    return [
        case("one-tie", F, np.array([1.0, 2, 3, 4]), np.array([10.0, 20, 20, 5])),
        _random("twenty", 1, 20),
        _random("missing-values", 2, 20, lost=0.15),
    ]


def hidden():
    rng = np.random.default_rng(9)
    x = rng.normal(size=15)
    return [
        _random("fifty", 10, 50),
        _random("weak", 11, 40, signal=0.1),
        _random("negative", 12, 30, signal=-0.6),
        _random("many-ties", 13, 50, decimals=0),
        _random("few-ties", 14, 40, decimals=1),
        _random("bent", 15, 30, bend=np.exp),
        _random("ties-and-gaps", 16, 50, decimals=0, lost=0.2),
        _random("gaps", 17, 40, lost=0.3),
        _random("three-hundred", 18, 300, decimals=2),
        _random("outlier", 19, 25, bend=lambda y: np.where(y == y.max(), 1e6, y)),
        case("in-order", F, x, x**3),
        case("reversed", F, x, -np.exp(x)),
        case("two-pairs", F, np.array([3.0, 1.0]), np.array([2.0, 5.0])),
        case("three-pairs", F, np.array([3.0, 1.0, 2.0]), np.array([2.0, 5.0, 2.0])),
        case("binary", F, (x > 0).astype(float), x + rng.normal(size=15)),
        case("both-binary", F, (x > 0).astype(float), (rng.random(15) < 0.5).astype(float)),
        _random("two-thousand", 30, 2000),
        _random("thousand-tied", 31, 1200, decimals=1, lost=0.05),
    ]


SWAPS = ((30, 1), (300, 1), (300, -1), (2000, 1), (2000, -1))


LENGTHS = (*range(2, 40), *range(45, 300, 17), 499, 701, 1024, 1500, 1999)
"""How many values are in order, or in the opposite one with ties."""


def _swapped(n):
    """Values in order but for two neighbours."""
    y = np.arange(n) ** 2.0
    y[[n // 3, n // 3 + 1]] = y[[n // 3 + 1, n // 3]]
    return y


def _largest(some):
    """Values at both ends of what a double holds, beside infinity."""
    top = np.finfo(float).max
    ends = [np.inf, top, np.nextafter(top, 0), 1e300, -1e300, -np.nextafter(top, 0), -top, -np.inf]
    return np.concatenate([ends, some, [0.0, -0.0, 5e-324, -5e-324]])


def adversarial():
    rng = np.random.default_rng(21)
    x, y = rng.normal(size=20), rng.normal(size=20)
    gap = np.where(np.arange(20) % 2 == 0, np.nan, 1.0)
    both = np.where(np.arange(20) % 3 == 0, 1.0, np.nan)
    flat_when_paired = np.where(np.arange(20) % 2 == 0, 7.0, x)
    spread = np.where(np.arange(20) < 4, np.inf, np.where(np.arange(20) > 16, -np.inf, x))
    close = 0.7 + np.arange(20) * np.spacing(0.7)
    return [
        case("constant-x", F, np.full(6, 3.0), y[:6]),
        case("constant-y", F, x[:6], np.zeros(6)),
        case("constant-after-gaps", F, flat_when_paired, np.where(gap == 1, np.nan, y)),
        case("constant-third", F, np.full(7, 0.1) * 3, y[:7]),
        case("one-pair", F, x[:1], y[:1]),
        case("no-pairs", F, x[:0], y[:0]),
        case("all-missing", F, np.full(5, np.nan), y[:5]),
        case("never-both", F, gap * x, np.where(np.isnan(gap), y, np.nan)),
        case("mostly-missing-in-both", F, both * x, both * y),
        case("gaps-in-one", F, gap * x, np.round(y)),
        case("infinite", F, spread, y),
        case("infinite-in-both", F, spread, -spread),
        # all but in order, or all but reversed
        *(
            case(f"one-swap-in-{sign * n}", F, np.arange(n) + 0.5, sign * _swapped(n))
            for n, sign in SWAPS
        ),
        # products and roots of the sums of squares are rounded, each in its own way
        *(case(f"in-order-{n}", F, np.arange(n) - 0.5, np.arange(n) ** 3.0) for n in LENGTHS),
        *(
            case(f"reversed-{n}", F, np.arange(n) // 2 * 0.1, np.arange(n) // 2 * -0.3)
            for n in LENGTHS
        ),
        case("hardly-apart", F, close[rng.permutation(20)], close),
        case("huge", F, 1e300 * x, 1e-300 * y),
        case("tie-at-both-ends", F, np.array([1.0, 1, 1, 2, 9, 9]), np.array([0.0, 3, 1, 1, 4, 4])),
        case("infinite-and-largest", F, _largest(x[:8]), _largest(y[:8])[::-1].copy()),
        case("two-groups-at-scale", F, np.arange(2000) % 2 * 0.1, np.arange(2000) // 1000 * 0.7),
    ]
