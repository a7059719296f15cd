import numpy as np

from biomlbench.verify.cases import case

F = "log1p_cpm"


def _counts(name, seed, cells, genes, *, depth=3000, dtype=np.int64, dropout=0.4, **kwargs):
    """Negative binomial counts with unequal library sizes, many of them zero."""
    rng = np.random.default_rng(seed)
    mean = rng.gamma(0.5, 2.0, genes) + 1e-3
    size = depth * rng.lognormal(0, 0.7, (cells, 1))
    rate = size * mean / mean.sum() * rng.gamma(2.0, 0.5, (cells, genes))
    drawn = rng.poisson(rate) * (rng.random((cells, genes)) >= dropout)
    drawn[np.arange(cells), rng.integers(0, genes, cells)] += 1
    return case(name, F, drawn.astype(dtype), **kwargs)


def visible():
    return [
        case("two-cells", F, np.array([[1, 3], [0, 0]]), 4.0),
        case("unequal-depth", F, np.array([[10, 0, 30], [1, 1, 2], [500, 300, 200]])),
        _counts("small", 1, 3, 5),
    ]


def hidden():
    rng = np.random.default_rng(3)
    return [
        _counts("integers", 10, 6, 20),
        _counts("floats", 11, 5, 12, dtype=np.float64),
        _counts("ten-thousand", 12, 6, 10, target=1e4),
        _counts("fractions", 13, 8, 15, target=1.0),
        _counts("target-below-one", 22, 5, 8, target=0.73125),
        _counts("odd-target", 23, 6, 9, target=1234.56789),
        _counts("shallow", 14, 10, 30, depth=30),
        _counts("deep", 15, 4, 25, depth=200_000),
        _counts("sparse", 16, 8, 25, dropout=0.9),
        _counts("int32", 17, 5, 10, dtype=np.int32),
        _counts("float32", 18, 5, 10, dtype=np.float32),
        _counts("square", 19, 7, 7),
        # few counts a cell, and totals that single precision or 32 bits do not hold
        *(
            _counts(
                f"sparse-{np.dtype(dtype).name}-{cells}x{genes}",
                *(50 + cells, cells, genes),
                depth=3e8,
                dtype=dtype,
                dropout=0.97,
            )
            for dtype in (np.int32, np.int64, np.float32, np.float64)
            for cells, genes in ((40, 60), (4, 900))
        ),
        _counts("one-cell", 20, 1, 12),
        _counts("one-gene", 21, 5, 1),
        case("estimated", F, rng.gamma(0.3, 20.0, (5, 9))),
        case("given-by-name", F, counts=rng.integers(0, 40, (4, 6)), target=5e5),
        _counts("five-thousand-cells", 30, 5000, 4, depth=40),
        _counts("largest", 40, 5000, 50),
        _counts("thousand-genes", 31, 3, 1024, depth=9000),
    ]


def adversarial():
    rng = np.random.default_rng(4)
    some = rng.integers(0, 30, (5, 8))
    some[[1, 4]] = 0
    rare = np.array([[1.0, 1e10], [3.0, 5e9]])
    total = np.full((2, 40), 1_000_003.0, dtype=np.float32)
    total[:, 0] = 1
    share = 1e6 * np.array([0.5, 0.25, 0.125, 0.1249, 0.0001])
    # a running sum over all cells has nothing left of the later ones
    apart = np.array([[1e10, 4e9, 3.0], [2e-3, 0.0, 1e-3], [5e-4, 1e-3, 0.0], [7e9, 1.0, 2e-3]])
    return [
        case("huge-cells-before-tiny-ones", F, apart),
        case("empty-cells", F, some),
        case("empty-cells-in-floats", F, some.astype(float), 1e4),
        case("all-zero", F, np.zeros((3, 4), dtype=np.int64)),
        case("no-cells", F, np.zeros((0, 4))),
        case("no-genes", F, np.zeros((3, 0))),
        case("large-int32", F, rng.integers(0, 2_000_000, (3, 6)).astype(np.int32)),
        case("int32-total", F, np.array([[2**31 - 1, 2**31 - 1, 9], [2 * 10**9] * 3], np.int32)),
        case("total-below-one", F, np.array([[0.25, 0.5], [0.001, 0.0]])),
        # all but brought to the target, so that it matters whether that is taken for done
        *(
            case(f"nearly-at-the-target-{off:g}", F, np.outer(1 + off * np.arange(-2, 3), share))
            for off in (4e-6, 3e-7, 2e-8, 4e-9, 1.5e-9)
        ),
        *(
            case(
                f"nearly-at-a-small-target-{off:g}",
                F,
                np.outer(10 + off * np.arange(-2, 3), share / 1e6),
                10.0,
            )
            for off in (4e-8, 1.5e-8)
        ),
        case("nearly-at-the-target-in-counts", F, np.array([[999_000, 1_003], [999_990, 3]])),
        case("rare-gene", F, rare, 1.0),
        case("float32-total", F, total),
        case("least-target", F, rare, 1e-6),
        case("largest-target", F, rare, 1e12),
        case("one-count", F, np.eye(4, dtype=np.int64)),
        case("past-32-bits", F, np.array([[3_000_000_000, 1, 10_000_000_000], [2**31, 2**32, 7]])),
        case("odd-past-24-bits-int32", F, np.array([[2**24 + 1, 2**25 + 3, 7]], np.int32), 1.0),
        case("odd-past-24-bits", F, np.array([[2**24 + 1, 2**25 + 3, 7]]), 1.0),
        case("any-share", F, np.geomspace(1e-20, 1e10, 31)[None]),
        case("any-share-of-a-huge-target", F, np.geomspace(1e-20, 1e10, 31)[None], 1e12),
        case("any-total", F, 10.0 ** np.outer([-100, -90, -25, -17, -7], np.ones(3)) * [0, 1, 3]),
    ]
