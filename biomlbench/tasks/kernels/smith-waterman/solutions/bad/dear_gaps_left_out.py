# pattern: dear-gaps-ignored
# caught_by: edges
def local_score(a, b, match, mismatch, gap_open, gap_extend):
    # a gap that costs so many matches is taken never to pay
    gaps = -gap_open < 64 * match
    never = -(10**12)
    best, ends, in_b = 0, [0] * (len(b) + 1), [never] * (len(b) + 1)
    for x in a:
        diagonal, in_a = 0, never
        for j, y in enumerate(b, start=1):
            found = max(0, diagonal + (match if x == y else mismatch))
            if gaps:
                in_b[j] = max(ends[j] + gap_open, in_b[j] + gap_extend)
                in_a = max(ends[j - 1] + gap_open, in_a + gap_extend)
                found = max(found, in_b[j], in_a)
            diagonal, ends[j] = ends[j], found
            best = max(best, found)
    return best
