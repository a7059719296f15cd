from biomlbench.verify.cases import Transformed, joined_lines

_COMPLEMENT = str.maketrans("ACGT", "TGCA")
_STOPS = ("TAA", "TAG", "TGA")
_INTRON = "GTAAGTTTCAG"


def lines(inputs):
    """How many lines a file has; 0 where there is none."""
    return len(inputs.get("text", "").removesuffix("\n").split("\n"))


def characters(inputs):
    """How many characters a file has; 0 where there is none."""
    return len(inputs.get("text", ""))


def digits_of_position(inputs):
    """How many digits the largest position of a file has; 0 where there is no file."""
    rows = [line.split("\t") for line in inputs.get("text", "").split("\n") if line[:1] != "#"]
    return max((len(row[1]) for row in rows if len(row) > 1), default=0)


def longest_allele(inputs):
    """How many letters the longest allele of a file has; 0 where there is no file."""
    rows = [line.split("\t") for line in inputs.get("text", "").split("\n") if line[:1] != "#"]
    alleles = [len(one) for row in rows for field in row[3:5] for one in field.split(",")]
    return max(alleles, default=0)


def file_of_alleles(letters):
    """A file of lines with three letters each for one."""
    triples = [letters[i : i + 3] for i in range(0, len(letters) - 2, 3)]
    rows = [f"chr1\t7\t.\t{three}\t{three[0]}\t.\tPASS" for three in triples]
    return {"text": "\n".join(["##fileformat=VCFv4.3", *rows, ""])}


