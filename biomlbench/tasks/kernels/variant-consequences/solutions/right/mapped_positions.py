import numpy as np

SWAP = bytes.maketrans(b"ACGT", b"TGCA")
STOP = {"TAA", "TAG", "TGA"}
GROUPS = {
    "A": "GCT GCC GCA GCG",
    "C": "TGT TGC",
    "D": "GAT GAC",
    "E": "GAA GAG",
    "F": "TTT TTC",
    "G": "GGT GGC GGA GGG",
    "H": "CAT CAC",
    "I": "ATT ATC ATA",
    "K": "AAA AAG",
    "L": "TTA TTG CTT CTC CTA CTG",
    "M": "ATG",
    "N": "AAT AAC",
    "P": "CCT CCC CCA CCG",
    "Q": "CAA CAG",
    "R": "CGT CGC CGA CGG AGA AGG",
    "S": "TCT TCC TCA TCG AGT AGC",
    "T": "ACT ACC ACA ACG",
    "V": "GTT GTC GTA GTG",
    "W": "TGG",
    "Y": "TAT TAC",
}
AMINO = {codon: letter for letter, codons in GROUPS.items() for codon in codons.split()}


def read_vcf(text):
    result = []
    for row in text.replace("\r", "").split("\n"):
        if row.startswith("#") or not row:
            continue
        _, at, _, ref, alts, _, state = row.split("\t")[:7]
        ref = ref.upper()
        if state != "PASS" and state != "." or ref.strip("ACGT"):
            continue
        for alt in alts.upper().split(","):
            if alt.strip("ACGT") or alt == ref:
                continue
            r, a, p = list(ref), list(alt), int(at) - 1
            while r and a and r[-1] == a[-1]:
                r.pop()
                a.pop()
            while r and a and r[0] == a[0]:
                p += 1
                del r[0], a[0]
            result.append((p, "".join(r), "".join(a)))
    return result


def _positions(exons, cds):
    parts = [np.arange(max(a, cds[0]), min(b, cds[1])) for a, b in exons]
    return np.concatenate(parts)


def _read(letters, strand):
    text = letters.encode()
    return (text if strand == "+" else text.translate(SWAP)[::-1]).decode()


def coding_sequence(genome, exons, cds, strand):
    return _read("".join(genome[i] for i in _positions(exons, cds)), strand)


def _codons(sequence):
    return [sequence[i : i + 3] for i in range(0, len(sequence), 3)]


def consequence(genome, exons, cds, strand, position, ref, alt):
    if genome[position : position + len(ref)] != ref:
        return "reference_mismatch"
    coding = _positions(exons, cds)
    if ref:
        inside = np.isin(np.arange(position, position + len(ref)), coding)
    else:
        inside = np.array([any(max(a, cds[0]) < position < min(b, cds[1]) for a, b in exons)])
    if not inside.any():
        return "non_coding"
    if not inside.all():
        return "boundary"
    if abs(len(alt) - len(ref)) % 3 != 0:
        return "frameshift"
    forward = "".join(genome[i] for i in coding)
    at = int(np.searchsorted(coding, position))
    new = _codons(_read(forward[:at] + alt + forward[at + len(ref) :], strand))
    old = _codons(_read(forward, strand))
    if new[:1] != ["ATG"]:
        return "start_lost"
    ends = [i for i, codon in enumerate(new) if codon in STOP]
    if not ends:
        return "stop_lost"
    if ends[0] + 1 < len(new):
        return "stop_gained"
    if len(new) != len(old):
        return "inframe"
    same = [AMINO[x] for x in new[:-1]] == [AMINO[x] for x in old[:-1]]
    return "synonymous" if same else "missense"
