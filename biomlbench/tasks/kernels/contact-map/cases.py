import numpy as np

from biomlbench.verify.cases import case

F = "contact_map"


def walk(rng, n, pull=0.25):
    """A compact random walk with steps of 3.8 Å, like a chain of residues."""
    place, out = np.zeros(3), []
    for _ in range(n):
        step = rng.normal(size=3)
        place = place + 3.8 * step / np.linalg.norm(step)
        place = place * (1 - pull * min(1, np.linalg.norm(place) / 40))
        out.append(place)
    return np.array(out)


def _drawn(name, seed, sizes, far=0.0, missing=(), **kwargs):
    rng = np.random.default_rng(seed)
    parts = [walk(rng, n) + rng.normal(scale=4, size=3) for n in sizes]
    coordinates = np.concatenate(parts) + far
    coordinates[list(missing)] = np.nan
    return case(name, F, coordinates, np.repeat(np.arange(len(sizes)), sizes), **kwargs)


def line(*places, **kwargs):
    """Residues of one chain on the x axis."""
    x = np.array(places, dtype=float)
    coordinates = np.stack([x, np.zeros_like(x), np.zeros_like(x)], axis=1)
    return coordinates, np.zeros(len(x), dtype=np.int64)


def visible():
    return [
        case("three-on-a-line", F, *line(0, 3, 5), cutoff=5.0, min_separation=1),
        case("hairpin", F, _hairpin(), np.zeros(10, np.int64)),
        _drawn("two-chains", 1, (8, 6), min_separation=3),
    ]


def _hairpin():
    up = np.array([[3.4 * i, 0.0, 0.0] for i in range(5)])
    return np.concatenate([up, up[::-1] + np.array([0.0, 5.0, 0.5])])


def hidden():
    rng = np.random.default_rng(3)
    mixed = np.array([0, 0, 1, 1, 0, 0, 2, 2, 1, 0, 0, 2], dtype=np.int64)
    return [
        _drawn("defaults", 10, (40,)),
        _drawn("dimer", 11, (20, 20)),
        _drawn("long-range", 12, (50,), cutoff=10.0, min_separation=24),
        _drawn("trimer", 13, (12, 10, 9), cutoff=9.0, min_separation=4),
        _drawn("small-cutoff", 14, (30,), cutoff=5.0, min_separation=2),
        _drawn("large-cutoff", 15, (25,), cutoff=15.0, min_separation=6),
        _drawn("unresolved", 16, (20, 15), missing=(0, 7, 8, 21, 34), min_separation=3),
        _drawn("neighbours-too", 17, (25,), min_separation=1),
        _drawn("with-itself", 18, (18, 5), min_separation=0),
        _drawn("separation-two", 19, (22,), cutoff=7.0, min_separation=2),
        case("interleaved-chains", F, rng.uniform(-7, 7, (12, 3)), mixed, 8.0, 6),
        case("peptide", F, walk(rng, 5), np.zeros(5, np.int64), 12.0, 3),
        case("box-corners", F, _corners(), np.arange(8), 6.0, 6),
        _drawn("longer", 20, (70, 30)),
    ]


def _corners():
    """Corners of a cube: its edges are below the cutoff, its diagonals are not."""
    return 5.0 * np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)], float)


def _far_pairs(rng, count=14):
    """Pairs whose distance is just above or below the cutoff, 100,000 Å from the origin."""
    direction = rng.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    first = rng.uniform(-1000, 1000, (count, 3)) + np.array([1e5 / 3, 2e5 / 3, -1e5 / 7])
    apart = 8 + 2e-8 * (-1.0) ** np.arange(count)
    both = np.stack([first, first + apart[:, None] * direction], axis=1)
    return both.reshape(-1, 3), np.arange(2 * count)


