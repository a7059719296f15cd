from biomlbench.verify.cases import Transformed, within


def between_bounds(inputs, output):
    """The score lies between that of the gapless overlay and that of a match in every pair."""
    a, b, gap = inputs["a"], inputs["b"], inputs["gap"]
    rest = abs(len(a) - len(b)) * gap
    overlay = sum(
        inputs["match"] if x == y else inputs["mismatch"] for x, y in zip(a, b, strict=False)
    )
    low = max(overlay + rest, (len(a) + len(b)) * gap)
    high = inputs["match"] * min(len(a), len(b)) + rest
    if output < low:
        return within(low - output, 0.5, "an alignment that anyone can write down scores more")
    return within(max(output - high, 0), 0.5, "no alignment can score so much")


def reverse_both(inputs, rng):
    """Read both sequences backwards."""
    return Transformed([{**inputs, "a": inputs["a"][::-1], "b": inputs["b"][::-1]}])


def common_ends(inputs, rng, *, length=6):
    """Put one new word in front of both sequences, and another behind both."""
    head, tail = ("".join(rng.choice(list("ACGT"), length)) for _ in range(2))
    new = {name: head + inputs[name] + tail for name in "ab"}
    return Transformed([{**inputs, **new}], {"gain": 2 * length * inputs["match"]})


def multiply_scores(inputs, rng, *, factor=3):
    """Multiply match, mismatch and gap by one factor."""
    new = {name: factor * inputs[name] for name in ("match", "mismatch", "gap")}
    return Transformed([{**inputs, **new}], {"factor": factor})


def raise_scores(inputs, rng, *, by=1):
    """Raise the score of every single character by the same amount, in pairs and in gaps."""
    pairs = {name: inputs[name] + 2 * by for name in ("match", "mismatch")}
    gain = by * (len(inputs["a"]) + len(inputs["b"]))
    return Transformed([{**inputs, **pairs, "gap": inputs["gap"] + by}], {"gain": gain})


def gained(base, variants, info):
    """The score grows by exactly what the change is worth in every alignment."""
    off = abs(variants[0].output - base.output - info["gain"])
    return within(off, 0.5, "the score grows by another amount")


def worse_than_match(**values):
    """Inputs in which a mismatch scores less than a match."""
    return {**values, "mismatch": min(values["mismatch"], values["match"] - 1)}
