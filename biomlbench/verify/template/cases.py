import numpy as np

from biomlbench.verify.cases import case

F = "gc_content"


def _random(name, seed, length, letters="ACGT"):
    rng = np.random.default_rng(seed)
    return case(name, F, "".join(rng.choice(list(letters), length)))


def visible():
    return [case("short", F, "GATTACA"), case("unknown", F, "GATTACN"), case("all", F, "GCGC")]


def hidden():
    lengths = [1, 2, 3, 7, 20, 50, 101, 250]
    plain = [_random(f"plain-{n}", 10 + n, n) for n in lengths]
    mixed = [_random(f"mixed-{n}", 500 + n, n, "ACGTacgtNR") for n in (5, 33, 80, 200)]
    return plain + mixed + [_random("rich", 3, 90, "GGGCCCAT"), _random("poor", 4, 90, "AATTTTAG")]


def adversarial():
    return [
        case("empty", F, ""),
        case("only-unknown", F, "NNNN"),
        case("lower", F, "gattaca"),
        case("no-strong", F, "ATAT"),
        case("with-gap", F, "GC--AT"),
        case("any-character", F, "gC\U0001f9ecAT"),
    ]
