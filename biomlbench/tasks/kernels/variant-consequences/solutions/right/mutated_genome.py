import re
from itertools import product

CODONS = map("".join, product("TCAG", repeat=3))
TABLE = dict(zip(CODONS, "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"))
PAIR = {"A": "T", "C": "G", "G": "C", "T": "A"}


def read_vcf(text):
    variants = []
    rows = [line.split("\t") for line in re.split(r"\r?\n", text) if line and line[0] != "#"]
    for _, position, _, ref, alts, _, state, *_ in rows:
        if state not in {"PASS", "."} or not re.fullmatch("[ACGT]+", ref.upper()):
            continue
        for alt in alts.upper().split(","):
            a, b = ref.upper(), alt
            if not re.fullmatch("[ACGT]+", b) or a == b:
                continue
            size = min(len(a), len(b))
            end = next((k for k in range(size) if a[-1 - k] != b[-1 - k]), size)
            a, b = a[: len(a) - end], b[: len(b) - end]
            size = min(len(a), len(b))
            start = next((k for k in range(size) if a[k] != b[k]), size)
            variants.append((int(position) - 1 + start, a[start:], b[start:]))
    return variants


def labels(genome, exons, cds):
    """Number of the exon of each coding letter, and 0 elsewhere."""
    found = [0] * len(genome)
    for number, (start, stop) in enumerate(exons, start=1):
        for i in range(start, stop):
            if cds[0] <= i < cds[1]:
                found[i] = number
    return found


def coding_sequence(genome, exons, cds, strand):
    kept = [x for x, number in zip(genome, labels(genome, exons, cds)) if number]
    if strand == "-":
        kept = [PAIR[x] for x in reversed(kept)]
    return "".join(kept)


def protein(sequence):
    return [TABLE[sequence[i : i + 3]] for i in range(0, len(sequence), 3)]


def consequence(genome, exons, cds, strand, position, ref, alt):
    if not genome.startswith(ref, position):
        return "reference_mismatch"
    number = labels(genome, exons, cds)
    if ref:
        here = number[position : position + len(ref)]
    elif 0 < position < len(genome) and number[position - 1] == number[position]:
        here = [number[position]]
    else:
        here = [0]
    if not any(here):
        return "non_coding"
    if not all(here):
        return "boundary"
    if len(alt) % 3 != len(ref) % 3:
        return "frameshift"
    # one entry a letter of the genome; the replacement goes to the first place
    cells = [x if k else "" for x, k in zip(genome, number)]
    for i in range(position, position + len(ref)):
        cells[i] = ""
    cells[position] = alt + cells[position]
    new = "".join(cells)
    if strand == "-":
        new = "".join(PAIR[x] for x in new[::-1])
    if new[:3] != "ATG":
        return "start_lost"
    old, got = protein(coding_sequence(genome, exons, cds, strand)), protein(new)
    stops = [i for i, x in enumerate(got) if x == "*"]
    if not stops:
        return "stop_lost"
    if stops[0] != len(got) - 1:
        return "stop_gained"
    if len(got) != len(old):
        return "inframe"
    return ["missense", "synonymous"][got == old]
