from itertools import product

import numpy as np

from biomlbench.verify.cases import case

READ, LETTERS, PAIRS = "read_chain", "sequence", "interface"
_STANDARD = "ALAARGASNASPCYSGLNGLUGLYHISILELEULYSMETPHEPROSERTHRTRPTYRVALGLY"
_LIKE_ATOM = ("ATOM1 ", "ATOMS ", "ATOM 1", "ATOM-A", "ATOM\t ", " ATOM ")
OTHER_RECORDS = ("HETATX", "HETAT ", "ANISOU", "SIGATM", *_LIKE_ATOM, "XHETAT")
"""Records that look like those that are read."""
NAMES = [_STANDARD[i : i + 3] for i in range(0, len(_STANDARD), 3)]
WORKED = (
    "ATOM      1  CA  GLY A   5       0.000   0.000   0.000  1.00\n"
    "ATOM      2  CA  ALA B  52A      3.000   0.000   0.000  1.00\n"
    "ATOM      3  CB  ALA B  52A      0.000   4.000   0.000  1.00\n"
)


def atom(name, residue, chain, number, xyz, *, code=" ", alt=" ", occupancy=1.0, record="ATOM"):
    """One line, cut behind the occupancy."""
    x, y, z = xyz
    label = f" {name:<3}" if len(name) < 4 else name
    return (
        f"{record:<6}{1:5d} {label}{alt}{residue:>3} {chain}{number:4d}{code}   "
        f"{x:8.3f}{y:8.3f}{z:8.3f}{occupancy:6.2f}"
    )


def structure(seed, length=20, chains="AB", messy=0.3, far=0.0, models=1, start=1, end="\n"):
    """Chains that wind around each other, with everything that real files have."""
    rng = np.random.default_rng(seed)
    lines = ["HEADER    MADE FOR A TEST", "REMARK 465 MISSING RESIDUES"]
    for model in range(models):
        if models > 1:
            lines.append(f"MODEL     {model + 1:4d}")
        for c, chain in enumerate(chains):
            at = np.array([6.0 * c, 3.0 * c, 0.0]) + far
            number, code = start, " "
            for _ in range(length):
                at = at + rng.normal(0, 1.2, 3) + np.array([0, 0, 2.8])
                lines += residue(rng, chain, number, code, at, messy)
                if rng.random() < messy / 2:
                    code = "A" if code == " " else chr(ord(code.swapcase()) + int(code.islower()))
                else:
                    number, code = number + 1 + int(rng.random() < messy / 3) * 4, " "
            lines.append(f"TER    {length:4d}")
            for k in range(4):
                place = at + rng.normal(0, 4, 3)
                lines.append(atom("O", "HOH", chain, 900 + k, place, record="HETATM"))
            lines.append(atom("CA", "CA", chain, 950, at, record="HETATM"))
        if models > 1:
            lines.append("ENDMDL")
    return end.join([*lines, "END", ""])


def facing(one, other):
    """Two chains of so many residues, each of the shorter one near to some of the longer one."""
    lines = []
    for chain, length in zip("AB", (one, other), strict=True):
        for k in range(length):
            row, column = divmod(k % 397, 20)
            at = (60.0 * column, 60.0 * row, k % 5 + (chain == "B"))
            lines.append(atom("CA", "GLY", chain, k + 1, at))
    return "\n".join(lines), "A", "B", 5.0


def residue(rng, chain, number, code, at, messy):
    name = NAMES[rng.integers(0, len(NAMES))]
    record = "ATOM"
    kind = rng.random()
    if kind < messy / 3:
        name, record = "MSE", "HETATM"
    elif kind < messy / 2:
        name = "SEC"
    atoms = {"N": at - 1.2, "CA": at, "C": at + 1.1, "O": at + np.array([0.3, 2.0, 0.4])}
    if name != "GLY":
        atoms["CB"] = at + rng.normal(0, 0.9, 3)
    lost = rng.random()
    if lost < messy / 4:
        atoms.pop("CB", None)
    if lost < messy / 10:
        atoms.pop("CA")
    lines = []
    keys = {"code": code, "record": record}
    for label, place in atoms.items():
        if rng.random() < messy and label in ("CA", "CB"):
            share = [(0.3, 0.7), (0.5, 0.5), (0.65, 0.35)][rng.integers(0, 3)]
            for alt, part in zip("AB", share, strict=True):
                moved = place + rng.normal(0, 1.5, 3)
                lines.append(
                    atom(label, name, chain, number, moved, alt=alt, occupancy=part, **keys)
                )
        else:
            lines.append(atom(label, name, chain, number, place, **keys))
    return lines


