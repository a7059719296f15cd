import numpy as np

from biomlbench.verify.cases import case

F = "kabsch_rmsd"


def rotation(rng):
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else q[:, ::-1]


def _pair(name, seed, n, noise, spread=10.0, far=0.0):
    """A random walk like a chain of CA atoms, and a moved, noisy copy."""
    rng = np.random.default_rng(seed)
    step = rng.normal(size=(n, 3))
    chain = np.cumsum(3.8 * step / np.linalg.norm(step, axis=1, keepdims=True), axis=0)
    other = (chain + noise * rng.normal(size=(n, 3))) @ rotation(rng).T
    return case(name, F, chain + far, other + spread * rng.normal(size=3))


def visible():
    return [
        case(
            "two-atoms", F, np.array([[0.0, 0, 0], [2, 0, 0]]), np.array([[0.0, 0, 0], [0, 4, 0]])
        ),
        _pair("chain-of-five", 1, 5, 0.5),
        _pair("rigid-copy", 2, 6, 0.0),
    ]


def hidden():
    rng = np.random.default_rng(9)
    unrelated = rng.normal(scale=8, size=(2, 12, 3))
    return [
        _pair("close", 10, 20, 0.3),
        _pair("far", 11, 20, 3.0),
        _pair("long", 12, 150, 1.0),
        _pair("three-atoms", 13, 3, 1.0),
        _pair("four-atoms", 14, 4, 2.0),
        _pair("half-turn", 15, 9, 0.7),
        _pair("shifted", 16, 30, 1.0, spread=100.0),
        _pair("tiny-noise", 17, 25, 0.01),
        _pair("sixty", 18, 60, 2.0),
        case("unrelated", F, unrelated[0], unrelated[1]),
        case("scaled", F, unrelated[0], 1.5 * unrelated[0]),
        case("reversed", F, unrelated[0], unrelated[0][::-1].copy()),
        case("rectangle", F, *_rectangles()),
        *[case(f"uneven-lines-{i}", F, *_uneven_lines(i)) for i in range(3)],
        case("all-but-on-a-line", F, *_all_but_on_a_line()),
        _pair("fifteen-hundred", 30, 1500, 0.4),
        _pair("near-a-thousand", 31, 40, 0.05, far=850.0),
        _pair("hardly-apart-near-a-thousand", 32, 300, 0.007, far=900.0),
    ]


def _rectangles():
    a = np.array([[0.0, 0, 0], [4, 0, 0], [4, 2, 0], [0, 2, 0]])
    b = np.array([[0.0, 0, 1], [0, 5, 1], [0, 5, 3], [0, 0, 3]])
    return a, b


def _uneven_lines(seed):
    """Points of two lines at other distances: no turn about the line changes the root."""
    rng = np.random.default_rng(40 + seed)
    n = (8, 40, 60)[seed]
    places = np.linspace(-45, 45, n)
    line = np.outer(places, [1.0, 2.0, 2.0]) / 3
    return line, np.outer(places + rng.normal(size=n), [0.0, 1.0, 0.0])


def _all_but_on_a_line():
    rng = np.random.default_rng(44)
    x = rng.normal(scale=12, size=(50, 3)) * [1, 1e-4, 1e-4]
    return x, x + 0.05 * rng.normal(size=x.shape)


def _hardly_moved(rng):
    """Coordinates whose relative differences are below 1e-5, and whose root is above 0.01 Å."""
    x = rng.uniform(920, 990, (24, 3))
    return x, x + 9e-3 * rng.choice([-1.0, 1.0], (24, 3))


def _in_the_corner(rng, end):
    """A molecule in a corner of the range of coordinates, with one atom where it ends."""
    inwards = np.abs(rng.normal(scale=8, size=(13, 3))) * np.sign(-end)
    inwards[0] = 0.0
    return end + inwards


def _as_large_as_alike_ones_are():
    """A molecule of hardly 100 Å from its middle to its farthest atom, turned."""
    rng = np.random.default_rng(11)
    x = rng.normal(size=(30, 3))
    x -= x.mean(axis=0)
    x *= 99.9 / np.linalg.norm(x, axis=1).max()
    return x, x @ rotation(rng).T


def adversarial():
    rng = np.random.default_rng(10)
    x = rng.normal(scale=6, size=(10, 3))
    line = np.outer(np.arange(6.0), [1.0, 2.0, 2.0])
    long = np.outer(np.arange(40.0), [0.5, 1.0, 1.0])
    return [
        case("on-a-long-line", F, long, 1.4 * long),
        case("a-long-line-in-another-order", F, long, long[rng.permutation(40)]),
        case("a-long-line-moved", F, long, long[:, ::-1] + [3.0, -7.0, 11.0]),
        case("mirror", F, x, x * [1, 1, -1]),
        *[case(f"mirror-of-{n}", F, x[:n], x[:n] * [1, 1, -1]) for n in range(4, 9)],
        case("within-usual-tolerances", F, *_hardly_moved(rng)),
        case("small-mirror", F, 0.003 * x, 0.003 * x * [1, 1, -1]),
        case("mirror-and-noise", F, x, (x * [-1, 1, 1] + 0.3 * x[::-1]) @ rotation(rng).T),
        case("inverted", F, x, -x),
        case("one-atom", F, x[:1], x[1:2]),
        case("on-a-line", F, line, np.outer(np.arange(6.0), [0.0, 0.0, 3.5])),
        case("solid-and-plane", F, x, x[::-1] * [1, 1, 0]),
        case("plane-and-solid", F, x * [0, 1, 1], x[::-1]),
        case("line-and-plane", F, line, x[:6] * [1, 1, 0]),
        case("one-point", F, np.ones((4, 3)), 2 * np.ones((4, 3))),
        case("as-large-as-alike-ones-are", F, *_as_large_as_alike_ones_are()),
        _pair("far-from-origin", 20, 15, 1.0, far=9_800.0),
        *[
            case(f"equal-and-far-{i}", F, *2 * [_in_the_corner(rng, end)])
            for i, end in enumerate([10_000.0, -10_000.0, 9_999.9, -9_999.9])
        ],
    ]
