C = str.maketrans("ACGT", "TGCA")
BASES = "TCAG"
AA = dict(
    zip(
        [a + b + c for a in BASES for b in BASES for c in BASES],
        "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    )
)


def read_vcf(text):
    out = []
    for l in text.replace("\r\n", "\n").split("\n"):
        if not l.strip() or l[0] == "#":
            continue
        f = l.rstrip("\r\n").split("\t")
        if f[6].strip() not in ("PASS", "."):
            continue
        for alt in f[4].upper().split(","):
            ref, p = f[3].upper(), int(f[1]) - 1
            if not alt or not ref or set(alt + ref) - set("ACGT") or alt == ref:
                continue
            while ref and alt and ref[-1] == alt[-1]:
                ref, alt = ref[:-1], alt[:-1]
            while ref and alt and ref[0] == alt[0]:
                ref, alt, p = ref[1:], alt[1:], p + 1
            out.append((p, ref, alt))
    return out


def segs(exons, cds):
    return [(max(a, cds[0]), min(b, cds[1])) for a, b in exons if max(a, cds[0]) < min(b, cds[1])]


def coding_sequence(genome, exons, cds, strand):
    s = "".join(genome[a:b] for a, b in segs(exons, cds))
    return s if strand == "+" else s.translate(C)[::-1]


def consequence(genome, exons, cds, strand, position, ref, alt):
    n = len(ref)
    e = position + n
    if genome[position:e] != ref:
        return "reference_mismatch"
    S = segs(exons, cds)
    if n == 0:
        if not any(a < position < b for a, b in S):
            return "non_coding"
    else:
        k = sum(max(0, min(b, e) - max(a, position)) for a, b in S)
        if k == 0:
            return "non_coding"
        if k < n:
            return "boundary"
    if (len(alt) - n) % 3:
        return "frameshift"
    s = ""
    for a, b in S:
        if n and a <= position < b or not n and a < position < b:
            s += genome[a:position] + alt + genome[e:b]
        else:
            s += genome[a:b]
    if strand == "-":
        s = s.translate(C)[::-1]
    if s[:3] != "ATG":
        return "start_lost"
    p = "".join(AA[s[i : i + 3]] for i in range(0, len(s), 3))
    old = coding_sequence(genome, exons, cds, strand)
    q = "".join(AA[old[i : i + 3]] for i in range(0, len(old), 3))
    if "*" not in p:
        return "stop_lost"
    if p.index("*") < len(p) - 1:
        return "stop_gained"
    if len(p) != len(q):
        return "inframe"
    return "synonymous" if p == q else "missense"
