# pattern: tie-lost
# caught_by: edge-cases
from math import exp, lgamma, log


def hardy_weinberg(hom_a, het, hom_b):
    n = hom_a + het + hom_b
    a, b = 2 * hom_a + het, 2 * hom_b + het
    if not a or not b:
        return {"chi2": 0.0, "p_exact": 1.0}
    p = a / (2 * n)
    pairs = zip((hom_a, het, hom_b), (p * p, 2 * p * (1 - p), (1 - p) ** 2), strict=True)

    def chance(h):
        return h * log(2) - lgamma(h + 1) - lgamma((a - h) / 2 + 1) - lgamma((b - h) / 2 + 1)

    chances = {h: chance(h) for h in range(a % 2, min(a, b) + 1, 2)}
    top = max(chances.values())
    tail = sum(exp(c - top) for c in chances.values() if c <= chances[het])
    return {
        "chi2": sum((o - n * f) ** 2 / (n * f) for o, f in pairs),
        "p_exact": min(1.0, tail / sum(exp(c - top) for c in chances.values())),
    }
