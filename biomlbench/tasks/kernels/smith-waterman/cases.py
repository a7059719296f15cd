import numpy as np

from biomlbench.verify.cases import case

F = "local_score"
DNA = "ACGT"
PROTEIN = "ACDEFGHIKLMNPQRSTVWY"


def _letters(rng, alphabet, n):
    return "".join(alphabet[i] for i in rng.integers(0, len(alphabet), n))


def _homologous(name, seed, core, flank, scores, alphabet=DNA, gap=0, substituted=0.1):
    """Two sequences that share a diverged core, between flanks that have nothing in common."""
    rng = np.random.default_rng(seed)
    shared = _letters(rng, alphabet, core)
    other = "".join(
        _letters(rng, alphabet, 1) if rng.random() < substituted else letter for letter in shared
    )
    cut = core // 2
    other = other[:cut] + _letters(rng, alphabet, gap) + other[cut:]
    left, right, above, below = (_letters(rng, alphabet, flank) for _ in range(4))
    return case(name, F, left + shared + right, above + other + below, *scores)


def _at_opposite_ends(seed, core, junk):
    """What two sequences share is at the end of one and at the beginning of the other."""
    rng = np.random.default_rng(seed)
    shared, before, behind = (_letters(rng, DNA, n) for n in (core, junk, junk))
    other = shared[: core // 2] + "AC" + shared[core // 2 :]
    return before + shared, other + behind


def _parted(seed, core, junk):
    """Two stretches that two sequences share, with as much between that has nothing in common."""
    rng = np.random.default_rng(seed)
    first, second = (_letters(rng, DNA, core) for _ in range(2))
    return first + "A" * junk + second, first + "C" * junk + second


def _bridged(name, seed, core, gap_open, match=1, inserted=1):
    """Two long stretches on both sides of a gap that costs many matches, yet fewer than either."""
    rng = np.random.default_rng(seed)
    first, second = (_letters(rng, DNA, core) for _ in range(2))
    longer = first + _letters(rng, DNA, inserted) + second
    return case(name, F, first + second, longer, match, -2 * match, gap_open, -1)


def visible():
    return [
        case("gap-of-three", F, "ACGTACGTAC", "ACGTACTTTGTAC", 2, -3, -5, -1),
        case("core-in-noise", F, "TTTTTGATTACATTTTT", "CCGATTACACC", 1, -1, -2, -1),
        case("nothing-alike", F, "AAAA", "CCCC", 1, -1, -2, -1),
    ]


def hidden():
    rng = np.random.default_rng(5)
    text = _letters(rng, DNA, 60)
    return [
        _homologous("core", 10, 25, 10, (2, -3, -5, -2)),
        _homologous("long-gap", 11, 40, 5, (2, -3, -5, -1), gap=8),
        _homologous("two-letter-gap", 12, 30, 8, (1, -2, -3, -1), gap=2),
        _homologous("diverged", 13, 40, 10, (3, -2, -6, -1), substituted=0.4),
        _homologous("protein", 14, 35, 12, (5, -2, -10, -1), PROTEIN, gap=4, substituted=0.3),
        _homologous("equal-gap-scores", 15, 30, 6, (2, -1, -2, -2), gap=3),
        _homologous("free-extension", 16, 30, 4, (2, -3, -7, 0), gap=15),
        _homologous("longer", 17, 80, 30, (1, -1, -3, -1), gap=5),
        case("deletion-of-twenty", F, text, text[:20] + text[40:], 2, -3, -6, -1),
        case("gap-not-worth-it", F, text[:30], text[:12] + text[42:60], 1, -4, -30, -8),
        case("best-is-inside", F, text[:20] + "ACACAC", "TGTG" + text[5:15] + "GG", 2, -3, -5, -2),
        case("two-gaps", F, text[:45], text[:15] + text[18:30] + "CC" + text[30:45], 3, -4, -6, -1),
        case("largest", F, *_at_opposite_ends(20, 150, 550), 2, -3, -5, -1),
        case("largest-exchanged", F, *_at_opposite_ends(21, 150, 550)[::-1], 2, -3, -5, -1),
        case("unrelated", F, text[:30], text[30:][::-1], 2, -1, -3, -1),
        # opening next to a gap in the other sequence beats the mismatches
        case("replaced-block", F, "GATTACAGGGTCTCGA", "GATTACACCTCTCGA", 3, -20, -4, -1),
    ]


def adversarial():
    rng = np.random.default_rng(6)
    long = _letters(rng, DNA, 1200)
    return [
        case("both-empty", F, "", "", 1, -1, -2, -1),
        case("first-empty", F, "", "ACGTA", 1, -1, -2, -1),
        case("second-empty", F, "ACG", "", 5, -4, -3, -1),
        case("no-match-at-all", F, "AAAAAA", "CCCC", 2, -1, -3, -1),
        case("one-match", F, "CCCAC", "GAGG", 7, -9, -9, -9),
        case("soft-masked", F, "acgtACGTgg", "ACGTacgtGG", 2, -1, -2, -1),
        case("ambiguous-letters", F, "ACGNNNACG", "ACGTTTACG", 3, -2, -4, -1),
        case("adjacent-gaps", F, "ACGTAGGTACGT", "ACGTACCTACGT", 5, -50, -3, -1),
        case("gap-in-a-repeat", F, "AAAGGGTTTT", "AAAGTTTT", 4, -3, -6, -1),
        case("longer-than-recursion", F, long, long[600:610] + long[615:625], 2, -3, -5, -1),
        case("identical", F, long[:80], long[:80], 7, -3, -4, -1),
        case("repeat", F, "ACACACACACAC", "CACACA", 2, -1, -1, -1),
        case("billions", F, long[:60], long[4:64], 10**9, -(10**9), -(10**9), -(10**9)),
        case("billions-joined", F, long[:40], long[:20] + "TT" + long[20:40], 10**9, -1, -9, 0),
        case("gap-of-four-hundred", F, long[:30] + long[430:460], long[:460], 9, -9, -40, -1),
        case("gap-of-a-thousand", F, long[:15] + long[1180:], long, 5, -9, -10, 0),
        case("any-characters", F, "  é一AC\tg-", "xé一AC\tg- ", 3, -2, -4, -1),
        case("white-space-at-the-ends", F, " \nACGT \n", " \nTTTT \n", 2, -3, -4, -1),
        case("nulls-at-the-ends", F, "\0ACGT\0\0", "\0\0TACG\0\0", 2, -3, -4, -1),
        case("nothing-but-nulls", F, "\0\0\0", "\0\0", 3, -3, -4, -1),
        case("seven-bits-alike", F, "AÁaÁA", "AÁÁaÁA", 2, -1, -3, -1),
        case("same-low-bits", F, "ÁÂŁĀ\U00010041", "ABA\u0100\U00020041A", 2, -1, -3, -1),
        case("dear-opening", F, long[:24], long[:9] + long[13:24], 900, -9000, -5000, -1),
        case("identical-at-scale", F, long[:300], long[:300], 3, -2, -5, -1),
        case("nothing-at-scale", F, "A" * 1200, "C" * 20, 3, -2, -5, -1),
        # dear gaps, so that the score falls far below the best one before it rises again
        case("parted-by-twenty", F, *_parted(30, 40, 20), 1, -1, -900, -900),
        case("parted-by-ninety", F, *_parted(31, 200, 90), 1, -2, -900, -900),
        case("parted-by-a-hundred", F, *_parted(32, 280, 100), 9, -22, -9000, -9000),
        # no score is large, but penalties are before they are compared, beyond 24 and 32 bits
        *(
            case(
                f"dear-extension-of-{-extend}",
                F,
                "CGTGTC",
                "CGTG" + "A" * junk + "GTC",
                *dear,
                extend,
            )
            for junk, *dear, extend in (
                (60, 3, -9, -(10**6), -(10**6)),
                (480, 3, -9, -(5 * 10**8), -(5 * 10**6)),
                (30, 3, -9, -(5 * 10**8), -(4 * 10**8)),
            )
        ),
        # a gap that costs this many matches, and that pays all the same
        *(
            _bridged(f"gap-of-{cost}-matches", 40 + cost, cost + cost // 10, -cost)
            for cost in (24, 60, 130)
        ),
        _bridged("gap-of-90-large-matches", 50, 100, -90_000, match=1000, inserted=3),
        case("one-long-run", F, "A" * 1200, "A" * 20, 3, -2, -5, -1),
    ]
