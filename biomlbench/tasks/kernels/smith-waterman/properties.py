import numpy as np

from biomlbench.verify.cases import Transformed, within


def between_bounds(inputs, output):
    """The score is at least that of any gapless stretch, and at most a match in every pair."""
    a, b = inputs["a"], inputs["b"]
    if output < gapless(a, b, inputs["match"], inputs["mismatch"]):
        return "an alignment without any gap scores more"
    high = inputs["match"] * min(len(a), len(b))
    return within(max(output - high, 0), 0.5, "no alignment can score so much")


def gapless(a, b, match, mismatch):
    """Score of the best stretch along any diagonal, with Kadane's scan."""
    best, before, there = 0, np.zeros(len(b) + 1, dtype=np.int64), np.array([*b])
    for letter in a:
        here = np.where(there == letter, match, mismatch)
        before[1:] = np.maximum(0, before[:-1] + here)
        best = max(best, int(before.max()))
    return best


def reverse_both(inputs, rng):
    """Read both sequences backwards."""
    return Transformed([{**inputs, "a": inputs["a"][::-1], "b": inputs["b"][::-1]}])


def foreign_flanks(inputs, rng, *, length=7):
    """Put letters around both sequences that match nothing in the other one."""
    new = {
        "a": "X" * length + inputs["a"] + "Y" * length,
        "b": "Z" * length + inputs["b"] + "W" * length,
    }
    return Transformed([{**inputs, **new}])


def longer_sequence(inputs, rng, *, length=8):
    """Append random letters to the first sequence."""
    return Transformed([{**inputs, "a": inputs["a"] + "".join(rng.choice(list("ACGT"), length))}])


def multiply_scores(inputs, rng, *, factor=3):
    """Multiply all scores by one factor."""
    names = ("match", "mismatch", "gap_open", "gap_extend")
    new = {name: factor * inputs[name] for name in names}
    return Transformed([{**inputs, **new}], {"factor": factor})


def cut_in_two(inputs, rng, *, inserted=8):
    """Align a sequence with itself after a foreign word was put into its middle."""
    a = inputs["a"]
    half = len(a) // 2
    return Transformed([{**inputs, "b": a[:half] + "Z" * inserted + a[half:]}], {"k": inserted})


def pays_one_gap(base, variants, info):
    """The score is all matches and one gap, or the longer half, whichever is more."""
    given = variants[0].inputs
    n, match = len(given["a"]), given["match"]
    bridged = n * match + given["gap_open"] + (info["k"] - 1) * given["gap_extend"]
    want = max(bridged, (n - n // 2) * match)
    return within(abs(variants[0].output - want), 0.5, "the word costs more or less than one gap")


def ordered_gaps(a, b, match, mismatch, gaps):
    """Give the larger of two drawn penalties to the opening."""
    gap_open, gap_extend = -int(max(gaps)), -int(min(gaps))
    return {
        "a": a,
        "b": b,
        "match": match,
        "mismatch": mismatch,
        "gap_open": gap_open,
        "gap_extend": gap_extend,
    }


def dear_bridge(left, right, inserted, match, mismatch, share):
    """Two stretches in one, with a word between them that costs a share of all their matches."""
    gap_open = -max(1, int(share * match * min(len(left), len(right))))
    return {
        "a": left + right,
        "b": left + inserted + right,
        "match": match,
        "mismatch": mismatch,
        "gap_open": gap_open,
        "gap_extend": max(gap_open, -1),
    }


def opening_costs_most(**values):
    """Inputs in which a gap costs no more to make longer than to open."""
    return {**values, "gap_extend": max(values["gap_extend"], values["gap_open"])}
