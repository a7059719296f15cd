# pattern: size-limited
# caught_by: edges
import numpy as np

USUAL = 4_000_000


def local_score(a, b, match, mismatch, gap_open, gap_extend):
    # half the memory, and wide integers for scores that nobody uses
    scores = (match, mismatch, gap_open, gap_extend)
    kind = np.int32 if max(map(abs, scores)) < USUAL else np.int64
    match, mismatch, gap_open, gap_extend = (kind(score) for score in scores)
    there = np.array([ord(letter) for letter in b], np.int64)
    along = gap_extend * np.arange(len(b) + 1, dtype=kind)
    row = np.zeros(len(b) + 1, kind)
    gaps = np.full(len(b) + 1, np.iinfo(kind).min // 2, kind)
    best = 0
    for letter in a:
        gaps = np.maximum(gaps + gap_extend, row + gap_open)
        pairs = np.zeros(len(b) + 1, kind)
        pairs[1:] = row[:-1] + np.where(there == ord(letter), match, mismatch)
        row = np.maximum(np.maximum(pairs, gaps), 0)
        opened = np.maximum.accumulate(row - along) + along + gap_open
        row[1:] = np.maximum(row[1:], opened[:-1])
        best = max(best, int(row.max()))
    return best
