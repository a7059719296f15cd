# pattern: tail-cut-off
# caught_by: tail
from math import comb


def hardy_weinberg(hom_a, het, hom_b):
    n = hom_a + het + hom_b
    a, b = 2 * hom_a + het, 2 * hom_b + het
    if a == 0 or b == 0:
        return {"chi2": 0.0, "p_exact": 1.0}
    expected = (a * a / (4 * n), a * b / (2 * n), b * b / (4 * n))
    chi2 = sum((o - e) ** 2 / e for o, e in zip((hom_a, het, hom_b), expected, strict=True))
    # ways to deal the alleles out as h heterozygotes, in whole numbers
    ways = {}
    for h in range(a % 2, min(a, b) + 1, 2):
        ways[h] = comb(n, (a - h) // 2) * comb(n - (a - h) // 2, h) * 2**h
    limit = ways[het] + ways[het] // 10**9
    extreme = sum(count for count in ways.values() if count <= limit)
    return {"chi2": chi2, "p_exact": round(extreme / sum(ways.values()), 11)}
