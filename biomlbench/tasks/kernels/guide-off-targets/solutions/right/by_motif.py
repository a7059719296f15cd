COMPLEMENT = {"A": "T", "T": "A", "C": "G", "G": "C"}


def read_fasta(text):
    records = []
    for line in text.split("\n"):
        if line[:1] == ">":
            records.append([line[1:].split(None, 1)[0], []])
        elif records:
            records[-1][1].append(line.strip())
    return {name: "".join(lines).upper() for name, lines in records}


def find_sites(text, guide, max_mismatches):
    guide = guide.upper().replace("U", "T")
    turned = [COMPLEMENT[letter] for letter in reversed(guide)]
    size = len(guide)
    out = []
    for name, sequence in read_fasta(text).items():
        for start in range(len(sequence) - size + 1):
            site = sequence[start : start + size]
            end = start + size
            if sequence[end + 1 : end + 3] == "GG":
                differ = sum(map(str.__ne__, site, guide))
                if differ <= max_mismatches:
                    out.append((name, start, "+", differ, site))
            if start >= 3 and sequence[start - 3 : start - 1] == "CC":
                differ = sum(map(str.__ne__, site, turned))
                if differ <= max_mismatches:
                    letters = [COMPLEMENT.get(letter, letter) for letter in reversed(site)]
                    out.append((name, start, "-", differ, "".join(letters)))
    return out


def specificity(text, guide, max_mismatches):
    guide = guide.upper().replace("U", "T")
    total, perfect = 0.0, 0
    for site in find_sites(text, guide, max_mismatches):
        weight = 1.0
        for place in range(len(guide)):
            if site[4][place] != guide[place]:
                weight *= 1.0 - (place + 1) / (len(guide) + 1)
        total += weight
        perfect += site[3] == 0
    return 100.0 / total if perfect else 0.0
