# pattern: tie-lost
# caught_by: edge-cases
# each probability from the one before, compared as they come
def hardy_weinberg(hom_a, het, hom_b):
    n = hom_a + het + hom_b
    a, b = 2 * hom_a + het, 2 * hom_b + het
    if not a or not b:
        return {"chi2": 0.0, "p_exact": 1.0}
    p = a / (2 * n)
    pairs = zip((hom_a, het, hom_b), (p * p, 2 * p * (1 - p), (1 - p) ** 2), strict=True)
    middle = int(a * b / (2 * n))
    middle = min(middle + (middle - a) % 2, a, b)
    ways = {middle: 1 / 3}
    for h in range(middle, 1, -2):
        ways[h - 2] = ways[h] * (h * (h - 1)) / ((a - h + 2) * (b - h + 2))
    for h in range(middle, min(a, b) - 1, 2):
        ways[h + 2] = ways[h] * ((a - h) / (h + 1)) * ((b - h) / (h + 2))
    total = sum(ways.values())
    return {
        "chi2": sum((o - n * f) ** 2 / (n * f) for o, f in pairs),
        "p_exact": min(1.0, sum(w for w in ways.values() if w <= ways[het]) / total),
    }