def _at_the_cutoff(seed, cutoff, count=60, most=99_999):
    """Pairs of residues, far from all others, a cutoff apart along one axis in decimals."""
    # of eight columns, three decimals and a point leave four digits, or three behind a minus
    places = np.random.default_rng(seed).integers(-min(most, 900_000), most, count)
    # every other one at a multiple of the cutoff, where cells of that width begin
    places[::2] -= places[::2] % round(cutoff * 1000)
    lines = []
    for side, chain in enumerate("AB"):
        for k, place in enumerate(places.tolist()):
            axis = k % 3
            at = np.array([0.0, 0.0, 0.0])
            at[(axis + 1) % 3] = 60 * k
            at[axis] = (place + side * round(cutoff * 1000)) / 1000
            lines.append(atom("CA", "GLY", chain, k + 1, at))
    return "\n".join(lines)


def visible():
    return [
        case("worked-read", READ, WORKED, "B"),
        case("small-read", READ, structure(1, 5), "A"),
        case("worked-letters", LETTERS, WORKED, "A"),
        case("small-letters", LETTERS, structure(2, 8), "B"),
        case("worked", PAIRS, WORKED, "A", "B", 4.0),
        case("worked-nearer", PAIRS, WORKED, "A", "B", 3.5),
        case("small", PAIRS, structure(3, 8), "A", "B", 8.0),
    ]


def hidden():
    return [
        case("clean", READ, structure(10, messy=0.0), "A"),
        case("messy", READ, structure(11, messy=0.9), "B"),
        case("models", READ, structure(12, 10, models=3), "A"),
        case("touching-columns", READ, structure(13, far=-960.0), "A"),
        case("windows-lines", READ, structure(14, end="\r\n"), "B"),
        case("letters", LETTERS, structure(15, 60), "A"),
        case("letters-messy", LETTERS, structure(16, 60, messy=1.0), "A"),
        case("letters-models", LETTERS, structure(17, 12, models=2), "B"),
        case("pairs", PAIRS, structure(18, 25), "A", "B", 8.0),
        case("pairs-back", PAIRS, structure(18, 25), "B", "A", 8.0),
        case("pairs-messy", PAIRS, structure(19, 30, messy=0.9), "A", "B", 7.0),
        case("pairs-near", PAIRS, structure(20, 30), "A", "B", 4.5),
        case("pairs-far", PAIRS, structure(21, 20), "A", "B", 20.0),
        case("pairs-models", PAIRS, structure(22, 10, models=2), "A", "B", 9.0),
        case("pairs-negative", PAIRS, structure(23, 20, start=-6), "A", "B", 8.0),
        case("pairs-touching", PAIRS, structure(24, 20, far=-960.0), "A", "B", 8.0),
        case("three-chains", PAIRS, structure(25, 15, "xAX"), "x", "X", 14.0),
        case("large", PAIRS, structure(26, 480, messy=0.2), "A", "B", 6.0),
    ]


