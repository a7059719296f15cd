import numpy as np

from biomlbench.verify.cases import case

F = "tanimoto_matrix"


def prints(rng, n, bits, density):
    return (rng.random((n, bits)) < density).astype(np.uint8)


def series(rng, n, bits, density, changed):
    """Fingerprints of a series of analogues: one scaffold, some bits changed."""
    scaffold = prints(rng, 1, bits, density)
    return scaffold ^ prints(rng, n, bits, changed)


def _drawn(name, seed, n, m, bits, density):
    rng = np.random.default_rng(seed)
    return case(name, F, prints(rng, n, bits, density), prints(rng, m, bits, density))


def visible():
    return [
        case("one-third", F, _bits("1100"), _bits("1010")),
        case("two-by-three", F, _bits("110100", "011100"), _bits("110100", "000011", "111111")),
        _drawn("small", 1, 3, 2, 16, 0.4),
    ]


def _bits(*rows):
    return np.array([[int(bit) for bit in row] for row in rows], dtype=np.uint8)


def hidden():
    rng = np.random.default_rng(5)
    analogues = series(rng, 6, 256, 0.2, 0.05)
    library = prints(rng, 5, 1024, 0.4)
    return [
        _drawn("tall", 10, 9, 3, 64, 0.3),
        _drawn("wide", 11, 2, 11, 64, 0.3),
        _drawn("square", 12, 6, 6, 128, 0.2),
        _drawn("one-by-one", 13, 1, 1, 32, 0.5),
        _drawn("few-bits", 14, 8, 8, 5, 0.4),
        _drawn("sparse", 15, 6, 7, 512, 0.03),
        _drawn("half", 16, 5, 6, 512, 0.5),
        _drawn("more-than-255", 17, 5, 4, 2048, 0.35),
        case("self-analogues", F, analogues, analogues.copy()),
        case("self-library", F, library, library.copy()),
        case("self-random", F, *(2 * [prints(rng, 8, 24, 0.4)])),
        case("self-pairs-of-bits", F, *(2 * [_bits("1100", "1010", "1000", "0100", "0111")])),
        case("analogues-and-decoys", F, analogues, prints(rng, 4, 256, 0.2)),
        case("subset", F, _bits("111100", "110000"), _bits("111111", "100000")),
        _drawn("four-thousand-bits", 30, 4, 5, 4096, 0.8),
        _drawn("six-hundred-molecules", 31, 600, 3, 64, 0.3),
        _drawn("library-of-six-hundred", 32, 2, 600, 64, 0.3),
        _drawn("largest", 40, 270, 270, 4096, 0.3),
        _drawn("most-pairs", 42, 600, 600, 64, 0.3),
        # few bits are set, and yet more than a byte can count are common
        case(
            "sparse-and-much-alike",
            F,
            series(np.random.default_rng(41), 6, 4096, 0.08, 0.001),
            series(np.random.default_rng(41), 5, 4096, 0.08, 0.002),
        ),
    ]


def _nearly_full():
    """Fingerprints of the largest size: all bits, all but one, all but two."""
    bits = np.ones((3, 4096), dtype=np.uint8)
    bits[1, 7] = bits[2, [9, 4000]] = 0
    return bits, bits[::-1].copy()


def _of_equal_sums():
    """Fingerprints of the same number of bits, whose places have equal sums, squares and cubes.

    They are the places of each letter of the Thue-Morse word (Prouhet 1851).
    """
    rows = np.zeros((12, 140), dtype=np.uint8)
    for i, size in enumerate((16, 32, 64, 128)):
        word = np.array([place.bit_count() % 2 for place in range(size)], dtype=np.uint8)
        rows[3 * i, i : size + i] = word
        rows[3 * i + 1, i : size + i] = 1 - word
        rows[3 * i + 2, i + 1 : size + i + 1] = word
    return rows


def _of_all_counts():
    """Fingerprints of one bit up to all of them, each of which has the bits of those before."""
    counts = [1, 2, 3, 10, 40, 41, 130, 400, 1000, 2500, 4095, 4096]
    order = np.random.default_rng(43).permutation(4096)
    return (np.argsort(order) < np.array(counts)[:, None]).astype(np.uint8)


def _rich_among_sparse(seed, rows, count):
    """Fingerprints of few bits, and one of many, of which as many are common to both sets."""
    rng = np.random.default_rng(seed)
    rich = rng.permutation(4096) < count
    sets = []
    for n in rows:
        bits = prints(rng, n, 4096, 0.002)
        bits[n // 2] = rich
        sets.append(bits)
    return sets


def adversarial():
    rng = np.random.default_rng(6)
    some = prints(rng, 4, 32, 0.3)
    blank = some.copy()
    blank[[0, 2]] = 0
    full = np.ones((3, 512), dtype=np.uint8)
    half = full.copy()
    half[:, 256:] = 0
    return [
        case("blank-fingerprints", F, blank, some),
        case("self-blank", F, blank, blank.copy()),
        case("all-blank", F, np.zeros((2, 8), np.uint8), np.zeros((3, 8), np.uint8)),
        case("no-molecules", F, np.zeros((0, 16), np.uint8), prints(rng, 3, 16, 0.5)),
        case("no-library", F, prints(rng, 2, 16, 0.5), np.zeros((0, 16), np.uint8)),
        case("256-common-bits", F, full, half),
        case("disjoint", F, _bits("11110000"), _bits("00001111")),
        case("one-bit", F, _bits("1", "0"), _bits("0", "1")),
        case("nearly-all-of-4096-bits", F, *_nearly_full()),
        case("self-places-of-equal-sums", F, *(2 * [_of_equal_sums()])),
        case("places-of-equal-sums", F, _of_equal_sums(), _of_equal_sums()[::-1].copy()),
        case("counts-of-all-magnitudes", F, _of_all_counts(), _of_all_counts()[::-3].copy()),
        case("self-counts-of-all-magnitudes", F, *(2 * [_of_all_counts()[1::2]])),
        # hardly any bits are set, and yet one count is beyond what a byte holds, with a sign or not
        *(
            case(f"rich-among-sparse-{count}", F, *_rich_among_sparse(50 + n, (n, n + 3), count))
            for n, count in ((11, 300), (5, 200), (14, 256))
        ),
        case("all-bits", F, np.ones((2, 300), np.uint8), np.ones((2, 300), np.uint8)),
    ]
