from collections import defaultdict

import numpy as np

from biomlbench.verify.cases import Transformed, joined_lines, within

_NAMES = {"A": "ALA", "G": "GLY", "M": "MSE", "K": "LYS", "W": "TRP", "X": "UNK"}
_NAMES |= {letter.lower(): _NAMES[letter].lower() for letter in "AGM"}


def _read(pdb, chain):
    """Lines of a chain that count, from the first model."""
    lines = ("\n" + pdb.replace("\r", "")).split("\nENDMDL")[0].split("\n")
    return [
        line
        for line in lines
        if (line[:6] == "ATOM  " or (line[:6] == "HETATM" and line[17:20] == "MSE"))
        and line[21] == chain
    ]


def _label(line):
    return line[22:27].replace(" ", "")


def lines(inputs):
    """How many lines a file has."""
    return len(inputs["pdb"].removesuffix("\n").split("\n"))


def characters(inputs):
    """How many characters a file has."""
    return len(inputs["pdb"])


def chain_of_atoms(places, names):
    """A file with one chain of one atom a residue."""
    return {"pdb": _file(places, names, "A" * len(names)), "chain": "A"}


def two_chains_of_atoms(places, names, cutoff):
    """A file with two chains of one atom a residue."""
    half = len(names) // 2
    chains = "A" * half + "B" * (len(names) - half)
    pdb = _file(places, names, chains)
    return {"pdb": pdb, "chain_a": "A", "chain_b": "B", "cutoff": cutoff}


def _file(places, names, chains):
    rows = [
        f"ATOM  {1:5d}  CA  {_NAMES[name]} {chain}{number:4d}    "
        + "".join(f"{x:8.3f}" for x in place)
        + "  1.00\n"
        for number, (place, name, chain) in enumerate(zip(places, names, chains, strict=True), 1)
    ]
    return "".join(["HEADER    DRAWN\n", *rows, "END\n"])


def list_of_label_pairs(inputs, output):
    """The result is a list of pairs of labels that the chains have, none of them twice."""
    if not isinstance(output, list):
        return "not a list"
    sides = [
        {_label(line) for line in _read(inputs["pdb"], inputs[k])} for k in ("chain_a", "chain_b")
    ]
    for pair in output:
        if not isinstance(pair, tuple) or len(pair) != 2:
            return "not a pair"
        if any(
            not isinstance(one, str) or one not in side
            for one, side in zip(pair, sides, strict=True)
        ):
            return "a label that the chain does not have"
    return len({tuple(pair) for pair in output}) == len(output) or "a pair is listed twice"


def one_row_a_residue(inputs, output):
    """There is one row for each residue of the chain, in the order of the file."""
    want = list(dict.fromkeys(_label(line) for line in _read(inputs["pdb"], inputs["chain"])))
    if list(output["label"]) != want or len(output["name"]) != len(want):
        return "the residues are others, or in another order"
    return np.shape(output["center"]) == (len(want), 3) or "there is not one center a residue"


def centers_are_atoms(inputs, output):
    """Each center is the position of an atom CB or CA of its residue, if it has one."""
    atoms = defaultdict(list)
    for line in _read(inputs["pdb"], inputs["chain"]):
        if line[12:16].strip() in ("CA", "CB"):
            atoms[_label(line)].append([float(line[i : i + 8]) for i in (30, 38, 46)])
    for label, center in zip(output["label"], np.asarray(output["center"]), strict=True):
        places = atoms[label]
        if not places and not np.isnan(center).all():
            return "a center where there is no atom for it"
        if places and not (np.abs(np.array(places) - center).max(axis=1) < 1e-6).any():
            return "a center is not where an atom is"
    return True


def pairs_are_exchanged(base, variants, info):
    """The same pairs are found, the other way round."""
    want = sorted((b, a) for a, b in base.output)
    return sorted(tuple(pair) for pair in variants[0].output) == want


def move_all(inputs, rng, *, by=(-960, -930, -940)):
    """Move all atoms, so far that fields touch."""
    lines = []
    for line in inputs["pdb"].split("\n"):
        if line[:6] in ("ATOM  ", "HETATM"):
            places = (float(line[30 + 8 * k : 38 + 8 * k]) + by[k] for k in range(3))
            line = line[:30] + "".join(f"{place:8.3f}" for place in places) + line[54:]
        lines.append(line)
    return Transformed([{**inputs, "pdb": "\n".join(lines)}], {"by": by})


def centers_are_moved(base, variants, info):
    """Contacts stay, and centers are moved in the same way."""
    if isinstance(base.output, list):
        return variants[0].output == base.output or "moving all atoms changes the contacts"
    old, new = (np.asarray(one.output["center"]) for one in (base, variants[0]))
    if old.shape != new.shape or (np.isnan(old) != np.isnan(new)).any():
        return "moving all atoms changes which residues have a center"
    return within(np.nanmax(np.abs(new - old - info["by"]), initial=0), 1e-6, "not moved alike")


def rename_chains(inputs, rng):
    """Give the chains other letters that differ in their case alone, or are digits."""
    new = {"A": "b", "B": "B", "x": "7"}
    lines = [
        line[:21] + new.get(line[21], line[21]) + line[22:]
        if line[:6] in ("ATOM  ", "HETATM")
        else line
        for line in inputs["pdb"].split("\n")
    ]
    names = {k: new.get(v, v) for k, v in inputs.items() if k.startswith("chain")}
    return Transformed([{**inputs, **names, "pdb": "\n".join(lines)}])


