# pattern: perfect-elsewhere
# caught_by: score-edges, score-in-range
import re

COMPLEMENT = str.maketrans("ACGT", "TGCA")


def read_fasta(text):
    parts = {}
    name = None
    for line in text.split("\n"):
        if line.startswith(">"):
            name = line[1:].split()[0]
            parts[name] = []
        elif name is not None:
            parts[name].append(line.strip().upper())
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
    total = 0.0
    other = guide.translate(COMPLEMENT)[::-1]
    perfect = any(guide in part or other in part for part in read_fasta(text).values())
    for *_, site in find_sites(text, guide, max_mismatches):
        weight = 1.0
        for i, (x, y) in enumerate(zip(site, guide, strict=True), start=1):
            if x != y:
                weight *= 1 - i / (len(guide) + 1)
        total += weight
    return 100 / total if perfect and total else 0.0
