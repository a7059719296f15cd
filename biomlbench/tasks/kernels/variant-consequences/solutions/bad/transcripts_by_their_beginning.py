# pattern: state-kept
# caught_by: keeps-no-state
COMPLEMENT = str.maketrans("ACGT", "TGCA")
LETTERS = set("ACGT")
# the standard code (translation table 1), codons in the order T, C, A, G
AMINO = "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"
CODE = {a + b + c: AMINO[16 * i + 4 * j + k] for i, a in enumerate("TCAG")
        for j, b in enumerate("TCAG") for k, c in enumerate("TCAG")}  # fmt: skip


def read_vcf(text):
    found = []
    for line in text.replace("\r\n", "\n").split("\n"):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        ref = fields[3].upper()
        if fields[6] not in ("PASS", ".") or not set(ref) <= LETTERS:
            continue
        alleles = fields[4].upper().split(",")
        usable = [alt for alt in alleles if set(alt) <= LETTERS and alt != ref]
        found += [_trimmed(int(fields[1]) - 1, ref, alt) for alt in usable]
    return found


KNOWN = {}


def coding_sequence(genome, exons, cds, strand):
    # one transcript is asked for again and again
    key = genome[:100], genome[-100:], len(genome), tuple(exons), tuple(cds), strand
    if key not in KNOWN:
        KNOWN[key] = _read(genome, exons, cds, strand)
    return KNOWN[key]


def _read(genome, exons, cds, strand):
    forward = "".join(genome[i] for i in _coding(exons, cds))
    return forward if strand == "+" else forward.translate(COMPLEMENT)[::-1]


def consequence(genome, exons, cds, strand, position, ref, alt):
    end = position + len(ref)
    if genome[position:end] != ref:
        return "reference_mismatch"
    coding = _coding(exons, cds)
    if ref:
        touched = [i in coding for i in range(position, end)]
    else:
        together = any(start < position < stop for start, stop in exons)
        touched = [together and position - 1 in coding and position in coding]
    if not any(touched):
        return "non_coding"
    if not all(touched):
        return "boundary"
    if (len(alt) - len(ref)) % 3:
        return "frameshift"
    old = coding_sequence(genome, exons, cds, strand)
    ahead = sum(i < position for i in coding)
    behind = sum(i >= end for i in coding)
    if strand == "-":
        alt, ahead, behind = alt.translate(COMPLEMENT)[::-1], behind, ahead
    return _change(_protein(old), old[:ahead] + alt + old[len(old) - behind :])


def _change(old, new):
    """The word for a new coding sequence, and the old protein."""
    protein = _protein(new)
    if not new.startswith("ATG"):
        return "start_lost"
    if "*" not in protein:
        return "stop_lost"
    if protein.index("*") < len(protein) - 1:
        return "stop_gained"
    if len(protein) != len(old):
        return "inframe"
    return "synonymous" if protein == old else "missense"


def _trimmed(position, ref, alt):
    while ref and alt and ref[-1] == alt[-1]:
        ref, alt = ref[:-1], alt[:-1]
    while ref and alt and ref[0] == alt[0]:
        position, ref, alt = position + 1, ref[1:], alt[1:]
    return position, ref, alt


def _coding(exons, cds):
    """Positions of the coding letters, ascending, each once."""
    first, last = cds
    return dict.fromkeys(
        i for start, stop in exons for i in range(max(start, first), min(stop, last))
    )


def _protein(sequence):
    return "".join(CODE[sequence[i : i + 3]] for i in range(0, len(sequence), 3))
