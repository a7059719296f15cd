# pattern: size-limited
# caught_by: edges
# scores wrap round
import numpy as np


def local_score(a, b, match, mismatch, gap_open, gap_extend):
    n, m = len(a), len(b)
    best = 0
    NEG = -(2**30)
    w = lambda v: (v + 2**31) % 2**32 - 2**31
    H = [0] * (m + 1)
    F = [NEG] * (m + 1)
    for x in a:
        E = NEG
        diag, H[0] = H[0], 0
        for j in range(1, m + 1):
            E = max(H[j - 1] + gap_open, E + gap_extend)
            F[j] = max(H[j] + gap_open, F[j] + gap_extend)
            s = max(0, w(diag + (match if x == b[j - 1] else mismatch)), E, F[j])
            diag, H[j] = H[j], s
            best = max(best, s)
    return best
