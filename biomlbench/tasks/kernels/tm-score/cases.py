import numpy as np

from biomlbench.verify.cases import case

F = "tm_score"


def rotation(rng):
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else q[:, ::-1]


def chain(rng, n):
    """A random walk like a chain of CA atoms, 3.8 Å apart."""
    step = rng.normal(size=(n, 3))
    return np.cumsum(3.8 * step / np.linalg.norm(step, axis=1, keepdims=True), axis=0)


def _fit(name, seed, n, m, k, noise, gaps=0):
    """A prediction of n residues whose superposition onto m native ones is known up to noise."""
    rng = np.random.default_rng(seed)
    target = chain(rng, m)
    i = np.sort(rng.choice(n, k, replace=False))
    j = np.sort(rng.choice(m, k, replace=False))
    placed = chain(rng, n)
    placed[i] = target[j] + noise * rng.normal(size=(k, 3))
    r, t = rotation(rng), rng.normal(scale=12, size=3)
    mobile = (placed - t) @ r
    if gaps:
        mobile[i[:gaps]] = np.nan
        target[j[-gaps:]] = np.nan
    return case(name, F, mobile, target, np.stack([i, j], axis=1), r, t)


def visible():
    x = np.array([[0.0, 0, 0], [4, 0, 0], [8, 0, 0], [12, 0, 0]])
    return [
        case(
            "half-aligned",
            F,
            x[:2] + np.array([[0, 0, 0], [0, 0.5, 0]]),
            x,
            _diagonal(2),
            np.eye(3),
            0 * x[0],
        ),
        _fit("thirty", 1, 30, 30, 30, 1.0),
        _fit("unequal-lengths", 2, 26, 40, 20, 0.8),
    ]


def _diagonal(k):
    return np.stack([np.arange(k), np.arange(k)], axis=1)


def _permuted_inside(rng, k):
    """Alignments of which one side is in another order between its ends."""
    inside = np.concatenate([[0], 1 + rng.permutation(k - 2), [k - 1]])
    return [np.stack(pair, axis=1) for pair in ((inside, np.arange(k)), (np.arange(k), inside))]