def small_gene(inner, strand):
    """A gene of two exons, whose coding letters cannot hold a stop codon before the last."""
    coding = "ATG" + inner[: len(inner) // 3 * 3] + "TAA"
    if strand == "-":
        coding = coding.translate(_COMPLEMENT)[::-1]
    cut = len(coding) // 2
    genome = "CCAT" + coding[:cut] + _INTRON + coding[cut:] + "GGCA"
    behind = 4 + cut + len(_INTRON)
    end = len(genome) - 4
    exons = [(2, 4 + cut), (behind, end + 2)]
    return {"genome": genome, "exons": exons, "cds": (4, end), "strand": strand}


def cut_gene(cut, ref, alt):
    """One gene whose intron lies before or behind the coding letter that is replaced."""
    coding = "ATGGCATCTGGAAGATGCCTACCATAA"
    genome = coding[:cut] + _INTRON + coding[cut:]
    exons = [(0, cut), (cut + len(_INTRON), len(genome))]
    made = {"genome": genome, "exons": exons, "cds": (0, len(genome)), "strand": "+"}
    at = 17 if cut > 17 else 17 + len(_INTRON)
    return {**made, "position": at, "ref": ref, "alt": alt}


def small_gene_changed(inner, ref, alt):
    """Such a gene with one letter replaced in the second exon, where a near draw changes one."""
    at = 4 + 3 + 3 * len(inner) // 4 + len(_INTRON)
    made = small_gene(inner, "+")
    return {**made, "position": at, "ref": ref, "alt": alt if alt != ref else ""}


def gene_far_from_ends(codon, strand, alt):
    """A gene in the middle of a genome, with its third codon's last letter changed.

    Nothing but the first two letters of that codon tells two genomes of one strand apart.
    """
    coding = f"ATGGCC{codon}ATGGTAA"
    if strand == "-":
        coding, alt = coding.translate(_COMPLEMENT)[::-1], alt.translate(_COMPLEMENT)
    around = "GATTACAGCCT" * 110
    cds = len(around), len(around) + len(coding)
    genome = around + coding + around
    at = cds[0] + (8 if strand == "+" else len(coding) - 9)
    made = {"genome": genome, "exons": [(40, len(genome) - 30)], "cds": cds, "strand": strand}
    return {**made, "position": at, "ref": genome[at], "alt": alt}


def nothing_in_common(inputs, output):
    """Alleles differ, have capitals alone, and no common first or last letter."""
    for position, ref, alt in output:
        if not set(ref + alt) <= set("ACGT") or ref == alt or position < 0:
            return "an allele that cannot be used"
        if ref and alt and (ref[0] == alt[0] or ref[-1] == alt[-1]):
            return "alleles have a letter in common at an end"
    return True


def opens_and_ends(inputs, output):
    """It opens with the start codon, ends with its only stop codon, and has whole codons."""
    codons = [output[i : i + 3] for i in range(0, len(output), 3)]
    stops = [i for i, codon in enumerate(codons) if codon in ("TAA", "TAG", "TGA")]
    return output.startswith("ATG") and len(output) % 3 == 0 and stops == [len(codons) - 1]


def turn_round(inputs, rng):
    """Number the chromosome from the other end, on the other strand."""
    n = len(inputs["genome"])
    new = {
        "genome": inputs["genome"].translate(_COMPLEMENT)[::-1],
        "exons": [(n - stop, n - start) for start, stop in reversed(inputs["exons"])],
        "cds": (n - inputs["cds"][1], n - inputs["cds"][0]),
        "strand": "-" if inputs["strand"] == "+" else "+",
        "position": n - inputs["position"] - len(inputs["ref"]),
        "ref": inputs["ref"].translate(_COMPLEMENT)[::-1],
        "alt": inputs["alt"].translate(_COMPLEMENT)[::-1],
    }
    return Transformed([{**inputs, **new}])


def move_gene(inputs, rng):
    """Put letters before the gene, and a further exon that is not coding."""
    before = "".join(rng.choice(list("ACGT"), 50))
    n = len(before)
    new = {
        "genome": before + inputs["genome"],
        "exons": [(3, 20), *((start + n, stop + n) for start, stop in inputs["exons"])],
        "cds": (inputs["cds"][0] + n, inputs["cds"][1] + n),
        "position": inputs["position"] + n,
    }
    return Transformed([{**inputs, **new}])


def line_at_edges(
    position, ref, alt, common, begin, close, more, odd, quality, status, extra, before, end, finish
):
    """A file with a line of odd alleles, and a plain one behind it."""
    first, last = ((common * size)[:size] for size in (begin, close))
    ref, alt = first + ref + last, first + alt + last
    alleles = more.strip() + alt if more.endswith((",", ", ")) else alt + more
    fields = ["chr1", position, ".", ref + odd, alleles, quality, status]
    line = "\t".join(map(str, fields)) + extra
    lines = [before, line, "chr1\t9\trs1\tCA\tC\t.\tPASS"]
    return {"text": joined_lines(lines, end.split("|"), finish)}


def gene_at_edges(inner, cuts, intron, left, right, stop, strand):
    """A gene that is cut into exons anywhere, also within the first and the last codon."""
    codons = [inner[i : i + 3] for i in range(0, len(inner) - 2, 3)]
    coding = "".join(["ATG", *(one[:2] + "C" if one in _STOPS else one for one in codons), stop])
    if strand == "-":
        coding = coding.translate(_COMPLEMENT)[::-1]
    places = sorted({cut % len(coding) for cut in cuts} - {0})
    parts = [coding[i:j] for i, j in zip([0, *places], [*places, len(coding)], strict=True)]
    genome, exons = "ACGTTGCAAC"[:left], []
    first = len(genome)
    for number, part in enumerate(parts):
        start = len(genome) if number else 0
        genome += part
        exons.append((start, len(genome)))
        genome += intron if number < len(parts) - 1 else ""
    last = len(genome)
    genome += "GTTACCATGA"[:right]
    exons[-1] = (exons[-1][0], len(genome))
    return {"genome": genome, "exons": exons, "cds": (first, last), "strand": strand}


def change_at_edges(place, beside, removed, alt, mismatch, lengths, seam, inner, **values):
    """A variant in such a gene, or None where its alleles are equal.

    It is at any coding letter, or `beside` so many letters from an end of an exon or of the coding
    part, or a deletion of whole codons' lengths that puts the letters `seam` together.
    """
    at = 3 * (place % 8) + 1 + place % 2
    size = 3 * (1 + removed % 3)
    if seam and len(inner) >= at + size + 2:
        inner = _with_seam(inner, seam, at, size)
        gene = gene_at_edges(inner, **values)
        position, stop = _on_genome(gene, 3 + at, 3 + at + size)
        return _changed(gene, position, gene["genome"][position:stop], "")
    gene = gene_at_edges(inner, **values)
    marks = sorted({*gene["cds"], *(end for exon in gene["exons"] for end in exon)})
    if beside is None:
        position = (coding := _coding(gene))[place % len(coding)]
    else:
        position = min(max(marks[place % len(marks)] + beside, 0), len(gene["genome"]))
    ref = gene["genome"][position : position + removed]
    if lengths == "one letter":
        ref, alt = gene["genome"][position : position + 1], alt[:1]
    if lengths == "equal":
        ref, alt = ref[: len(alt)], alt[: len(ref)]
    if lengths == "whole codons":
        alt = alt[: max(len(alt) - (len(alt) - len(ref)) % 3, 0)]
    if mismatch and ref:
        ref = ref.translate(str.maketrans("ACGT", "CGTA"))
    return _changed(gene, position, ref, alt)


def _with_seam(inner, seam, at, size):
    """Letters of which those on both sides of a deletion at `at`, within a codon, make a codon."""
    offset = at % 3
    behind = at + size
    ahead = inner[: at - offset] + seam[:offset]
    return ahead + inner[at:behind] + seam[offset:] + inner[behind + 3 - offset :]


def _coding(gene):
    first, last = gene["cds"]
    return [i for a, b in gene["exons"] for i in range(max(a, first), min(b, last))]


def _on_genome(gene, start, stop):
    """Begin and end, on the genome, of letters of the coding sequence."""
    coding = _coding(gene)
    if gene["strand"] == "-":
        start, stop = len(coding) - stop, len(coding) - start
    return coding[start], coding[stop - 1] + 1


def _changed(gene, position, ref, alt):
    if ref == alt:
        return None
    while ref and alt and ref[-1] == alt[-1]:
        ref, alt = ref[:-1], alt[:-1]
    while ref and alt and ref[0] == alt[0]:
        position, ref, alt = position + 1, ref[1:], alt[1:]
    return {**gene, "position": position, "ref": ref, "alt": alt}
