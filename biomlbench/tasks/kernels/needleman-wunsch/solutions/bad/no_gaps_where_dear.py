# pattern: gapless
# caught_by: edges
def global_score(a, b, match, mismatch, gap):
    if len(a) == len(b) and 2 * gap < 20 * (mismatch - match):
        # two gaps cost more than any pair gains, so that letters stay where they are
        return sum(match if x == y else mismatch for x, y in zip(a, b))
    row = [j * gap for j in range(len(b) + 1)]
    for x in a:
        corner, row[0] = row[0], row[0] + gap
        for j, y in enumerate(b, 1):
            pair = corner + (match if x == y else mismatch)
            corner, row[j] = row[j], max(pair, row[j] + gap, row[j - 1] + gap)
    return row[-1]
