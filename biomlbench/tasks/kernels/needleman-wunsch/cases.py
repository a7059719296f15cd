import numpy as np

from biomlbench.verify.cases import case

F = "global_score"
DNA = "ACGT"
PROTEIN = "ACDEFGHIKLMNPQRSTVWY"


def _letters(rng, alphabet, n):
    return "".join(alphabet[i] for i in rng.integers(0, len(alphabet), n))


def evolve(rng, text, alphabet, substituted, inserted, deleted):
    """Copy a sequence with substitutions, insertions and deletions at these rates."""
    out = []
    for letter in text:
        if rng.random() < deleted:
            continue
        out.append(_letters(rng, alphabet, 1) if rng.random() < substituted else letter)
        if rng.random() < inserted:
            out.append(_letters(rng, alphabet, int(rng.integers(1, 4))))
    return "".join(out)


def _related(name, seed, n, rates, scores, alphabet=DNA):
    rng = np.random.default_rng(seed)
    a = _letters(rng, alphabet, n)
    return case(name, F, a, evolve(rng, a, alphabet, *rates), *scores)


def _moved(name, n, by, scores):
    """Two sequences of which the second is the first moved along, with other ends."""
    rng = np.random.default_rng(by)
    kept = _letters(rng, DNA, n - by)
    return case(name, F, _letters(rng, DNA, by) + kept, kept + _letters(rng, DNA, by), *scores)


def visible():
    return [
        case("textbook", F, "GATTACA", "GCATGCT", 1, -1, -1),
        case("one-gap", F, "ACGTACGT", "ACGACGT", 2, -1, -3),
        case("end-gaps", F, "ACGT", "TTACGTTT", 1, -1, -2),
    ]


def hidden():
    rng = np.random.default_rng(5)
    short, long = _letters(rng, DNA, 12), _letters(rng, DNA, 40)
    return [
        _related("close", 10, 40, (0.05, 0.02, 0.02), (1, -1, -2)),
        _related("diverged", 11, 40, (0.3, 0.1, 0.1), (2, -1, -2)),
        _related("deletions", 12, 50, (0.0, 0.0, 0.3), (1, -3, -2)),
        _related("insertions", 13, 30, (0.0, 0.25, 0.0), (5, -4, -3)),
        _related("protein", 14, 45, (0.3, 0.05, 0.05), (4, -2, -5), PROTEIN),
        _related("longer", 15, 120, (0.1, 0.03, 0.03), (1, -1, -1)),
        _related("largest", 16, 700, (0.1, 0.03, 0.06), (1, -1, -1)),
        case("unrelated", F, long, long[::-1], 1, -1, -1),
        case("different-lengths", F, short, long, 2, -2, -1),
        case("contained", F, long[10:25], long, 3, -2, -2),
        case("cheap-gaps", F, "ACGTTGCAAC", "TGCATTCAGG", 3, -4, -1),
        case("dear-gaps", F, long[:20], long[1:21], 2, -1, -12),
        case("shifted-repeat", F, "ACACACACAC", "CACACACACA", 2, -1, -1),
        case("positive-mismatch", F, long[:15], long[20:38], 5, 1, -3),
    ]


def adversarial():
    rng = np.random.default_rng(6)
    long = _letters(rng, DNA, 1200)
    end = _letters(rng, "CG", 30)
    return [
        case("both-empty", F, "", "", 1, -1, -2),
        case("first-empty", F, "", "ACGTA", 1, -1, -2),
        case("second-empty", F, "ACG", "", 5, -4, -3),
        case("one-letter-each", F, "A", "C", 1, -5, -2),
        case("nothing-in-common", F, "AAAAAA", "CCCC", 2, -1, -3),
        case("two-gaps-beat-a-mismatch", F, "AAGAA", "AATAA", 1, -9, -2),
        case("soft-masked", F, "acgtACGT", "ACGTacgt", 2, -1, -2),
        case("ambiguous-letters", F, "ACNNGT", "ACGNNT", 3, -2, -2),
        case("old-gap-characters", F, "AC--GT", "ACG-T-", 1, -1, -1),
        case("free-gaps", F, "GATTACA", "TACGATC", 1, -1, 0),
        case("longer-than-recursion", F, long, long[500:530], 1, -1, -1),
        case("identical", F, long[:90], long[:90], 7, -3, -4),
        case("shorter-than-recursion", F, long[300:340], long, 2, -3, -1),
        case("billions", F, long[:60], long[4:64], 10**9, -(10**9), -(10**9)),
        case("billions-lost", F, long[:30], long[40:90], 1, -(10**9), -(10**9)),
        case("mismatch-nearly-a-match", F, "ACGT", "TGCA", 10**9, 10**9 - 1, 0),
        case("any-characters", F, " ACé一\t-a ", "AC\u0069é一\t a", 3, -2, -1),
        case("same-low-bits", F, "AŁ\U00010041AŁA", "ŁA\U00010041Ł\U00010041A", 3, -2, -1),
        case("far-off-the-diagonal", F, "A" * 370 + end, end + "T" * 370, 4, -9, 0),
        case("farther-off", F, "A" * 900 + end, end + "T" * 170, 4, -9, 0),
        case("billions-lost-in-a-long-gap", F, "A" * 1199, "CCC", 1, -(10**9), -(10**9)),
        case("wild-cards", F, "AXU?C*.-TG.N", "UCT-X*AN?T.G", 3, -2, -1),
        case("wild-cards-beside-letters", F, "XA?C*G-T.U", "AXC?G*T.-T", 3, -2, -4),
        *(
            _moved(f"moved-by-{by}-of-{n}-gap-{-gap}", n, by, (match, -1, gap))
            for n, by, match, gap in (
                *((90, 1, 1, -12), (90, 1, 1, -60), (90, 4, 1, -9), (90, 30, 1, -1)),
                *((250, 1, 1, -180), (250, 90, 1, -1), (250, 9, 30, -300)),
                *((450, 1, 1, -400), (450, 12, 2, -45), (450, 60, 1, -6)),
                *((450, 170, 1, -2), (600, 260, 2, -2)),
            )
        ),
        case("white-space-at-the-ends", F, " \nACGT \n", "ACGT", 2, -1, -3),
        case("identical-at-scale", F, long[:400], long[:400], 3, -2, -5),
        case("all-gap", F, long, "", 3, -2, -5),
        case("one-long-run", F, "A" * 1200, "A" * 20, 3, -2, -5),
    ]
