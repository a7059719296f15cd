import numpy as np

from biomlbench.verify.cases import case

F = "roc_auc"


def _random(name, seed, n, share=0.4, signal=1.0, decimals=None, weighted=False, scale=1.0):
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < share).astype(np.int64)
    labels[:2] = [0, 1]
    scores = scale * (signal * labels + rng.normal(size=n))
    if decimals is not None:
        scores = np.round(scores, decimals)
    return case(name, F, labels, scores, rng.uniform(0.2, 3, n) if weighted else None)


def visible():
    return [
        case("four", F, np.array([1, 0, 1, 0]), np.array([0.9, 0.1, 0.4, 0.4])),
        _random("twenty", 1, 20),
        _random("weighted", 2, 15, weighted=True),
    ]


def hidden():
    rng = np.random.default_rng(9)
    labels = np.array([0, 1] * 6)
    return [
        _random("fifty", 10, 50),
        _random("ties", 11, 40, decimals=0),
        _random("weights-and-ties", 12, 40, decimals=0, weighted=True),
        _random("weights", 13, 30, weighted=True),
        _random("rare-positives", 14, 80, share=0.04, decimals=1),
        _random("worse-than-chance", 15, 40, signal=-1.5),
        _random("logits", 16, 40, scale=8.0),
        _random("strong", 17, 40, signal=4.0),
        _random("three-hundred", 18, 300, decimals=2),
        case("all-tied", F, labels, np.full(12, 0.5)),
        case("perfect", F, labels, labels + 0.1 * rng.random(12)),
        case("inverted", F, labels, -labels + 0.1 * rng.random(12)),
        case("two-values", F, labels, (rng.random(12) < 0.5).astype(float)),
        case("pair", F, np.array([0, 1]), np.array([0.2, 0.1])),
        case("ties-in-one-class", F, labels, np.where(labels == 1, 0.3, rng.random(12))),
        case("whole-weights", F, labels, np.round(rng.random(12), 1), np.arange(12.0)),
        _random("two-thousand", 30, 2000),
        _random("two-thousand-weighted", 31, 2000, decimals=1, weighted=True),
    ]


def _weights_hardly_apart(off):
    """Weights of which those of high positives and low negatives are larger, by next to nothing."""
    rank = np.random.default_rng(22).permutation(40)
    labels = (rank * 7 % 40 < 18).astype(np.int64)
    return labels, rank / 8.0, 1 + off * ((rank >= 20) == (labels == 1))


def adversarial():
    rng = np.random.default_rng(21)
    labels = rng.integers(0, 2, 30)
    close = 0.7 + np.arange(30) * np.spacing(0.7)
    order = rng.permutation(30)
    far = np.where(rng.random(30) < 0.3, np.inf, np.where(rng.random(30) < 0.3, -np.inf, 0.0))
    none = np.array([], dtype=np.int64)
    tied = np.round(rng.random(30), 1)
    return [
        case("tiny-beside-large", F, np.array([1, 0, 1, 0]), np.array([1e-20, 2e-20, 1.0, 0.5])),
        case("only-positives", F, np.ones(5, np.int64), rng.random(5)),
        case("only-negatives", F, np.zeros(5, np.int64), rng.random(5)),
        case("no-samples", F, none, none.astype(float)),
        case("weightless-class", F, labels, rng.random(30), np.where(labels == 1, 0.0, 1.0)),
        case("some-weights-zero", F, labels, rng.random(30), (rng.random(30) < 0.6) * 2.0),
        case("hardly-apart", F, labels, close[order]),
        case("hardly-separated", F, np.sort(labels), close),
        case("above-a-billion", F, labels, 1e9 + rng.random(30) * 1e-4),
        case("infinite-scores", F, labels, far),
        case("tiny-scores", F, labels, rng.random(30) * 1e-290),
        case("positives-first", F, np.sort(labels)[::-1].copy(), np.full(30, 0.5)),
        case("positives-last", F, np.sort(labels), np.round(rng.random(30), 1)),
        case("all-weights-zero", F, labels, tied, np.zeros(30)),
        case("weightless-negatives", F, labels, tied, np.where(labels == 0, 0.0, 2.0)),
        case("signed-zeros", F, labels, np.where(rng.random(30) < 0.5, 0.0, -0.0)),
        case("tiny-weights", F, labels, tied, 1e-9 * rng.random(30)),
        case("a-heavy-class", F, labels, tied, np.where(labels == 1, 3e14, rng.random(30))),
        case("a-light-class", F, labels, tied, np.where(labels == 1, 3e-14, 1 + rng.random(30))),
        case("lightest-weights", F, labels, tied, np.full(30, 1e-100)),
        case("heaviest-weights", F, labels, tied, 1e100 * (1 - 0.9 * rng.random(30))),
        case("weights-at-both-bounds", F, labels, tied, np.where(tied > 0.5, 1e-100, 1e100)),
        *(
            case(f"weights-hardly-apart-{off:g}", F, *_weights_hardly_apart(off))
            for off in (8e-6, 7e-7, 6e-8, 9e-9, 4e-9)
        ),
        case("unequal-weights", F, labels, tied, 10 ** rng.uniform(-9, 9, 30)),
        case("all-tied-at-scale", F, np.arange(2000) % 2, np.full(2000, 0.1)),
    ]