def _small_turn(angle):
    """A rotation about one axis that is all but none."""
    turn = np.eye(3)
    turn[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return turn


def _one_far(x, far):
    """Pairs hardly apart, one of which lies far from all others; in eighths, which are exact."""
    mobile = np.round(8 * x) / 8
    mobile[4] = np.array([3, -2, 1]) * far
    target = mobile + np.array([0.25, 0, -0.125])
    return mobile, target, _diagonal(len(x)), np.eye(3), np.array([0, 0.125, 0])


def _small_motions():
    """Shifts and turns so small that they could be taken for none, where they show in the score.

    All pairs are about 0.3 Å apart, at which the score of a short target changes most.
    """
    x = chain(np.random.default_rng(31), 9) + np.array([0, 30, 0])
    stay, along = np.eye(3), np.array([1.0, 0, 0])
    for size in (4e-9, 9e-9, 9e-8, 9e-7, 9e-6, 9e-5, 9e-4, 9e-3, 0.04):
        shift, turn = size * along, _small_turn(size)
        yield case(f"small-shift-{size:g}", F, x, x + 0.3 * along, _diagonal(9), stay, shift)
        # the shift that leaves the middle where it is
        back = x.mean(axis=0) - turn @ x.mean(axis=0) + 0.3 * along
        yield case(f"small-turn-{size:g}", F, x, x, _diagonal(9), turn, 0.3 * along)
        yield case(f"small-turn-in-place-{size:g}", F, x, x, _diagonal(9), turn, back)


def hidden():
    rng = np.random.default_rng(9)
    x, y = chain(rng, 25), chain(rng, 25)
    turn, stay, nowhere = rotation(rng), np.eye(3), np.zeros(3)
    crossed = np.stack([np.arange(25), rng.permutation(25)], axis=1)
    return [
        _fit("close", 10, 60, 60, 60, 0.5),
        _fit("partly-aligned", 11, 60, 50, 35, 1.0),
        _fit("longer-target", 12, 30, 120, 30, 1.5),
        _fit("longer-mobile", 13, 120, 30, 30, 1.5),
        _fit("distant", 14, 80, 80, 80, 6.0),
        _fit("large", 15, 300, 280, 250, 2.0),
        _fit("twenty-two", 16, 22, 22, 22, 0.5),
        _fit("few-pairs", 17, 50, 50, 3, 0.5),
        _fit("not-resolved", 18, 50, 55, 45, 1.0, gaps=4),
        case("itself", F, x, x, _diagonal(25), stay, nowhere),
        case("itself-turned", F, x @ turn, x, _diagonal(25), turn, nowhere),
        case("unrelated", F, x, y, _diagonal(25), turn, np.array([1.0, -2.0, 3.0])),
        case("crossed-alignment", F, x, y, crossed, turn, nowhere),
        case("only-shifted", F, x - [5.0, 0, 1], x, _diagonal(25), stay, np.array([6.0, 0, 1])),
        case("far-pair", F, x * 20, x, _diagonal(25), stay, nowhere),
        _fit("thousand", 30, 1000, 1000, 1000, 2.0, gaps=7),
    ]


def adversarial():
    rng = np.random.default_rng(10)
    r, t = rotation(rng), rng.normal(size=3)
    x = chain(rng, 30)
    lost = np.full((30, 3), np.nan)
    partly = x.copy()
    partly[3, 1] = np.nan
    neither = x + 0.3
    neither[[2, 3, 17]] = np.nan
    return [
        _fit("fifteen", 20, 15, 15, 15, 0.4),
        _fit("sixteen", 21, 16, 16, 16, 0.4),
        _fit("nineteen", 22, 19, 19, 19, 0.4),
        _fit("five-residues", 23, 40, 5, 5, 0.3),
        _fit("one-residue", 24, 10, 1, 1, 0.3),
        case("no-pairs", F, x, x, np.zeros((0, 2), np.int64), r, t),
        case("nothing-resolved", F, lost, x, _diagonal(30), r, t),
        case("one-coordinate-lost", F, partly, x, _diagonal(30), np.eye(3), np.zeros(3)),
        case("lost-in-both", F, neither, neither, _diagonal(30), np.eye(3), np.zeros(3)),
        case("lost-here-and-there", F, partly, neither, _diagonal(30), np.eye(3), np.zeros(3)),
        case("empty-mobile", F, np.zeros((0, 3)), x, np.zeros((0, 2), np.int64), r, t),
        case("half-turn", F, x * [1, -1, -1], x, _diagonal(30), np.diag([1.0, -1, -1]), t),
        case("far-target", F, x[:9] @ r, x[:9] + 1e4, _diagonal(9), r, np.full(3, 1e4 + 0.03)),
        case("far-both", F, x[:9] + 1e4, x[:9] + 1e4, _diagonal(9), np.eye(3), np.full(3, 0.02)),
        # both ends of the alignment are where an alignment without gaps has them
        *(
            case(f"permuted-inside-{side}", F, x[:12], x[:12] + 0.4, pairs, r, t)
            for side, pairs in enumerate(_permuted_inside(rng, 12))
        ),
        *(
            case(
                f"small-move-far-away-{far:g}",
                F,
                x + far,
                (x + far) @ small.T + 0.3,
                _diagonal(30),
                small,
                np.full(3, 0.004),
            )
            for far, small in ((1e6, _small_turn(3e-7)), (1e8, _small_turn(4e-9)))
        ),
        *(case(f"one-of-them-{far:g}-away", F, *_one_far(x, far)) for far in (3e4, 1e6, 1e8)),
        case("small-shift", F, x, x + 5e-9, _diagonal(30), np.eye(3), np.full(3, 5e-9)),
        *_small_motions(),
        case("far-away", F, x + 1e5, x, _diagonal(30), np.eye(3), np.full(3, -1e5)),
    ]
