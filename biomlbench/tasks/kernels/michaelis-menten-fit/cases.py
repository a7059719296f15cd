import numpy as np

from biomlbench.verify.cases import case

F = "fit_michaelis_menten"


WILD = (40, 42, 45)
"""Seeds of rates that are mostly noise: steps by a linear model alone get nearer slowly."""
WILDER = ((3219, 6), (6903, 6), (4859, 12))
"""Seeds and numbers of points where they get nearer hardly at all, or not."""


def rates(s, vmax, km):
    return vmax * s / (km + s)


def _drawn(name, seed, vmax, km, *, n=10, low=0.2, high=5.0, noise=0.04, repeat=1, unit=1.0):
    """Concentrations spread around km, in no order, with noise of the same size at each."""
    rng = np.random.default_rng(seed)
    s = np.repeat(km * np.geomspace(low, high, n), repeat)
    v = rates(s, vmax, km) + noise * vmax * rng.normal(size=s.size)
    order = rng.permutation(s.size)
    return case(name, F, s[order] * unit, v[order])


def visible():
    s = np.array([1.0, 2.0, 4.0])
    return [
        case("no-noise", F, s, rates(s, 10, 3)),
        case("puromycin", F, *_puromycin()),
        _drawn("small", 1, 5.0, 2.0, n=6),
    ]


def _puromycin():
    """Rates of the enzyme that puromycin was given to (Treloar 1974, in Bates and Watts 1988)."""
    s = np.array([0.02, 0.02, 0.06, 0.06, 0.11, 0.11, 0.22, 0.22, 0.56, 0.56, 1.10, 1.10])
    v = np.array([76.0, 47, 97, 107, 123, 139, 159, 152, 191, 201, 207, 200])
    return s, v


def _unequal():
    """Some concentrations were measured more often than others."""
    s = np.array([1.0, 1, 1, 1, 1, 2, 4, 4, 8, 16, 16, 16])
    noise = np.random.default_rng(23).normal(size=s.size)
    return s, rates(s, 15.0, 3.0) + 0.6 * noise


def _with_zeros(place):
    """Measured rates of exactly 0: at the least concentration, or at some in the middle as well."""
    s = np.array([0.5, 1.0, 2.0, 3.0, 4.0, 8.0, 16.0, 30.0])
    v = rates(s, 11.0, 5.0) + 0.3 * np.random.default_rng(27).normal(size=s.size)
    v[[0, place]] = 0.0
    return s, v


def _of_few_concentrations(n, distinct):
    """Replicates that differ, at two or three concentrations."""
    rng = np.random.default_rng(n)
    s = np.array([2.0, 8.0, 40.0])[np.arange(n) % distinct]
    return s, rates(s, 9.0, 4.0) * (1 + 0.06 * rng.normal(size=n))


def _wilder(seed, n):
    s = np.geomspace(0.2, 8, n)
    return s, rates(s, 1.0, 2.0) + 0.3 * np.random.default_rng(seed).normal(size=n)


