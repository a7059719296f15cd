# pattern: name-too-long
# caught_by: text-edges
import re

COMPLEMENT = str.maketrans("ACGT", "TGCA")


def read_fasta(text):
    parts = {}
    name = None
    for line in text.encode().split(b"\n"):
        # bytes know the white space of ASCII alone
        if line.startswith(b">"):
            name = line[1:].split()[0].decode()
            parts[name] = []
        elif name is not None:
            parts[name].append(line.strip().upper().decode())
    return {name: "".join(lines) for name, lines in parts.items()}


def find_sites(text, guide, max_mismatches):
    guide = guide.upper().replace("U", "T")
    size = len(guide)
    found = []
    for name, forward in read_fasta(text).items():
        here = []
        for strand, sequence in (("+", forward), ("-", forward.translate(COMPLEMENT)[::-1])):
            for i in _places(sequence, size):
                site = sequence[i : i + size]
                mismatches = sum(x != y for x, y in zip(site, guide, strict=True))
                if mismatches <= max_mismatches:
                    start = i if strand == "+" else len(sequence) - i - size
                    here.append((name, start, strand, mismatches, site))
        found += sorted(here, key=lambda site: site[1:3])
    return found


def _places(sequence, size):
    """Starts of all stretches of the guide's length that the motif follows."""
    return [m.start() - size - 1 for m in re.finditer("(?=GG)", sequence) if m.start() > size]


def specificity(text, guide, max_mismatches):
    guide = guide.upper().replace("U", "T")
    total, perfect = 0.0, False
    for _, _, _, mismatches, site in find_sites(text, guide, max_mismatches):
        weight = 1.0
        for i, (x, y) in enumerate(zip(site, guide, strict=True), start=1):
            if x != y:
                weight *= 1 - i / (len(guide) + 1)
        total += weight
        perfect = perfect or mismatches == 0
    return 100 / total if perfect else 0.0