def _pairs_of(cutoff, spread=5):
    """Pairs whose distance is hardly above or below a cutoff of any size."""
    rng = np.random.default_rng(8)
    first = rng.uniform(-spread, spread, (10, 3)) * cutoff
    direction = rng.normal(size=(10, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    apart = cutoff + 2e-8 * (-1.0) ** np.arange(10)
    both = np.concatenate([first, first + apart[:, None] * direction])
    return both, np.arange(20), cutoff


def _pairs_at_both_ends():
    """Such pairs on both sides of the origin, 200,000 Å from one another."""
    one, chain = _far_pairs(np.random.default_rng(6))
    return np.concatenate([one, -one]), np.concatenate([chain, chain + len(chain)])


def _at_cutoff(unit, far):
    """Three pairs at the very cutoff, in multiples of a power of 2, and two that are nearer."""
    pair = [[2, 3, 6], [6, -2, 3], [-7, 0, 0], [2, 3, 5], [6, 2, 2]]
    centers = 20 * np.arange(5)[:, None] * np.array([1, -1, 1])
    both = np.concatenate([centers, centers + pair]).astype(float)
    return unit * both + far, np.zeros(10, np.int64), 7 * unit


def _hardly_clear():
    """Pairs as near to the cutoff as they may be."""
    rng = np.random.default_rng(11)
    direction = rng.normal(size=(12, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    first = 1000 * np.round(rng.uniform(-2, 2, (12, 3)))
    apart = 8 + 1.004e-8 * (-1.0) ** np.arange(12)
    return np.concatenate([first, first + apart[:, None] * direction]), np.arange(24)


def _at_the_ends(rng):
    """Two clusters at opposite corners of the range of coordinates."""
    low, high = walk(rng, 8), walk(rng, 8)
    return np.concatenate([low - low.min(axis=0) - 1e5, high - high.max(axis=0) + 1e5])


def _loop():
    """A tight chain with a stretch that was not resolved."""
    coordinates, chain = line(*np.arange(14) * 0.4)
    coordinates[4:9] = np.nan
    return coordinates, chain


def _half_unresolved(far):
    """Resolved and unresolved residues in turn, within reach of whatever stands for the latter."""
    coordinates, chain = line(*far - np.sign(far) * np.arange(12))
    coordinates[::2] = np.nan
    coordinates[1::4, 0] = -far
    return coordinates, chain


def adversarial():
    rng = np.random.default_rng(5)
    some, chain = walk(rng, 9), np.zeros(9, dtype=np.int64)
    partly = some.copy()
    partly[3, 1] = np.nan
    return [
        case("exactly-at-the-cutoff", F, *line(0, 8, 16, 24), min_separation=1),
        case("three-four-five", F, np.array([[0.0, 0, 0], [3, 4, 0], [3, 0, 0]]), chain[:3], 5, 1),
        *(
            case(f"no-rounding-{name}", F, *_at_cutoff(unit, far), min_separation=1)
            for name, unit, far in (
                ("whole", 1, 0),
                ("eighths", 0.125, -1000),
                ("thousands", 1024, 0),
                ("far-out", 0.25, 99_000),
            )
        ),
        case("exact-separation", F, *line(*np.arange(12) * 0.5), cutoff=100.0),
        case("separation-beyond-doubles", F, some, chain, 9.0, 10**400),
        case("no-residues", F, np.zeros((0, 3)), chain[:0]),
        case("one-residue", F, some[:1], chain[:1], min_separation=0),
        case("one-atom-missing", F, partly, chain, 9.0, 1),
        case("unresolved-loop", F, *_loop()),
        case("nothing-resolved", F, np.full((4, 3), np.nan), chain[:4], min_separation=0),
        case("unresolved-with-itself", F, partly, chain, 8.0, 0),
        case("as-near-as-may-be", F, *_hardly_clear()),
        case("far-from-origin", F, *_far_pairs(rng)),
        case("at-both-ends-of-the-range", F, *_pairs_at_both_ends()),
        *(
            case(f"hardly-apart-from-{cutoff:g}", F, *_pairs_of(cutoff))
            for cutoff in (0.001, 0.02, 0.5, 30.0, 1000.0)
        ),
        case("hardly-apart-from-50000", F, *_pairs_of(50_000.0, spread=0.5)),
        case("least-cutoff", F, *line(0, 0.0005, 0.002), cutoff=0.001, min_separation=1),
        case(
            "largest-cutoff",
            F,
            _at_the_ends(np.random.default_rng(7)),
            np.zeros(16, np.int64),
            1e6,
            2,
        ),
        *(
            case(f"unresolved-at-{far:g}", F, *_half_unresolved(far), cutoff=1e6, min_separation=1)
            for far in (400, 1e5, -1e5)
        ),
        case("same-place", F, np.ones((7, 3)), chain[:7]),
        case("origin-and-unresolved", F, partly - some[5], chain, 6.0, 1),
        case("chains-of-one", F, walk(rng, 6), np.array([4, 2, 9, 7, 0, 5]), 8.0, 6),
        _drawn("five-hundred", 30, (300, 120, 80), cutoff=9.5, missing=(0, 255, 256, 499)),
        case("any-chain-number", F, walk(rng, 12), np.repeat([3 - 2**40, 3, 65539, 259], 3)),
        case("at-the-ends-of-the-range", F, _at_the_ends(rng), np.zeros(16, np.int64), 9.0, 2),
        case("all-in-one-place", F, np.full((500, 3), 0.1), np.zeros(500, np.int64)),
    ]