def _one_apart(apart):
    """Exact rates at concentrations of which one is others' multiple, with a constant beyond it."""
    s = np.array([apart, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    return s, rates(s, 1.0, 1.1e-3 * apart if apart < 1 else 20.0)


def _noise_alone(seed, n, low, high, *, vmax=1.0, km=4.0):
    """Noise as large as the rates that leaves the best fit where it is without it.

    The sum of squares is large and hardly changes around its minimum, so that comparing sums says
    less of the place than their slope does.
    """
    rng = np.random.default_rng(seed)
    s = rng.uniform(low, high, n)
    slopes, _ = np.linalg.qr(s[:, None] / (km + s[:, None]) ** [1, 2, 3])
    noise = rng.normal(size=n)
    for _ in range(2):
        noise -= slopes @ (slopes.T @ noise)
    return s, vmax * (s / (km + s) + 0.5 * noise)


def _first_too_high(seed, km, first):
    """One reading at the least concentration is far too high.

    Fits with a smaller and smaller constant get better again: between them and the minimum the sum
    of squares has a maximum.
    """
    s = np.geomspace(0.01, 40.0, 14)
    v = rates(s, 1.0, km) + 0.02 * np.random.default_rng(seed).normal(size=s.size)
    v[0] = first
    return s, v


def _last_too_high(seed, km, last, low):
    """One reading at the largest concentration is far too high, so that the maximum lies above."""
    s = np.append(np.geomspace(low, 20.0, 29), 24.0)
    v = rates(s, 1.0, km) + 0.02 * np.random.default_rng(seed).normal(size=s.size)
    v[-1] = last
    return s, v


def _pairs(gap):
    """Each concentration twice, all but the same, at rates that go apart from pair to pair."""
    s = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    v, off = rates(s, 10.0, 3.0), np.array([0.8, -0.7, -1.2, 1.1, 1.5, -1.3])
    return np.stack([s, s * (1 + gap)], axis=1).ravel(), np.stack(
        [v - off, v + off], axis=1
    ).ravel()


def hidden():
    s = np.array([0.5, 1.0, 2.0, 5.0, 10.0, 20.0])
    return [
        _drawn("usual", 10, 12.0, 3.0),
        _drawn("noisy", 11, 8.0, 1.5, noise=0.09),
        _drawn("low-noise", 12, 100.0, 0.4, noise=0.005),
        _drawn("replicates", 13, 3.0, 7.0, n=6, repeat=3),
        _drawn("saturated", 14, 20.0, 1.0, low=1.0, high=60.0),
        _drawn("far-from-saturation", 15, 20.0, 1.0, low=0.05, high=1.5, noise=0.004, n=14),
        # here km hangs on the third digit of the rates, and single precision is not enough
        _drawn("hardly-saturated", 22, 30.0, 5.0, low=0.001, high=0.01, noise=2e-6, n=12),
        # all but without noise, which an exact solution of two or three points would not show
        *[
            _drawn(f"noise-of-{noise:g}", 26, 9.0, 2.0, n=8, noise=noise)
            for noise in (1e-4, 1e-5, 1e-6, 8e-8)
        ],
        _drawn("nearly-saturated", 24, 7.0, 0.3, low=5.0, high=200.0, noise=0.001),
        _drawn("plateau", 25, 150.0, 0.02, low=3.0, high=2000.0, noise=0.002, n=12),
        _drawn("many-points", 16, 45.0, 15.0, n=60),
        _drawn("five-points", 17, 2.0, 0.8, n=5, noise=0.03),
        case("exact", F, s, rates(s, 42.0, 3.7)),
        _drawn("large-km", 18, 6.0, 900.0),
        _drawn("small-km", 19, 6.0, 0.012),
        _drawn("large-rates", 20, 4.0e4, 2.0),
        case("unequal-replicates", F, *_unequal()),
        _drawn("evenly-noisy", 21, 1.0, 1.0, n=20, noise=0.07),
        _drawn("thousand-points", 30, 18.0, 2.5, n=100, noise=0.05, repeat=10),
    ]


def adversarial():
    rng = np.random.default_rng(8)
    s = np.array([0.0, 0.0, 1.0, 2.0, 4.0, 8.0, 16.0])
    negative = np.array([-0.3, 0.2, 1.9, 3.1, 4.7, 6.2, 7.4])
    outlier = rates(s[2:], 9.0, 3.0)
    outlier[0] *= 2.2
    nano = np.array([5.0, 10, 20, 50, 100, 300]) * 1e-9
    large = np.array([1.0, 3, 10, 30, 100]) * 1e6
    spread = np.array([0.3, 1.0, 2.0, 4.0, 9.0, 20.0, 50.0])
    fast = rates(spread, 6.0, 3.0) + 0.1 * np.random.default_rng(9).normal(size=spread.size)
    return [
        case("blank-points", F, s, negative),
        case("two-points", F, np.array([1.0, 6.0]), np.array([1.0, 3.0])),
        case("molar-units", F, nano, rates(nano, 2e-12, 4e-8) + 4e-14 * rng.normal(size=6)),
        case("large-units", F, large, rates(large, 7e9, 8e6) + 1e8 * rng.normal(size=5)),
        case("outlier-at-low-rate", F, s[2:], outlier),
        case(
            "one-negative-rate", F, np.array([0.01, 0.1, 1, 3, 9]), np.array([-0.2, 0.4, 2, 3, 4])
        ),
        case("all-saturated", F, np.array([5.0, 10, 20, 40]), np.array([9.4, 9.9, 9.8, 10.1])),
        case("exact-in-tiny-units", F, nano, rates(nano, 3e-7, 2.5e-8)),
        # units far beyond those of any laboratory
        *(
            case(f"units-of-{of_s:g}-and-{of_v:g}", F, of_s * spread, of_v * fast)
            for of_s, of_v in (
                *((1e-25, 1.0), (1e-13, 1e-13), (1e-90, 1e-90)),
                *((1e25, 1.0), (1e13, 1e13), (1e90, 1e90), (1e-60, 1e60)),
            )
        ),
        # concentrations over six decades, and constants at the promised distance from them
        *(
            _drawn(f"six-decades-{low:g}", 31, 9.0, 4.0, n=14, low=low, high=1e6 * low, noise=0.02)
            for low in (0.5, 1e-3, 2e-6)
        ),
        _drawn("six-decades-50", 35, 9.0, 4.0, n=14, low=50, high=5e7, noise=1e-6),
        _drawn("constant-far-below", 32, 9.0, 1e-3, n=12, low=800, high=950, noise=1e-8),
        _drawn("constant-far-above", 33, 9.0, 7.0, n=12, low=1.5e-3, high=4e-3, noise=1e-8),
        # one concentration lies apart, and the constant as far from it as may be
        *(case(f"apart-by-{apart:g}", F, *_one_apart(apart)) for apart in (1e-6, 1e-4, 1e4)),
        *(
            _drawn(
                f"narrow-{factor:g}", 34, 5.0, 2.0, n=9, low=factor, high=1.3 * factor, noise=1e-6
            )
            for factor in (0.02, 1, 50)
        ),
        case("rates-of-0", F, *_with_zeros(0)),
        case("least-rate-is-0", F, *_with_zeros(3)),
        *(case(f"two-concentrations-{n}", F, *_of_few_concentrations(n, 2)) for n in (5, 12)),
        case("three-concentrations", F, *_of_few_concentrations(15, 3)),
        # all but on a straight line through 0, where the sum of squares hardly changes
        *(
            _drawn(f"flat-{seed}", seed, 5.0, 3e3, n=12, low=2e-4, high=4e-3, noise=1e-6)
            for seed in (50, 51, 52)
        ),
        *(_drawn(f"wild-{seed}", seed, 6.0, 2.0, n=9, noise=0.25) for seed in WILD),
        # so noisy that linear steps get nearer very slowly, with one minimum all the same
        *(case(f"wilder-{n}-{seed}", F, *_wilder(seed, n)) for seed, n in WILDER),
        # a maximum beside the minimum, at smaller constants or at larger ones
        *(
            case(f"first-too-high-{km:g}", F, *_first_too_high(1, km, 1.3))
            for km in (0.2, 0.6, 2.0, 8.0)
        ),
        *(
            case(f"last-too-high-{low:g}", F, *_last_too_high(1, 0.3, 5.0, low))
            for low in (0.5, 0.7)
        ),
        # noise as large as the rates, to which nothing but slopes is exact enough
        *(
            case(f"noise-alone-{n}-{high:g}", F, *_noise_alone(n, n, low, high, vmax=30.0))
            for n, low, high in (
                *((n, 10.0, 10.5) for n in (9, 40, 300)),
                *((n, 9.0, 12.0) for n in (8, 200)),
                (25, 6.0, 10.0),
                (1000, 6.0, 16.0),
            )
        ),
        # two measurements at concentrations that differ, however little
        *(case(f"pairs-{gap:g}-apart", F, *_pairs(gap)) for gap in (2e-4, 8e-6, 9e-7)),
        case(
            "sorted-down", F, np.array([30.0, 10, 3, 1, 0.3]), np.array([8.9, 8.0, 5.7, 3.4, 1.2])
        ),
    ]
