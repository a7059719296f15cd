import numpy as np

from biomlbench.verify.cases import case

READ, FIND, SCORE = "read_fasta", "find_sites", "specificity"
COMPLEMENT = str.maketrans("ACGT", "TGCA")
CODES = str.maketrans("ACGTRYSWKMBDHV", "TGCAYRSWMKVHDB")
GUIDE = "GACGCATAAAGATGAGACGC"
PALINDROME = "TAGCATGAATATTCATGCTA"
EXAMPLE = "ACGTACGTACGTACGTA"


def letters(rng, n, alphabet="ACGT"):
    return "".join(alphabet[i] for i in rng.integers(0, len(alphabet), n))


def other_strand(sequence):
    return sequence.translate(COMPLEMENT)[::-1]


def mutated(rng, guide, count):
    """Change `count` letters of the guide, each into another one."""
    site = list(guide)
    for i in rng.permutation(len(guide))[:count]:
        site[i] = "ACGT".replace(site[i], "")[rng.integers(0, 3)]
    return "".join(site)


def genome(seed, guide, records=3, size=300, sites=4, most=5, width=60, masked=0.3, end="\n"):
    """FASTA with sites of the guide on both strands, soft-masked repeats and some N."""
    rng = np.random.default_rng(seed)
    lines = []
    for record in range(records):
        pieces = [letters(rng, size)]
        for _ in range(sites):
            tail = rng.choice(["AGG", "CGG", "TGG", "GGG", "AGG", "TAG", "NGG"])
            site = mutated(rng, guide, int(rng.integers(0, most + 1))) + tail
            pieces += [site if rng.random() < 0.5 else other_strand(site), letters(rng, size)]
        text = "".join(pieces)
        for _ in range(2):
            place = int(rng.integers(0, len(text) - 6))
            text = text[:place] + "N" * int(rng.integers(1, 6)) + text[place:]
        for _ in range(int(10 * masked)):
            place = int(rng.integers(0, len(text)))
            text = text[:place] + text[place : place + 40].lower() + text[place + 40 :]
        lines.append(f">chr{records - record} length={len(text)} of {records}")
        lines += [text[i : i + width] for i in range(0, len(text), width)]
    return end.join(lines) + end


def across_blocks(rng):
    """A long sequence with a site across each place at which blocks of a round size end."""
    found = letters(rng, 199_000)
    places = [2**i for i in range(8, 18)] + [n * 10**i for i in (3, 4) for n in (1, 3, 5, 9)]
    for number, place in enumerate([*places, 100_000, 150_000]):
        site = GUIDE + "TGG"
        site = other_strand(site) if number % 2 else site
        found = found[: place - 11] + site + found[place - 11 + len(site) :]
    return found


def dense_across_blocks(rng):
    """Sites of a guide of G alone that begin at each offset from where blocks of a size end."""
    found = letters(rng, 199_000, "ACT")
    for place in [*(2**i for i in range(8, 18)), *range(16384, 199_000, 16384), 10_000, 100_000]:
        found = found[: place - 40] + "G" * 80 + found[place + 40 :]
    return found


def every_letter():
    """Sites in which one place holds each letter in turn, on both strands."""
    sites = [
        GUIDE[:place] + letter + GUIDE[place + 1 :] + "AGG"
        for place in (0, 7, 19)
        for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    ]
    back = [GUIDE[:9] + letter + GUIDE[10:] + "AGG" for letter in "BDEFHIJKLMNOPQRSUVWXYZ"]
    back = [site[::-1].translate(COMPLEMENT) for site in back]
    return ">a\n" + "TATAT".join(sites) + "\n>b\n" + "tatat".join(back) + "\n"


def on_both_strands():
    """Sites of a guide that is its own other strand: of each start there are two, one a strand."""
    near = PALINDROME[:3] + "A" + PALINDROME[4:]
    return f">a\nTTCCA{PALINDROME}AGGTTTTCCT{near}TGGTT\n>b\nCCA{near[::-1]}CGG\n"


def rotated(sequence, places):
    """Records of a sequence turned round: what is cut in two only a circle holds together."""
    turns = [sequence[place:] + sequence[:place] for place in places]
    return "".join(f">r{place}\n{turn}\n" for place, turn in zip(places, turns, strict=True))


def visible():
    worked = ">chr1 test\ncc" + EXAMPLE + "TGGcc\n"
    return [
        case("worked", FIND, worked, EXAMPLE, 1),
        case("two-records", FIND, genome(1, GUIDE, records=2, size=80), GUIDE, 4),
        case("worked-score", SCORE, worked, EXAMPLE, 1),
        case("two-records-score", SCORE, genome(2, GUIDE, records=2, most=3), GUIDE, 4),
        case("worked-text", READ, worked),
        case("two-records-text", READ, ">a one\nACGT\nacgtn\n\n>b\nTTT\n"),
    ]


