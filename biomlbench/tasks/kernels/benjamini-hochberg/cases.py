import numpy as np

from biomlbench.verify.cases import case

F = "adjust"


def _mixture(name, seed, n, signal=0.3, decimals=None):
    """P-values of true and false null hypotheses together."""
    rng = np.random.default_rng(seed)
    p = np.where(rng.random(n) < signal, rng.beta(0.3, 8, n), rng.random(n))
    return case(name, F, p if decimals is None else np.round(p, decimals))


def visible():
    return [
        case("three", F, np.array([0.01, 0.04, 0.03])),
        case("equal", F, np.array([0.2, 0.2, 0.2, 0.2])),
        _mixture("eight", 1, 8),
    ]


def hidden():
    sizes = [2, 3, 5, 10, 25, 60, 200]
    plain = [_mixture(f"mixture-{n}", 10 + n, n) for n in sizes]
    return [
        *plain,
        _mixture("all-null", 3, 40, signal=0.0),
        _mixture("all-signal", 4, 40, signal=1.0),
        _mixture("ties-1", 5, 30, decimals=1),
        _mixture("ties-2", 6, 30, decimals=2),
        case("ascending", F, np.linspace(0.001, 0.9, 12)),
        case("descending", F, np.linspace(0.9, 0.001, 12)),
        case("dip", F, np.array([0.010, 0.011, 0.5, 0.9, 0.0105])),
        _mixture("five-thousand", 30, 5000),
        _mixture("five-thousand-tied", 31, 5000, signal=0.1, decimals=3),
    ]


def adversarial():
    return [
        case("empty", F, np.zeros(0)),
        case("one", F, np.array([0.7])),
        case("zeros", F, np.zeros(4)),
        case("ones", F, np.ones(5)),
        case("near-one", F, np.array([0.9, 0.95, 0.99, 1.0])),
        case("with-nan", F, np.array([0.01, np.nan, 0.02, 0.03, np.nan])),
        case("all-nan", F, np.full(3, np.nan)),
        case("nan-first", F, np.array([np.nan, np.nan, 0.9, 0.04, 0.01])),
        case("one-beside-nan", F, np.array([np.nan, 0.3, np.nan])),
        case("zeros-among-others", F, np.array([0.3, 0.0, 1.0, -0.0, 1e-100])),
        case("tiny", F, np.array([1e-99, 1e-80, 0.5, 1e-12])),
        case("equal-at-scale", F, np.full(5000, 0.1)),
    ]
