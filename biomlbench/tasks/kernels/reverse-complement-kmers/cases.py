import zlib

import numpy as np

from biomlbench.verify.cases import case

R, K = "reverse_complement", "canonical_kmers"
DNA = "ACGT"
IUPAC = "ACGTRYSWKMBDHVN"


def letters(seed, n, alphabet=DNA):
    rng = np.random.default_rng(seed)
    return "".join(alphabet[i] for i in rng.integers(0, len(alphabet), n))


def _hairpin(seed, middle, extra):
    """A stem, a loop and the stem's other strand: for long it reads the same either way."""
    stem = letters(seed, 90)
    other = stem[::-1].translate(str.maketrans("ACGT", "TGCA"))
    return stem + middle + other + letters(seed + 1, extra)


SUMS = (("crc32", zlib.crc32), ("adler32", zlib.adler32))


def _of_one(sum_of):
    """The first k-mers that have the same short sum: canonical ones, as letters in capitals."""
    rng = np.random.default_rng(98)
    known = {}
    while True:
        window = "A" + "".join("ACGT"[i] for i in rng.integers(0, 4, 22)) + "A"
        other = known.setdefault(sum_of(window.encode()), window)
        if other != window:
            return other, window


def visible():
    return [
        case("strand-mixed-case", R, "AACg"),
        case("strand-gattaca", R, "GATTACA"),
        case("kmers-with-n", K, "GATTANCA", 2),
        case("kmers-three", K, "ACGTACGTTT", 3),
    ]


def hidden():
    masked = letters(22, 20) + letters(23, 15).lower() + letters(24, 20)
    gapped = letters(25, 18) + "N" + letters(26, 12) + "NN" + letters(27, 9)
    return [
        case("strand-short", R, letters(10, 12)),
        case("strand-long", R, letters(11, 300)),
        case("strand-iupac", R, letters(12, 60, IUPAC)),
        case("strand-soft-masked", R, masked),
        case("strand-lower-iupac", R, letters(13, 40, IUPAC.lower())),
        case("strand-gapped", R, gapped),
        case("kmers-one", K, letters(14, 50), 1),
        case("kmers-two", K, letters(15, 80), 2),
        case("kmers-odd", K, letters(16, 120), 3),
        case("kmers-even", K, letters(17, 120), 4),
        case("kmers-five", K, letters(18, 200), 5),
        case("kmers-long-k", K, letters(19, 90), 21),
        case("kmers-masked", K, masked, 4),
        case("kmers-gapped", K, gapped, 3),
        case("kmers-ambiguous", K, letters(20, 60, "ACGTACGTACGTACGTRYN"), 3),
        case("kmers-repeat", K, "AT" * 15 + "GC" * 10, 4),
        case("strand-five-thousand", R, letters(40, 5000, IUPAC + IUPAC.lower())),
        case("kmers-five-thousand", K, letters(41, 5000), 2),
        case("kmers-many-kinds", K, letters(42, 4000, DNA * 8 + "n"), 7),
    ]


def _hardly_apart(seed, k):
    """Windows of k letters of which all but the last, or all but the first, are the same."""
    tail = letters(seed, k - 1)
    return "N".join([*(tail + letter for letter in DNA), *(letter + tail for letter in DNA)])


def _few_unknown(seed, n):
    """A long sequence with each of the other codes in a few places."""
    found = list(letters(seed, n))
    places = np.random.default_rng(seed).permutation(n)
    for place, code in zip(places.tolist(), 3 * (IUPAC + IUPAC.lower()), strict=False):
        found[place] = code
    return "".join(found)


def _palindromes(seed):
    """Palindromes of several lengths, without anything beside them."""
    stem = letters(seed, 900)
    for n in (6, 31, 32, 33, 91, 900):
        yield stem[:n] + stem[:n][::-1].translate(str.maketrans("ACGT", "TGCA"))


def adversarial():
    tail = letters(44, 56)
    return [
        case("strand-empty", R, ""),
        case("strand-one", R, "n"),
        case("strand-palindrome", R, "GAATTC"),
        case("strand-every-code", R, IUPAC + IUPAC.lower()),
        case("strand-run", R, "A" * 30),
        case("kmers-empty", K, "", 3),
        case("kmers-longer-than-sequence", K, "ACGT", 5),
        case("kmers-whole-sequence", K, "TTGCA", 5),
        case("kmers-palindromes", K, "GAATTCGAATTC", 6),
        case("kmers-only-n", K, "NNNNNN", 2),
        case("kmers-n-at-the-ends", K, "NNACGTTNN", 2),
        case("kmers-n-everywhere", K, "ANCNGNTN", 2),
        case("kmers-ambiguous-ends", K, "RACGTTGCAY", 4),
        # alphabetical order differs from the order A, C, T, G of a common two-bit code
        case("kmers-g-and-t", K, "GTACGGTTTGACTGGTCAGT", 4),
        case("kmers-homopolymer", K, "T" * 20, 4),
        case("kmers-run-of-five-thousand", K, "a" * 5000, 1),
        case("kmers-long-palindromes", K, "GGGTGAATTCACCCNACCGGATCCGGT", 10),
        case("kmers-same-last-letters", K, f"AAAA{tail}NAAAC{tail}NAAAG{tail}", 60),
        case("kmers-same-first-letters", K, "A" * 70 + "C" + "A" * 70, 40),
        # windows that differ in their last or their first letter alone, at sizes that fill words
        *[
            case(f"kmers-hardly-apart-of-{k}", K, _hardly_apart(50 + k, k), k)
            for k in (13, 15, 16, 26, 27, 28, 30, 31, 32, 33, 63, 64)
        ],
        case("kmers-lower", K, "ttgacaatcgg", 3),
        case("kmers-past-64-bits", K, letters(30, 60), 45),
        case("kmers-hairpin", K, _hairpin(90, "AC", 21) + "N" + _hairpin(91, "GT", 21), 182),
        case("kmers-long-palindrome", K, _hairpin(94, "AT", 21), 182),
        # all but the letter in the middle is the same on the other strand
        *[
            case(
                f"kmers-odd-palindromes-of-{k}", K, "N".join(_hairpin(96, m, 2) for m in "TGCA"), k
            )
            for k in (5, 17, 33, 181)
        ],
        # runs which, from end to end, are the same on the other strand
        *[
            case(f"kmers-of-{k}-in-whole-palindromes", K, "N".join(_palindromes(97)), k)
            for k in (1, 10, 11, 64, 182)
        ],
        case("kmers-two-hundred", K, letters(43, 260), 200),
        case("kmers-one-long-window", K, letters(45, 130), 130),
        case("kmers-one-letter-short", K, letters(46, 150), 151),
        case("kmers-few-unknown", K, _few_unknown(47, 5000), 21),
        *(case(f"kmers-of-one-{name}", K, "N".join(_of_one(sum_of)), 24) for name, sum_of in SUMS),
    ]