def adversarial():
    long = [case(f"facing-{a}-{b}", PAIRS, *facing(a, b)) for a, b in ((40, 4900), (4900, 40))]
    alone = [
        atom("CA", "ALA", "A", 10, (0, 0, 0)),
        atom("CB", "GLY", "A", 11, (1, 1, 1)),
        atom("CA", "GLY", "A", 11, (2, 2, 2)),
        atom("N", "LYS", "A", 12, (3, 3, 3)),
        atom("CA", "LYS", "a", 12, (3, 3, 3)),
    ]
    later = [
        atom("CA", "SER", "A", 7, (1, 0, 0), alt="A", occupancy=0.4),
        atom("CA", "THR", "A", 7, (2, 0, 0), alt="B", occupancy=0.6),
        atom("CB", "THR", "A", 7, (9, 0, 0), alt="B", occupancy=0.6),
        atom("CA", "VAL", "A", 3, (5, 0, 0), alt="A", occupancy=0.5),
        atom("CA", "VAL", "A", 3, (6, 0, 0), alt="B", occupancy=0.5),
        atom("CA", "VAL", "A", 3, (7, 0, 0), alt="C", occupancy=0.0),
        atom("CA", "TRP", "A", 3, (8, 0, 0), code="B"),
        atom("CB", "SER", "A", 7, (4, 0, 0), alt="A", occupancy=0.6),
        atom("CA", "ASP", "A", 900, (4, 4, 4), occupancy=0.0),
    ]
    calcium = [
        atom("CA", "CA", "A", 2, (1, 1, 1), record="HETATM"),
        atom("CA", "MSE", "A", 1, (0, 0, 0), record="HETATM"),
        atom("CA", "SEP", "A", 3, (2, 2, 2), record="HETATM"),
        atom("CA", "ALA", "A", 8, (2, 2, 9), record="HETATM"),
        atom("CB", "PTR", "A", 4, (2, 2, 3)),
        *(
            record + atom("CA", name, "A", 20 + number, (0, 0, 1))[6:]
            for number, (record, name) in enumerate(product(OTHER_RECORDS, ("ALA", "MSE")))
        ),
    ]
    # temperature factors of full width follow on equal occupancies, and column 21 is not blank
    factors = [
        atom("CA", "MSE", "A", 1, (k, 0, 0), alt=alt, occupancy=0.5, record="HETATM") + factor
        for k, (alt, factor) in enumerate([("A", "100.00"), ("B", "900.00")])
    ]
    factors = [line[:20] + "X" + line[21:] for line in factors]
    ends = [atom("CB", "ALA", "A", 1, (0, 0, 0)), atom("CB", "ALA", "B", 1, (0, 0, 8))]
    lost = [atom("N", "ALA", "A", 1, (0, 0, 0)), atom("N", "ALA", "B", 1, (0, 0, 1))]
    apart = [
        *(alone[0], "TER      10      ALA A  10", atom("CA", "SER", "B", 1, (9, 0, 0))),
        *(atom("CA", "TRP", "A", 20, (5, 0, 0)), "END", "CONECT", "MODEL        2"),
        *(atom("CA", "VAL", "A", 21, (6, 0, 0)), "TER", "", atom("CA", "VAL", "A", 4, (7, 0, 0))),
    ]
    # names and occupancies decide by line; glycine is what a residue's first line says
    glycine = [
        atom("CA", "ALA", "A", 1, (1, 0, 0), alt="A", occupancy=0.3),
        atom("CA", "GLY", "A", 1, (2, 0, 0), alt="B", occupancy=0.7),
        atom("CB", "ALA", "A", 1, (3, 0, 0), alt="A", occupancy=0.3),
        atom("CA", "GLY", "A", 2, (4, 0, 0), alt="A", occupancy=0.3),
        atom("CA", "ALA", "A", 2, (5, 0, 0), alt="B", occupancy=0.7),
        atom("CB", "ALA", "A", 2, (6, 0, 0), alt="B", occupancy=0.7),
        "  ENDMDL",
        atom("CA", "VAL", "A", 3, (7, 0, 0), occupancy=0.0),
        "REMARK  " + "\x0c".join(["", atom("CA", "TRP", "A", 4, (8, 0, 0))]),
        "REMARK  " + "\r".join(["", atom("CA", "TRP", "A", 8, (8, 0, 2)), "ENDMDL", ""]) + " ",
        atom("CA", "VAL", "A", 5, (8, 0, 1)) + "\x1c" + atom("CA", "TRP", "A", 6, (9, 0, 0)),
        "ENDMDL-1",
        atom("CA", "TRP", "A", 7, (9, 0, 0)),
    ]
    # names are what they are: in small letters they are others
    small = [
        atom("CA", "ala", "A", 1, (1, 0, 0)),
        atom("CA", "Gly", "A", 2, (2, 0, 0)),
        atom("CB", "Gly", "A", 2, (3, 0, 0)),
        atom("CA", "mse", "A", 3, (4, 0, 0), record="HETATM"),
        atom("CA", "mse", "A", 4, (5, 0, 0)),
        atom("CA", "TRP", "A", 5, (6, 0, 0)),
        atom("cb", "TRP", "A", 5, (7, 0, 0)),
        "atom  " + atom("CA", "TRP", "A", 6, (8, 0, 0))[6:],
        "endmdl",
        atom("CA", "gly", "A", 7, (9, 0, 0)),
    ]
    wide = [
        atom("CB", "ALA", "A", -999, (-999.999, -999.998, -999.997), code="Z"),
        atom("CB", "ALA", "A", 9999, (9999.999, 9999.998, 9999.997)),
        atom("HB11", "ALA", "A", 9999, (1, 2, 3)),
    ]
    return [
        *long,
        case("nothing", READ, "", "A"),
        case("nothing-letters", LETTERS, "", "A"),
        case("nothing-pairs", PAIRS, "", "A", "B", 5.0),
        case("no-such-chain", READ, structure(30, 3), "Q"),
        case("no-such-chain-pairs", PAIRS, structure(30, 3), "A", "Q", 20.0),
        case("few-atoms", READ, "\n".join(alone), "A"),
        case("other-case", READ, "\n".join(alone), "a"),
        case("alternates", READ, "\n".join(later), "A"),
        case("alternates-letters", LETTERS, "\n".join(later), "A"),
        case("glycine-by-the-first-line", READ, "\n".join(glycine), "A"),
        case("glycine-by-the-first-line-letters", LETTERS, "\n".join(glycine), "A"),
        case("calcium", READ, "\n".join(calcium), "A"),
        case("calcium-letters", LETTERS, "\n".join(calcium), "A"),
        case("other-records-between", READ, "\n".join(apart), "A"),
        case("other-records-between-letters", LETTERS, "\n".join(apart), "A"),
        case("other-records-between-pairs", PAIRS, "\n".join(apart), "A", "B", 8.0),
        case("names-in-small-letters", READ, "\n".join(small), "A"),
        case("names-in-small-letters-sequence", LETTERS, "\n".join(small), "A"),
        case("wide-fields", READ, "\n".join(wide), "A"),
        case("at-the-cutoff", PAIRS, "\n".join(ends), "A", "B", 8.0),
        *(
            case(
                f"all-at-a-cutoff-of-{cutoff:g}",
                PAIRS,
                _at_the_cutoff(60 + i, cutoff),
                "A",
                "B",
                cutoff,
            )
            for i, cutoff in enumerate((0.674, 3.3, 6.1, 19.9))
        ),
        *(
            case(
                f"far-out-at-a-cutoff-of-{cutoff:g}",
                PAIRS,
                _at_the_cutoff(70 + i, cutoff, most=9_970_000),
                "A",
                "B",
                cutoff,
            )
            for i, cutoff in enumerate((0.003, 3.3, 8.1, 19.9))
        ),
        *(case(f"finer-cutoff-{k}", PAIRS, *finer(k)) for k in range(2)),
        case("beyond-the-cutoff", PAIRS, "\n".join(ends), "A", "B", 7.9),
        case("without-centers", PAIRS, "\n".join(lost), "A", "B", 20.0),
        case("without-centers-read", READ, "\n".join(lost), "A"),
        case("model-ends", LETTERS, "\n".join([alone[0], "ENDMDL" + 74 * " ", alone[2]]), "A"),
        case("touching-factors", READ, "\n".join(factors), "A"),
        case("chain-of-a-digit", LETTERS, structure(32, 6, "7Z"), "7"),
        case("long-lines", READ, structure(31, 6).replace("1.00\n", "1.00 20.00      C\n"), "A"),
        *at_decimal_cutoffs(),
        *next_to_small_cutoffs(),
        *_hundredths(),
        *_records_at_ends(),
        case("largest-read", READ, structure(26, 480, messy=0.2), "A"),
        case("largest-letters", LETTERS, structure(26, 480, messy=0.2), "B"),
        case("all-in-contact", PAIRS, crowd(120), "A", "B", 20.0),
    ]


