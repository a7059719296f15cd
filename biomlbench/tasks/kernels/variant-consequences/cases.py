import itertools

import numpy as np

from biomlbench.verify.cases import case

READ, CODING, EFFECT = "read_vcf", "coding_sequence", "consequence"
COMPLEMENT = str.maketrans("ACGT", "TGCA")
STOPS = ("TAA", "TAG", "TGA")
AMINO = "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"
WORKED = ("CCATGAAATAGCC", [(0, 13)], (2, 11), "+")


def letters(rng, n):
    return "".join("ACGT"[i] for i in rng.integers(0, 4, n))


def gene(seed, codons=30, introns=3, strand="+", flank=25, utr_exon=True):
    """A genome, exons, coding range and strand; introns may cut codons."""
    rng = np.random.default_rng(seed)
    inner = []
    while len(inner) < codons - 2:
        codon = letters(rng, 3)
        if codon not in STOPS:
            inner.append(codon)
    coding = "".join(["ATG", *inner, STOPS[rng.integers(0, 3)]])
    if strand == "-":
        coding = coding.translate(COMPLEMENT)[::-1]
    cuts = sorted(int(i) for i in rng.choice(np.arange(4, len(coding) - 4), introns, replace=False))
    genome, exons = letters(rng, flank), []
    if utr_exon:
        genome += letters(rng, 20)
        exons.append((len(genome) - 12, len(genome)))
        genome += letters(rng, 15)
    begin = len(genome)
    genome += letters(rng, 6)
    first = len(genome)
    for a, b in zip([0, *cuts], [*cuts, len(coding)], strict=True):
        genome += coding[a:b]
        if b < len(coding):
            exons.append((begin, len(genome)))
            genome += letters(rng, int(rng.integers(5, 30)))
            begin = len(genome)
    last = len(genome)
    genome += letters(rng, 8)
    exons.append((begin, len(genome)))
    return genome + letters(rng, flank), exons, (first, last), strand


def longest(made):
    """The same gene in a genome of the largest length."""
    genome, *rest = made
    return genome + letters(np.random.default_rng(len(genome)), 20_000 - len(genome)), *rest


def places(exons, cds):
    return [i for a, b in exons for i in range(max(a, cds[0]), min(b, cds[1]))]


def variants(seed, prefix, made, count):
    """Cases with variants of all kinds, on and around the coding letters of a gene."""
    genome, exons, cds, _ = made
    rng = np.random.default_rng(seed)
    coding = places(exons, cds)
    found = []
    while len(found) < count:
        kind = len(found) % 6
        at = coding[rng.integers(0, len(coding))] + (int(rng.integers(-9, 9)) if kind == 5 else 0)
        size = (1, 1, 3, 0, 2, 4)[kind]
        ref = genome[at : at + size]
        alt = letters(rng, (1, 1, 0, int(rng.integers(1, 7)), 2, int(rng.integers(0, 3)))[kind])
        if ref == alt or (ref and alt and (ref[0] == alt[0] or ref[-1] == alt[-1])):
            continue
        found.append(case(f"{prefix}-{len(found)}", EFFECT, *made, at, ref, alt))
    return found


def vcf(seed, count, end="\n"):
    rng = np.random.default_rng(seed)
    lines = ["##fileformat=VCFv4.3", "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO"]
    for _ in range(count):
        ref = letters(rng, int(rng.integers(1, 7)))
        alts = []
        for _ in range(int(rng.integers(1, 4))):
            cut, kept = int(rng.integers(0, len(ref) + 1)), int(rng.integers(0, len(ref) + 1))
            alts.append(ref[:cut] + letters(rng, int(rng.integers(0, 3))) + ref[kept:])
        odd = ["*", ".", "<DEL>", "N", ref, "a", "acgt"]
        alts = [alt or odd[rng.integers(0, 7)] for alt in alts]
        if rng.random() < 0.3:
            alts.insert(0, odd[rng.integers(0, 7)])
        state = ["PASS", "PASS", ".", "q10", "PASS;q10", "LowQual"][rng.integers(0, 6)]
        ref = ref.lower() if rng.random() < 0.2 else ref
        more = "" if rng.random() < 0.3 else "\tDP=7"
        lines.append(
            f"chr1\t{rng.integers(1, 9999)}\trs1\t{ref}\t{','.join(alts)}\t.\t{state}{more}"
        )
    return end.join([*lines, ""])


