import numpy as np

PAIRS = {"A": "T", "C": "G", "G": "C", "T": "A"}


def read_fasta(text):
    genome = {}
    for part in ("\n" + text).split("\n>")[1:]:
        header, *lines = part.split("\n")
        genome[header.split()[0]] = "".join(line.strip() for line in lines).upper()
    return genome


def _codes(text):
    return np.array([ord(letter) for letter in text], dtype=np.int32)


def find_sites(text, guide, max_mismatches):
    wanted = _codes(guide.upper().replace("U", "T"))
    size = len(wanted)
    sites = []
    for name, sequence in read_fasta(text).items():
        if len(sequence) < size + 3:
            continue
        found = []
        back = "".join(PAIRS.get(letter, letter) for letter in reversed(sequence))
        for strand, letters in (("+", sequence), ("-", back)):
            codes = _codes(letters)
            windows = len(codes) - size - 2
            mismatches = np.zeros(windows, int)
            for i in range(size):
                mismatches += codes[i : i + windows] != wanted[i]
            g = codes == ord("G")
            pam = g[size + 1 : size + 1 + windows] & g[size + 2 : size + 2 + windows]
            for i in np.flatnonzero(pam & (mismatches <= max_mismatches)).tolist():
                start = i if strand == "+" else len(sequence) - size - i
                found.append((name, start, strand, int(mismatches[i]), letters[i : i + size]))
        found.sort(key=lambda item: (item[1], item[2] == "-"))
        sites.extend(found)
    return sites


def specificity(text, guide, max_mismatches):
    wanted = guide.upper().replace("U", "T")
    weights = []
    for *_, site in find_sites(text, guide, max_mismatches):
        wrong = [i + 1 for i in range(len(wanted)) if site[i] != wanted[i]]
        weights.append(float(np.prod([1 - i / (len(wanted) + 1) for i in wrong])))
    return 100 / sum(weights) if 1.0 in weights else 0.0