def add_what_is_skipped(inputs, rng):
    """Add water on top of the first atom, other records, and a second model."""
    lines = inputs["pdb"].split("\n")
    first = next(line for line in lines if line[:6] == "ATOM  ")
    water = "HETATM" + first[6:17] + "HOH" + first[20:22] + " 800 " + first[27:]
    other = "ANISOU" + first[6:22] + " 801 " + first[27:]
    second = "ATOM  " + first[6:22] + " 802 " + first[27:]
    return Transformed(
        [{**inputs, "pdb": "\n".join([water, other, *lines, "ENDMDL", "MODEL        2", second])}]
    )


def smaller_cutoff(inputs, rng):
    """Make the cutoff smaller in steps."""
    return Transformed([{**inputs, "cutoff": inputs["cutoff"] * k / 4} for k in (1, 2, 3)])


def fewer_in_order(base, variants, info):
    """Each step leaves fewer pairs, in the same order."""
    larger = [tuple(pair) for pair in base.output]
    for variant in reversed(variants):
        kept = {tuple(pair) for pair in variant.output}
        if [tuple(pair) for pair in variant.output] != [pair for pair in larger if pair in kept]:
            return "a smaller cutoff finds other pairs, or another order"
        if len(kept) == len(larger) > 0 and variant is variants[0]:
            return "a quarter of the cutoff finds as many pairs"
        larger = [pair for pair in larger if pair in kept]
    return True


_ATOM_RECORDS = ("ATOM  ", "HETATM")
_OTHER = {"T": "TER", "M": "MODEL        2", "R": "REMARK ENDMDL", "-": ""}
_MORE = {"+": 1, "-": -1, "=": 0}
_TIMES_FINER = {"t": 10, "h": 100}
_ATOMS = {"a": "CA", "b": "CA CB", "n": "N", "o": "CB CA", "c": "N CA C CB"}


def chain_at_edges(places, names, kinds, records, numbers, first, codes, chains, **others):
    """Residues that lack atoms, come twice or in alternate places, or are none."""
    rows = zip(names, kinds, records, numbers, codes, chains, places, strict=True)
    atoms = []
    for k, (name, kind, record, number, code, letter, place) in enumerate(rows):
        on = 17 * (k // 33)  # to numbers that no atom before has, where there are many
        number += first + (-on if first > 0 else on)
        residue = "HOH" if record == "W" else _NAMES[name]
        letter = "Aa"[k % 2] if letter == "." else letter
        label = f"{residue} {letter}{number:4d}{code}   "
        field = "ATOM  " if record == "A" else "HETATM"
        for i, atom in enumerate(_ATOMS[kind].split()):
            atoms.append((k, f"{field}{k + 1:5d}  {atom:<3} {label}", place + 0.7 * i))
    return _file_at_edges(atoms, **others)


def _file_at_edges(atoms, share, occupancies, alternates, between, top, bottom, models, end, chain):
    """The lines of atoms, of some of which there are two, among other records."""
    lines, last = [], None
    for k, head, place in atoms:
        if k != last and between[k] in _OTHER:
            lines.append(_OTHER[between[k]])
        last = k
        twice = alternates[k] in _MORE
        # all hundredths come, and equal ones among the atoms that have one line
        hundredths = (share + int(occupancies[k]) + 7 * k * twice) % 101
        lines.append(_at(head, place, hundredths))
        if twice:
            more = min(max(hundredths + _MORE[alternates[k]], 0), 100)
            lines.append(_at(head[:16] + "B" + head[17:], place + 0.3, more))
    if models == 2:
        again = [line[:22] + "  77" + line[26:] for line in lines if line[:6] in _ATOM_RECORDS]
        lines += ["ENDMDL", *lines[:2], *again]
    text = joined_lines([*top, *lines, *bottom], end.split("|"), finish=False)
    return {"pdb": text, "chain": chain}


def _at(head, place, hundredths):
    return head + "".join(f"{x:8.3f}" for x in place) + f"{hundredths / 100:6.2f}"


def chains_at_edges(chain, other, cutoff, rank, beside, places, near, **values):
    """Two such chains, none of whose centers are about as far apart as the cutoff.

    Some atoms are tenths or thousandths away from the one before, and some cutoffs are next to
    one of the distances.
    """
    places = np.array(places)
    for k, letter in enumerate(near):
        if k and letter in _TIMES_FINER:
            places[k] = np.round(places[k - 1] + places[k] / _TIMES_FINER[letter], 3)
    pdb = chain_at_edges(places, chain=chain, **values)["pdb"]
    apart, along_one = _distances(pdb, chain, other)
    if beside is not None and apart.size:
        every = np.unique(np.round(apart, 7))
        cutoff = float(np.clip(round(every[rank % len(every)] + beside, 7), 0.0005, 20.0))
    if ((np.abs(apart - cutoff) < 1.5e-6) & ~along_one).any():
        return None
    return {"pdb": pdb, "chain_a": chain, "chain_b": other, "cutoff": cutoff}


def _distances(pdb, *chains):
    """Distances between the atoms of two chains, and whether they are along one axis."""
    one, two = (
        np.array([[float(line[i : i + 8]) for i in (30, 38, 46)] for line in _read(pdb, chain)])
        for chain in chains
    )
    moves = np.abs(one.reshape(-1, 1, 3) - two.reshape(-1, 3))
    return np.linalg.norm(moves, axis=2), (moves > 1e-9).sum(axis=2) == 1