def hidden():
    rng = np.random.default_rng(50)
    short, long = letters(rng, 17), letters(rng, 24)
    # its own reverse complement, so that a site can lie on both strands at one place
    both = "CCATACGATGATATCATCGTATGG"
    repeat = "GGGGGGGGGGGGGGGGGGGG"
    perfect = GUIDE + "AGG"
    return [
        case("sites", FIND, genome(10, GUIDE), GUIDE, 4),
        case("sites-many", FIND, genome(11, GUIDE, records=8, sites=6, size=60), GUIDE, 6),
        case("perfect-only", FIND, genome(12, GUIDE, most=1), GUIDE, 0),
        case("short-guide", FIND, genome(13, short), short, 3),
        case("long-guide", FIND, genome(14, long), long, 5),
        case("rna-small-letters", FIND, genome(15, GUIDE), GUIDE.replace("T", "u").lower(), 4),
        case("windows-lines", FIND, genome(16, GUIDE, end="\r\n"), GUIDE, 5),
        case("narrow-lines", FIND, genome(17, GUIDE, width=7), GUIDE, 4),
        case("overlapping", FIND, ">r\n" + "G" * 40 + "C" * 40 + "\n", repeat, 2),
        case("both-strands", FIND, ">p\nCCA" + both + "TGG\n", both, 0),
        case("twenty-records", FIND, genome(18, GUIDE, records=20, size=30, sites=2), GUIDE, 6),
        case("score", SCORE, genome(19, GUIDE, sites=8, most=3), GUIDE, 5),
        case("score-short-guide", SCORE, genome(20, short, sites=8, most=2), short, 3),
        case("score-long-guide", SCORE, genome(21, long, sites=8, most=2), long, 4),
        case("score-one", SCORE, f">a\nTT{perfect}\n", GUIDE, 6),
        case("score-two-perfect", SCORE, f">a\n{perfect}\n>b\n{other_strand(perfect)}\n", GUIDE, 3),
        case("score-none-perfect", SCORE, f">a\nTTA{GUIDE[1:]}TGG\n", GUIDE, 3),
        case("score-rna", SCORE, genome(22, GUIDE, most=2), GUIDE.replace("T", "U"), 4),
        case("text", READ, genome(23, GUIDE)),
        case("text-windows", READ, genome(24, GUIDE, end="\r\n", records=5)),
        case("text-blank-lines", READ, "; by hand\n\n>x\tfirst one\n\nACgt\n  nnNN  \n\n>y\n"),
    ]


def codes_in_sites():
    """Sites in which a code for several bases, one that may be right, stands for a base."""
    bases = {"A": "RWMDHV", "C": "YSMBHV", "G": "RSKBDV", "T": "YWKBDH"}
    places = [(i, code) for i, base in enumerate(GUIDE) for code in bases[base][i % 3 :: 3]]
    sites = [f"{GUIDE[:i]}{code}{GUIDE[i + 1 :]}AGG" for i, code in places]
    back = "T".join(site.translate(CODES)[::-1] for site in sites)
    return f">fore\n{'T'.join(sites)}\n>back\n{back}\n"


def beside_gaps():
    """Sites of which up to six letters at the far end from the motif belong to a run of N."""
    pieces = []
    for number, gap in enumerate(
        (1, 2, 4, 6, 7, 8, 9, 10, 12, 15, 16, 20, 25, 30, 50, 64, 100, 300)
    ):
        lost = 1 + number % 6
        site = "N" * gap + GUIDE[lost:] + "AGG"
        pieces += [site + "ACT", other_strand(site), "CTA"]
    # what stands between a run and the motif of the next one must not be lost either
    return f">a\n{''.join(pieces)}\n>b\nNNNNNNNNNNNN{GUIDE}NGG{'N' * 40}{other_strand(GUIDE)}\n"


def perfect_but_for_the_motif(turned):
    """The guide itself without a motif, and sites that differ from it with one."""
    near = f"T{GUIDE[1:]}TGG"
    pieces = [GUIDE + "AAG", "TTT", near, "ACT", GUIDE + "GCG"]
    text = "".join(pieces)
    return f">a\n{other_strand(text) if turned else text}\n>b\nTAGG{GUIDE}\n>c\nGGG\n"


def cut_in_pam(cut):
    """A guide and so many letters of its motif at the end of a record, the rest in the next one."""
    pam = "GGG"
    return f">a\nACGTT{GUIDE}{pam[:cut]}\n>b\n{pam[cut:]}ACGTTACGT\n"


