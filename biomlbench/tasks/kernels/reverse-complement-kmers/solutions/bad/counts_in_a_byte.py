# pattern: size-limited
# caught_by: kmers-oracle
# counts wrap round at 256
import numpy as np

T = str.maketrans("ACGTRYSWKMBDHVNacgtryswkmbdhvn", "TGCAYRSWMKVHDBNtgcayrswmkvhdbn")


def reverse_complement(sequence):
    return sequence.translate(T)[::-1]


def canonical_kmers(sequence, k):
    s = sequence.upper()
    out = {}
    for i in range(len(s) - k + 1):
        w = s[i : i + k]
        if all(c in "ACGT" for c in w):
            w = min(w, reverse_complement(w))
            out[w] = (out.get(w, 0) + 1) % 256
    return {a: b for a, b in out.items() if b}
