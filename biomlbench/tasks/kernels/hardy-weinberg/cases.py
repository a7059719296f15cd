import numpy as np

from biomlbench.verify.cases import case

F = "hardy_weinberg"


def visible():
    return [
        case("balanced", F, 1, 2, 1),
        case("no-heterozygotes", F, 10, 0, 10),
        case("common", F, 57, 36, 7),
    ]


def hidden():
    counts = {
        "rare-allele": (90, 9, 1),
        "rarer-allele": (199, 1, 0),
        "three-copies": (48, 3, 0),
        "excess": (5, 40, 5),
        "deficit": (40, 5, 40),
        "skewed": (300, 120, 20),
        "large": (112, 190, 98),
        "odd": (7, 11, 3),
        "even": (7, 12, 3),
        "small": (2, 3, 1),
        "two-people": (1, 0, 1),
        "only-heterozygotes": (0, 15, 0),
        "mostly-b": (1, 14, 70),
    }
    return [case(name, F, *three) for name, three in counts.items()]


def adversarial():
    rng = np.random.default_rng(4)
    a, h, b = (int(x) for x in rng.integers(60, 160, 3))
    return [
        # powers of two, at which a table may end; ascending, as it may grow by a call
        *(case(f"{n}-people", F, n // 3, n - 2 * (n // 3), n // 3) for n in (512, 1024)),
        case("nobody", F, 0, 0, 0),
        case("one-allele", F, 25, 0, 0),
        case("other-allele", F, 0, 0, 31),
        case("one-person", F, 0, 1, 0),
        case("one-homozygote", F, 1, 0, 0),
        case("hundreds", F, a, h, b),
        case("far-from-equilibrium", F, 150, 2, 150),
        case("four-hundred-each", F, 400, 400, 400),
        # the least number of heterozygotes has a probability with few of its digits, or none
        case("least-is-subnormal", F, 337, 400, 337),
        case("least-is-0", F, 345, 400, 345),
        case("near-equilibrium", F, 300, 297, 74),
        case("rare-in-three-hundred", F, 300, 9, 1),
        # the other tail is 5e-5 to 1e-3 of the p-value
        *(
            case(f"light-other-tail-{i}", F, *three)
            for i, three in enumerate([(392, 8, 398), (362, 2, 362), (5, 321, 0), (2, 354, 1)])
        ),
        *equally_likely(),
        *hardly_less_likely(),
    ]


def hardly_less_likely():
    """Counts whose heterozygotes are less likely than others by 6e-8 to 7e-4 of it."""
    counts = [(39, 229, 318), (23, 197, 146), (29, 95, 61), (31, 63, 50), (21, 85, 72)]
    counts += [(15, 30, 36), (10, 24, 34), (13, 19, 18), (41, 156, 135)]
    return [case(f"nearly-tied-{i}", F, *three) for i, three in enumerate(counts)]


def equally_likely():
    """Counts whose heterozygotes are exactly as likely as two more, which rounding may order."""
    ties = [
        (a, h, (h + 1) * (h + 2) // (4 * a))
        for h in range(399)
        for a in range(1, 401)
        if (h + 1) * (h + 2) % (4 * a) == 0 and a <= (h + 1) * (h + 2) // (4 * a) <= 400
    ]
    found = []
    for a, h, b in [*ties[:4], *ties[4:200:40], ties[400], *ties[500 :: len(ties) // 8]]:
        found.append(case(f"tied-{a}-{h}-{b}", F, a, h, b))
        found.append(case(f"tied-{a}-{h}-{b}-above", F, a - 1, h + 2, b - 1))
    return found
