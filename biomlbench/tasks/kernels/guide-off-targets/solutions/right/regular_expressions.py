import re
from math import prod


def read_fasta(text):
    genome, name = {}, None
    for line in re.split(r"\r?\n", text):
        header = re.match(r">(\S+)", line)
        if header:
            name = header[1]
            genome[name] = ""
        elif name:
            genome[name] += re.sub(r"\s", "", line).upper()
    return genome


def _wrong(site, guide):
    return [i for i in range(1, len(guide) + 1) if site[i - 1] != guide[i - 1]]


def find_sites(text, guide, max_mismatches):
    guide = re.sub("U", "T", guide.upper())
    n = len(guide)
    # a look-ahead finds overlapping sites as well
    forward = re.compile(f"(?=(.{{{n}}}).GG)")
    reverse = re.compile(f"(?=CC.(.{{{n}}}))")
    table = str.maketrans("ACGT", "TGCA")
    sites = []
    for name, sequence in read_fasta(text).items():
        rows = []
        for hit in forward.finditer(sequence):
            rows.append((hit.start(1), "+", hit[1]))
        for hit in reverse.finditer(sequence):
            rows.append((hit.start(1), "-", hit[1].translate(table)[::-1]))
        for start, strand, site in sorted(rows):
            count = len(_wrong(site, guide))
            if count <= max_mismatches:
                sites.append((name, start, strand, count, site))
    return sites


def specificity(text, guide, max_mismatches):
    guide = re.sub("U", "T", guide.upper())
    sites = find_sites(text, guide, max_mismatches)
    if all(site[3] for site in sites):
        return 0.0
    n = len(guide) + 1
    return 100 / sum(prod((n - i) / n for i in _wrong(site[4], guide)) for site in sites)