def adversarial():
    rng = np.random.default_rng(60)
    perfect = GUIDE + "AGG"
    back = other_strand(perfect)
    large = letters(rng, 90_000) + perfect + letters(rng, 90_000)
    # the longest text that there may be, header and line end included
    large += letters(rng, 200_000 - len(large) - len(">chr1\n\n"))
    longest = large[89_996:90_020]
    return [
        case("no-text", READ, ""),
        case("no-text-sites", FIND, "", GUIDE, 3),
        case("no-text-score", SCORE, "", GUIDE, 3),
        case("no-record", FIND, perfect + "\n", GUIDE, 0),
        case("blank-before-a-mark", READ, " >note by hand\nACGT\n\t>b\nGG\n>c\nTT\n"),
        case("blank-before-a-mark-sites", FIND, f" >a\n{perfect}\n>b\n{back}\n", GUIDE, 1),
        case("empty-records", READ, ">a\n>β🧬\n\n>c some words > here\nacgu\n>d"),
        case("at-both-ends", FIND, f">a\n{perfect}\n>b\n{back}", GUIDE, 0),
        case("pam-cut-off", FIND, f">a\n{perfect[:-1]}\n>b\n{back[1:]}\n", GUIDE, 0),
        case("over-the-end", FIND, f">a\n{perfect[:12]}\n>b\n{perfect[12:]}\n", GUIDE, 6),
        case("no-circle", FIND, rotated(perfect + "ACTAT", range(4, 24)), GUIDE, 6),
        case("no-circle-back", FIND, rotated(back + "ACTAT", range(1, 21)), GUIDE, 6),
        case("over-the-line", FIND, f">a\n{perfect[:12]}\n{perfect[12:]}\n", GUIDE, 0),
        case("shorter-than-guide", FIND, ">a\nACGT\n>b\nACGTGG\n", GUIDE, 6),
        case("unknown-in-site", FIND, f">a\n{GUIDE[:4]}NR{GUIDE[6:]}NGG\n", GUIDE, 2),
        case("unknown-in-site-back", FIND, f">a\nCCN{back[3:8]}NY{back[10:]}\n", GUIDE, 2),
        case("unknown-in-pam", FIND, f">a\n{GUIDE}ANG\n>b\n{GUIDE}AGN\n>c\n{GUIDE}NGG\n", GUIDE, 0),
        case("codes-in-sites", FIND, codes_in_sites(), GUIDE, 1),
        *(case(f"pam-of-next-record-{cut}", FIND, cut_in_pam(cut), GUIDE, 0) for cut in range(3)),
        case("masked-pam", FIND, f">a\n{GUIDE}tgg\n>b\n{back.lower()}\n", GUIDE, 0),
        *(case(f"beside-gaps-{most}", FIND, beside_gaps(), GUIDE, most) for most in (1, 3, 6)),
        # U is a letter of guides alone: in a genome it is none of the four
        case("uracil-in-sites", FIND, f">a\n{GUIDE.replace('T', 'u')}AGG\n", GUIDE, 2),
        case("uracil-in-sites-back", FIND, f">a\n{back.replace('A', 'U')}\n", GUIDE, 6),
        case("nag-is-no-pam", FIND, f">a\n{GUIDE}AAG\n>b\n{GUIDE}GGA\n", GUIDE, 0),
        case("unsorted-names", FIND, f">🧬z\n{perfect}\n>10\n{back}\n>2\n{perfect}\n", GUIDE, 0),
        case("large", FIND, ">chr1\n" + large + "\n", GUIDE, 3),
        case("across-blocks", FIND, ">chr1\n" + across_blocks(rng) + "\n", GUIDE, 1),
        case("dense-across-blocks", FIND, f">r\n{dense_across_blocks(rng)}\n", "G" * 20, 0),
        case(
            "dense-across-blocks-back",
            FIND,
            f">r\n{other_strand(dense_across_blocks(rng))}\n",
            "G" * 20,
            0,
        ),
        case("largest", FIND, ">chr1\n" + large + "\n", longest, 4),
        case("largest-score", SCORE, ">chr1\n" + large + "\n", longest, 4),
        case(
            "other-line-ends",
            READ,
            ">a \u2028b\x0bc\x85 \x1c>d\nACGT\n>e \u2028>f\r\nGG\n>g\x0c>h\nTT",
        ),
        case("carriage-return-in-a-header", READ, ">a b\rACGT\r>c\nGG\n>d \r>e\r\nTT\n"),
        case("carriage-return-in-a-header-sites", FIND, f">a b\r{perfect}\n{back}\n", GUIDE, 0),
        case("every-letter-in-sites", FIND, every_letter(), GUIDE, 1),
        case("every-letter-in-sites-score", SCORE, every_letter(), GUIDE, 2),
        # one of each strand at one place, and more of them than perfect ones
        case("both-strands-at-one-start", FIND, on_both_strands(), PALINDROME, 6),
        case("both-strands-at-one-start-score", SCORE, on_both_strands(), PALINDROME, 6),
        case(
            "white-space-beyond-ascii",
            READ,
            ">a\u00a0b c\nACGT\n\u3000acg\u00a0\n>d\u2003e\n\u2009\n>\xe9\x85x\nTT\x1f\n",
        ),
        *(
            case(
                f"perfect-but-for-the-motif-{turned:d}",
                SCORE,
                perfect_but_for_the_motif(turned),
                GUIDE,
                2,
            )
            for turned in (False, True)
        ),
        case("no-mismatch-allowed", SCORE, genome(61, GUIDE, sites=6), GUIDE, 0),
        case("all-mismatches", SCORE, f">a\n{perfect}AAAAAA{perfect[6:]}\n", GUIDE, 6),
        case("mismatch-at-pam", SCORE, f">🧬\n{perfect}\n>b\n{GUIDE[:-1]}ATGG\n", GUIDE, 1),
        case("mismatch-at-start", SCORE, f">a\n{perfect}\n>b\nT{GUIDE[1:]}TGG\n", GUIDE, 1),
    ]