def at_decimal_cutoffs():
    """Pairs exactly at the cutoff along an axis, where a difference of decimals is rounded."""
    found = []
    for axis, (low, cutoff) in enumerate(
        [(0.1, 3.3), (1.1, 8.1), (0.3, 4.1), (-0.7, 6.6), (4.35, 3.8)]
    ):
        places = [[7.7] * 3, [7.7] * 3, [7.7] * 3, [7.7] * 3]
        # at the cutoff, to either side of it, and just beyond
        for place, moved in zip(places, (0, cutoff, -cutoff, cutoff + 0.001), strict=True):
            place[axis % 3] = low + moved
        lines = [atom("CA", "ALA", "ABBB"[k], k + 1, place) for k, place in enumerate(places)]
        found.append(case(f"at-{cutoff}-from-{low}", PAIRS, "\n".join(lines), "A", "B", cutoff))
    return found


def next_to_small_cutoffs():
    """Pairs thousandths apart beside far ones, and cutoffs just below and above their distances."""
    here = np.array([1.0, -2.0, 0.5])
    steps = np.random.default_rng(80).permutation(np.indices((4, 4, 4)).reshape(3, -1).T)[:12]
    lines = [atom("CA", "GLY", "A", k, here + 9 * k) for k in range(2)]
    lines += [atom("CA", "GLY", "B", k, here + step / 1000) for k, step in enumerate(steps)]
    lines.append(atom("CA", "GLY", "B", 99, here + 9.03))
    for name, apart in (("below", 0.001), ("below-two", 0.002), ("above", 0.004), ("far", 0.05196)):
        cutoff = round(apart + (-5e-6 if name.startswith("below") else 5e-6), 7)
        yield case(f"small-cutoff-{name}", PAIRS, "\n".join(lines), "A", "B", cutoff)


