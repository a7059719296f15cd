import numpy as np

from biomlbench.verify.cases import case

F = "attention_weights"
BLOCKS = (1, 8, 16, 32, 64, 128, 256, 512)
"""Numbers of keys that are looked at together."""


def _random(name, seed, n, m, d, size=1.0, keep=0.7):
    rng = np.random.default_rng(seed)
    q, k = size * rng.normal(size=(n, d)), rng.normal(size=(m, d))
    mask = rng.random((n, m)) < keep
    mask[np.arange(n), rng.integers(0, m, n)] = True
    return case(name, F, q, k, mask)


def _largest(q, k):
    return np.abs(q @ k.T).max() / np.sqrt(q.shape[1])


def visible():
    return [
        case("uniform", F, np.zeros((1, 2)), np.ones((3, 2)), np.array([[True, True, False]])),
        case("identity", F, np.eye(2), np.eye(2), np.ones((2, 2), bool)),
        _random("small", 1, 3, 4, 2),
    ]


def hidden():
    causal = np.tril(np.ones((5, 5), bool))
    rng = np.random.default_rng(7)
    x = rng.normal(size=(5, 3))
    return [
        _random("square", 10, 4, 4, 4),
        _random("wide", 11, 2, 9, 3),
        _random("tall", 12, 8, 2, 5),
        _random("one-query", 13, 1, 6, 4),
        _random("one-feature", 14, 5, 5, 1),
        _random("many-features", 15, 4, 5, 64),
        _random("no-mask", 16, 4, 4, 4, keep=1.1),
        _random("sparse-mask", 17, 6, 6, 4, keep=0.2),
        case("causal", F, x, x, causal),
        case("one-key", F, x, x[:1], np.ones((5, 1), bool)),
        case("equal-keys", F, x, np.repeat(x[:1], 4, axis=0), np.ones((5, 4), bool)),
        _random("sharp", 18, 4, 6, 3, size=20.0),
        _random("larger", 19, 16, 24, 8),
        _random("largest", 40, 500, 1024, 256),
        _random("thousand-keys", 30, 3, 1024, 8),
        _random("five-hundred-queries", 31, 500, 6, 4),
        _random("wide-heads", 32, 5, 7, 256),
    ]


def adversarial():
    rng = np.random.default_rng(8)
    q, k = rng.normal(size=(4, 3)), rng.normal(size=(5, 3))
    some = np.ones((4, 5), bool)
    some[2] = False
    signs = np.array([1, -1, 1, 1, -1, 1, -1, -1, 1, 1, -1, -1.0])
    chosen = rng.random((5, 7)) < 0.5
    chosen[2] = False
    about = np.array([708.5, -715.0, 0.0, -740.0, 715.0])
    lower = np.tril(np.ones((10, 10), bool))
    triangles = {"lower": lower, "turned": lower[:, ::-1], "upper": lower.T}
    triangles["shuffled"] = np.take_along_axis(
        lower, np.array([rng.permutation(10) for _ in lower]), 1
    )
    square, others = rng.normal(size=(10, 3)), rng.normal(size=(10, 3))
    return [
        case("masked-row", F, q, k, some),
        case("all-masked", F, q, k, np.zeros((4, 5), bool)),
        case("huge-scores", F, q * (1e4 / _largest(q, k)), k, np.ones((4, 5), bool)),
        case("huge-scores-turned", F, q * (-1e4 / _largest(q, k)), k, np.ones((4, 5), bool)),
        case("huge-negative", F, np.full((2, 2), -1e4 / np.sqrt(2)), np.ones((3, 2)), some[:2, :3]),
        case(
            "largest-is-masked",
            F,
            np.ones((1, 2)),
            np.array([[900.0, 900], [1, 1], [0, 0]]),
            np.array([[False, True, True]]),
        ),
        case("all-highest", F, *_at_ends(np.ones(5), np.ones(7)), chosen),
        case("all-lowest", F, *_at_ends(-np.ones(5), np.ones(7)), chosen),
        case("all-lowest-unmasked", F, *_at_ends(-np.ones(5), np.ones(7)), chosen | True),
        case(
            "low-beside-masked-high",
            F,
            *_at_ends(np.ones(5), 2.0 * chosen[3] - 1),
            ~chosen[[3] * 5],
        ),
        case("both-ends", F, *_at_ends(signs[:5], signs[5:]), chosen),
        case("near-the-lowest", F, *_at_ends(-np.ones(5), 1 - np.arange(7) / 7000), chosen),
        case("near-the-highest", F, *_at_ends(np.ones(5), 1 - np.arange(7) / 7000), chosen),
        case("masked-in-stretches", F, *_stretches()),
        *(case(f"masked-blocks-of-{size}", F, *_blocks(size)) for size in BLOCKS),
        *(case(f"triangle-{name}", F, square, others, mask) for name, mask in triangles.items()),
        # each exp is a number, but not their sum
        *(
            case(f"all-at-{score:g}", F, *_at_ends(np.full(3, score / 1e4), np.ones(m)), some)
            for score, m in ((709.5, 2), (708.9, 3), (703, 1024))
            for some in [np.ones((3, m), bool)]
        ),
        # exp of the highest score of a row is barely a number, or barely none
        case("about-the-range-of-exp", F, *_at_ends(about / 1e4, 1 - np.arange(7) / 3000), chosen),
    ]


def _blocks(size):
    """Rows without their first, middle or last keys or with these alone, twice.

    All scores are about 2,000 below 0 in the first half of the rows, and above it in the others.
    """
    count = min(4 * size + 3, 1024)
    places = np.arange(count)
    starts = np.array([0, size, count - size])[:, None]
    block = (places >= starts) & (places < starts + size)
    some = np.vstack([~block, block])
    keys = np.stack([np.random.default_rng(size).normal(size=count), np.ones(count)], axis=1)
    queries = np.sqrt(2) * np.array([[1.0, -2000.0], [1.0, 2000.0]]).repeat(len(some), axis=0)
    return queries, keys, np.vstack([some, some])


def _stretches():
    """Rows that may look at a few neighbouring keys of many, one at no key and one at both ends."""
    rng = np.random.default_rng(9)
    places = np.arange(605)
    first = np.array([0, 70, 270, 530, 600, 605])
    mask = (places >= first[:, None]) & (places < first[:, None] + 5)
    ends = (places < 3) | (places > 601)
    return 4 * rng.normal(size=(7, 3)), rng.normal(size=(605, 3)), np.vstack([mask, ends])


def _at_ends(first, second):
    """Queries and keys whose scores are 10,000 times the products of the numbers given."""
    q, k = np.zeros((len(first), 4)), np.zeros((len(second), 4))
    q[:, 1], k[:, 1] = 200.0 * first, 100.0 * second
    return q, k
