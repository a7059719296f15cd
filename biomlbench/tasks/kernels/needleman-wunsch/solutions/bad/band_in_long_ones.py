# pattern: forbidden-moves
# caught_by: edges
LONG, BAND = 300, 128


def global_score(a, b, match, mismatch, gap):
    # beyond some length only cells near the line between both ends are looked at
    n, m = len(a), len(b)
    width = max(n, m) if min(n, m) < LONG else abs(n - m) + BAND
    never = -(10**15)
    above = [j * gap for j in range(m + 1)]
    for i, x in enumerate(a, 1):
        first, last = max(1, i - width), min(m, i + width)
        row = [never] * (m + 1)
        row[0] = i * gap if i <= width else never
        for j in range(first, last + 1):
            pair = above[j - 1] + (match if x == b[j - 1] else mismatch)
            row[j] = max(pair, above[j] + gap, row[j - 1] + gap)
        above = row
    return above[m]