def _hundredths():
    """Two places of an atom whose occupancies differ by each of all hundredths."""
    for name, more in (("up", 1), ("down", -1)):
        lines = []
        for k in range(max(0, -more), 101 - max(0, more)):
            for alt, share in (("A", k), ("B", k + more)):
                place = (k, ord(alt), 0)
                lines.append(atom("CA", "ALA", "A", k, place, alt=alt, occupancy=share / 100))
        yield case(f"hundredths-{name}", READ, "\n".join(lines), "A")


def _records_at_ends():
    """Files whose first, last or only line is a record other than an atom's."""
    two = [atom("CA", "ALA", "A", 1, (0, 0, 0)), atom("CA", "TRP", "B", 2, (1, 0, 0))]
    for record in ("ENDMDL", "MODEL        1", "TER", "REMARK ENDMDL"):
        name = record.split()[0].lower()
        yield case(f"first-{name}", LETTERS, "\n".join([record, *two]), "A")
        yield case(f"first-{name}-read", READ, "\n".join([record, *two, ""]), "A")
        yield case(f"first-{name}-pairs", PAIRS, "\r\n".join([record, *two]), "A", "B", 2.0)
        yield case(f"last-{name}", READ, "\n".join([*two, record]), "B")
        yield case(f"only-{name}", READ, record, "A")


def finer(seed):
    """Residues across the axes; fewer digits of the cutoff would move it past the nearest one."""
    moves = np.round(np.random.default_rng(70 + seed).uniform(-5, 5, (40, 3)), 3)
    side = 2e-6 * (-1) ** seed
    for apart in np.linalg.norm(moves, axis=1).tolist():
        cutoff = round(apart + side, 7)
        if all((round(cutoff, digits) - apart) * side < 0 for digits in (1, 2, 3, 4)):
            break
    here = np.array([7.7, -3.1, 0.4])
    lines = [atom("CA", "GLY", "A", 1, here)]
    lines += [atom("CA", "GLY", "B", k, here + move) for k, move in enumerate(moves)]
    return "\n".join(lines), "A", "B", cutoff


def crowd(length):
    """Two chains in which each residue is near each of the other."""
    places = 4.0 + np.random.default_rng(33).uniform(-4, 4, (2 * length, 3))
    return "\n".join(
        atom("CA", "ALA", "AB"[k % 2], k // 2, place) for k, place in enumerate(places)
    )
