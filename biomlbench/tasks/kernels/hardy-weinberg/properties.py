from math import comb

from biomlbench.verify.cases import Transformed, within


def same_alleles(moved):
    """Genotypes of the same people's alleles, some of them dealt out otherwise."""
    return {"hom_a": 60 - moved, "het": 10 + 2 * moved, "hom_b": 40 - moved}


def tail_is_relatively_right(inputs, output):
    """The exact p-value is right to a relative 1e-6, however small, as the statement promises."""
    n = sum(inputs.values())
    a, b = (2 * inputs[name] + inputs["het"] for name in ("hom_a", "hom_b"))
    if not a or not b:
        return output["p_exact"] == 1
    deals = {h: comb(n, h) * comb(n - h, (a - h) // 2) << h for h in range(a % 2, min(a, b) + 1, 2)}
    observed = deals[inputs["het"]]
    tail = sum(deal for deal in deals.values() if deal <= observed + observed // 10**9)
    expected = tail / sum(deals.values())
    return within(abs(output["p_exact"] - expected), 1e-6 * expected, "the p-value is not right")


def double_counts(inputs, rng):
    """Double all three counts."""
    return Transformed([{name: 2 * count for name, count in inputs.items()}], {"factor": 2})
