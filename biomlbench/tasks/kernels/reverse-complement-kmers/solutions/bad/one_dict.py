# pattern: state-kept
# caught_by: keeps-no-state
# one dictionary is returned by all calls
_c = {}
T = str.maketrans("ACGTRYSWKMBDHVNacgtryswkmbdhvn", "TGCAYRSWMKVHDBNtgcayrswmkvhdbn")


def reverse_complement(sequence):
    return sequence.translate(T)[::-1]


def canonical_kmers(sequence, k):
    _c.clear()
    s = sequence.upper()
    for i in range(len(s) - k + 1):
        w = s[i : i + k]
        if all(c in "ACGT" for c in w):
            w = min(w, reverse_complement(w))
            _c[w] = _c.get(w, 0) + 1
    return _c