def full_file():
    """As many lines and characters as there may be."""
    rng = np.random.default_rng(13)
    text, row = vcf(14, 1996), "chr1\t7\t.\t{}\t{}\t.\tPASS\n"
    for lines_left in (2, 1):
        room = (100_000 - len(text)) // lines_left - len(row.format("", ""))
        text += row.format(letters(rng, room // 2), letters(rng, room - room // 2))
    return text


def visible():
    line = "chr1\t6\t.\tAAA\tAA,GAA\t.\tPASS\n"
    return [
        case("worked-line", READ, line),
        case("few-lines", READ, vcf(1, 5)),
        case("worked-coding", CODING, *WORKED),
        case("small-coding", CODING, *gene(1, 8, 2, "-")),
        case("worked-stop", EFFECT, *WORKED, 5, "A", "T"),
        case("worked-same", EFFECT, *WORKED, 7, "A", "G"),
        case("worked-other", EFFECT, *WORKED, 7, "A", "C"),
        case("worked-shift", EFFECT, *WORKED, 5, "A", ""),
    ]


def hidden():
    return [
        case("lines", READ, vcf(10, 40)),
        case("lines-windows", READ, vcf(11, 40, end="\r\n")),
        case("lines-most", READ, vcf(12, 1998)),
        case("coding", CODING, *gene(20)),
        case("coding-back", CODING, *gene(21, strand="-")),
        case("coding-many-exons", CODING, *gene(22, 80, 15, "-")),
        case("coding-one-exon", CODING, *gene(23, 20, 0, "+", utr_exon=False)),
        case("coding-large", CODING, *longest(gene(24, 5000, 98, "-"))),
        _largest(),
        *_synonyms(),
        *_lonely(),
        *variants(30, "forward", gene(30), 14),
        *variants(31, "back", gene(31, strand="-"), 14),
        *variants(32, "short", gene(32, 6, 1, "-"), 12),
    ]


def _largest():
    made = genome, exons, *_ = longest(gene(24, 5000, 98, "-"))
    at = next(start for start, stop in exons[2:] if stop - start > 50)
    ref = genome[at : at + 50]
    return case("largest", EFFECT, *made, at, ref, ref.translate(COMPLEMENT))


def _synonyms():
    """Each codon of an amino acid turned into the next one, fifteen at a time."""
    table = dict(
        zip(("".join(three) for three in itertools.product("TCAG", repeat=3)), AMINO, strict=True)
    )
    pairs = []
    for amino in sorted(set(AMINO) - set("*")):
        codons = [codon for codon in table if table[codon] == amino]
        pairs += zip(codons, codons[1:] + codons[:1], strict=True) if len(codons) > 1 else ()
    for i in range(0, len(pairs), 15):
        old, new = ("".join(codons) for codons in zip(*pairs[i : i + 15], strict=True))
        # the first and the last letter that are replaced differ
        coding = f"ATGGCT{old}GCTTAA"
        gene = coding, [(0, len(coding))], (0, len(coding)), "+"
        yield case(f"synonyms-{i // 15}", EFFECT, *gene, 5, f"T{old}GCT", f"C{new}GCC")


def _lonely():
    """Codons that stand alone for their amino acid, turned into their neighbours."""
    coding = "ATGATGTGGTAA"
    gene = coding, [(0, 12)], (0, 12), "+"
    for i, (place, new) in enumerate([(5, "A"), (5, "T"), (8, "T"), (8, "C"), (6, "C"), (6, "A")]):
        yield case(f"lonely-{i}", EFFECT, *gene, place, coding[place], new)


def _other_strand(forwards):
    """The same change of the same transcript, read from the other strand."""
    genome, exons, cds, _, position, ref, alt = forwards.args
    size = len(genome)
    flipped = [(size - stop, size - start) for start, stop in [*reversed(exons), cds]]
    back = [text.translate(COMPLEMENT)[::-1] for text in (genome, ref, alt)]
    place = size - position - len(ref)
    return case(
        f"{forwards.name}-turned", EFFECT, back[0], flipped[:-1], flipped[-1], "-", place, *back[1:]
    )


def _seams():
    """Deletions of whole codons' lengths within a codon: a stop is put together, kept or lost."""
    for stop in STOPS:
        for offset, size in itertools.product((1, 2), (3, 6)):
            begin = "ATGGCC" + stop[:offset]
            coding = begin + "CACCCA"[:size] + stop[offset:] + "GCCTAA"
            gene = coding, [(0, len(coding))], (0, len(coding)), "+"
            at, gone = len(begin), coding[len(begin) : len(begin) + size]
            yield case(f"seam-{stop}-{offset}-{size}", EFFECT, *gene, at, gone, "")
    for name, letter in (("kept", "T"), ("lost", "C")):
        coding = f"ATGGCC{letter}CGTAA"
        gene = coding, [(0, 12)], (0, 12), "+"
        yield case(f"stop-{name}-at-a-seam", EFFECT, *gene, 7, "CGT", "")


def _long_alleles():
    """Alleles of up to the most letters that begin, end or do both alike."""
    rng = np.random.default_rng(50)
    for size in (300, 1500, 4999):
        same = letters(rng, size)
        half = same[: size // 2]
        pairs = (
            (same + "A", same + "C"),
            ("C" + same, "G" + same),
            (half + "A" + half, half + half),
            (same, same[:-7]),
        )
        lines = [f"chr1\t70\t.\t{ref}\t{alt},{alt[:-1].lower()}\t.\tPASS\n" for ref, alt in pairs]
        yield case(f"alike-{size}", READ, "".join(lines))


def adversarial():
    wide = gene(42, 40, 0, "+", utr_exon=False)
    begin = wide[2][0] + 33
    fifty = wide[0][begin : begin + 50]
    genome, exons, cds, _ = made = gene(40, 12, 2, "+", utr_exon=False)
    back = gene(41, 12, 2, "-", utr_exon=False)
    first, last = cds
    edge = exons[0][1]
    other = "C" if genome[first + 3] != "C" else "G"
    # ATG TGG TAT TAA: a codon can become a stop or stay, the stop another stop or a codon
    plain = ("ATGTGGTATTAA", [(0, 12)], (0, 12), "+")
    # the same letters, with an intron inside of the second codon
    cut = ("ATGTG" + "GTAAGT" + "GTATTAA", [(0, 5), (11, 18)], (0, 18), "+")
    twice = ("ATGATGTGGTAA", *plain[1:])
    # AAAAC to GGAAT: the first codon and the last one keep their meaning, the middle one does not
    ends = ("CCATGCTAAAACTATAGCC", [(0, 19)], (2, 17), "+")
    turned = (plain[0].translate(COMPLEMENT)[::-1], *plain[1:3], "-")
    forwards = [
        case("one-at-exon-start", EFFECT, *cut, 11, "", "C"),
        case("two-at-exon-end", EFFECT, *cut, 5, "", "CA"),
        case("one-behind-exon-start", EFFECT, *cut, 12, "", "C"),
        case("one-before-coding", EFFECT, *cut, 0, "", "C"),
        case("one-behind-coding", EFFECT, *cut, 18, "", "C"),
        case("intron-and-more", EFFECT, *cut, 2, cut[0][2:15], "C"),
        case("whole-intron", EFFECT, *cut, 5, "GTAAGT", ""),
        case("stop-kept-back", EFFECT, *plain, 11, "A", "G"),
        case("stop-kept-in-the-middle", EFFECT, *plain, 10, "A", "G"),
        case("start-kept", EFFECT, *plain, 0, "", "ATGAAA"),
        case("start-of-another-codon", EFFECT, *twice, 0, "ATG", ""),
        case("start-put-together", EFFECT, *twice, 1, "TGA", ""),
        case("start-replaced", EFFECT, *twice, 2, "GATG", "A"),
        case("same-at-both-ends", EFFECT, *ends, 7, "AAAAC", "GGAAT"),
        case("stop-moved-forwards", EFFECT, *plain, 7, "ATTAA", "GAGCC"),
    ]
    forwards += _seams()
    # two transcripts of one gene that differ in the middle exon alone
    spliced = "ATGGCAGTAAGCTGCCGCTGCCCCAGGGATAA"
    ways = [(spliced, [(0, 6), (at, at + 6), (26, 32)], (0, 32), "+") for at in (10, 11, 13)]
    return [
        *(case(f"spliced-at-{way[1][1][0]}", CODING, *way) for way in ways),
        *(case(f"change-at-{way[1][1][0]}", EFFECT, *way, 12, "T", "A") for way in ways),
        *forwards,
        *map(_other_strand, forwards),
        *_long_alleles(),
        case("full-file", READ, full_file()),
        case("no-lines", READ, ""),
        case(
            "other-line-ends",
            READ,
            "##a\u2028chr1\t1\t.\tA\tC\t.\tPASS\nchr1\t5\trs\x0b1\tA\tC\t.\tPASS\tDP=1\x1c2\x85\n",
        ),
        case(
            "other-filters",
            READ,
            "1\t3\t.\tA\tC\t.\tpass\n1\t4\t.\tA\tC\t.\t\n1\t5\t.\tA\tG\t.\tPASS;q\n",
        ),
        # each is the next whole number, and not always the next double
        case(
            "large-positions",
            READ,
            "".join(
                f"1\t{first + i}\t.\tCA\tC,T\t.\tPASS\n"
                for first in (2**31 - 2, 2**53 - 1, 2**63 - 2, 10**25)
                for i in range(5)
            ),
        ),
        case(
            "largest-positions",
            READ,
            f"1\t{10**999}\t.\tCA\tC,T\t.\tPASS\n1\t{10**1000 - 1}\t.\tA\tT\t.\tPASS\n",
        ),
        case("header-only", READ, "#CHROM\n\n"),
        case("suffix-first", READ, "1\t10\t.\tCAA\tCAAA\t.\t.\n1\t1\t.\tATAT\tAT\t9\tPASS\n"),
        case("nothing-left", READ, "1\t3\t.\tACN\tA\t.\t.\n1\t3\t.\tAC\tAC,<INS>,*\t.\tPASS"),
        case("smallest-gene", CODING, "ATGTAA", [(0, 6)], (0, 6), "+"),
        case("longest-alleles", EFFECT, *wide, begin, fifty, fifty.translate(COMPLEMENT)),
        case("longest-deletion", EFFECT, *wide, begin, fifty, ""),
        case("wrong-reference", EFFECT, *made, first + 3, other, "T" if other != "T" else "A"),
        case("beyond-the-end", EFFECT, *plain, 11, "AC", "G"),
        case("start", EFFECT, *plain, 2, "G", "A"),
        case("start-in-frame", EFFECT, *plain, 0, "ATG", ""),
        case("codon-before-start", EFFECT, *plain, 0, "", "ATG"),
        case("inserted-behind-start", EFFECT, *plain, 3, "", "CCC"),
        case("inserted-stop", EFFECT, *plain, 3, "", "TAA"),
        case("stop-gained", EFFECT, *plain, 5, "G", "A"),
        case("stop-lost", EFFECT, *plain, 9, "T", "C"),
        case("stop-kept", EFFECT, *plain, 11, "A", "G"),
        case("stop-removed", EFFECT, *plain, 9, "TAA", ""),
        case("stop-doubled", EFFECT, *plain, 8, "", "ATA"),
        case("synonymous-two", EFFECT, *plain, 8, "T", "C"),
        case("whole-codon", EFFECT, *plain, 3, "TGG", ""),
        case("in-frame-replacement", EFFECT, *plain, 4, "GG", "CATTT"),
        case("frameshift-with-start", EFFECT, *plain, 1, "TG", "C"),
        case("cut-codon", EFFECT, *cut, 4, "G", "A"),
        case("cut-codon-behind", EFFECT, *cut, 11, "G", "A"),
        case("at-exon-start", EFFECT, *cut, 11, "", "AAA"),
        case("at-exon-end", EFFECT, *cut, 5, "", "AAA"),
        case("in-intron", EFFECT, *cut, 7, "A", "G"),
        case("over-intron", EFFECT, *cut, 4, "GGTAAGTG", ""),
        case("over-exon-end", EFFECT, *cut, 3, "TGG", ""),
        case("turned-stop", EFFECT, *turned, 6, "C", "T"),
        case("turned-insertion", EFFECT, *turned, 9, "", "TTA"),
        case("turned-start", EFFECT, *turned, 11, "T", "C"),
        case("untranslated", EFFECT, *made, first - 2, genome[first - 2], ""),
        case("over-coding-end", EFFECT, *made, last - 1, genome[last - 1 : last + 1], ""),
        case("last-of-exon", EFFECT, *made, edge - 1, genome[edge - 1], ""),
        case("first-coding-back", EFFECT, *back, back[2][1] - 1, "T", "G"),
    ]
