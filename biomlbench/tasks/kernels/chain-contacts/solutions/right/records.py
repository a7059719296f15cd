from typing import NamedTuple

import numpy as np

THREE = "ALA CYS ASP GLU PHE GLY HIS ILE LYS LEU MET ASN PRO GLN ARG SER THR VAL TRP TYR".split()
ONE = "ACDEFGHIKLMNPQRSTVWY"


class Atom(NamedTuple):
    name: str
    residue: str
    label: str
    xyz: tuple
    occupancy: float


def atoms_of(pdb, chain):
    for line in pdb.replace("\r\n", "\n").split("\n"):
        record = line[0:6]
        if record == "ENDMDL":
            return
        if record not in ("ATOM  ", "HETATM") or line[21] != chain:
            continue
        residue = line[17:20].replace(" ", "")
        if record == "ATOM  " or residue == "MSE":
            label = f"{int(line[22:26])}{line[26].strip()}"
            xyz = float(line[30:38]), float(line[38:46]), float(line[46:54])
            yield Atom(line[12:16].strip(), residue, label, xyz, float(line[54:60]))


def read_chain(pdb, chain):
    groups = {}
    for atom in atoms_of(pdb, chain):
        groups.setdefault(atom.label, []).append(atom)
    centers = np.full((len(groups), 3), np.nan)
    for i, group in enumerate(groups.values()):
        for name in ["CB", "CA"][group[0].residue == "GLY" :]:
            found = [atom for atom in group if atom.name == name]
            if found:
                centers[i] = max(found, key=lambda atom: atom.occupancy).xyz
                break
    names = [group[0].residue for group in groups.values()]
    return {"label": list(groups), "name": names, "center": centers}


def sequence(pdb, chain):
    letters = dict(zip(THREE, ONE)) | {"MSE": "M"}
    return "".join([letters.get(name, "X") for name in read_chain(pdb, chain)["name"]])


def interface(pdb, chain_a, chain_b, cutoff):
    a, b = read_chain(pdb, chain_a), read_chain(pdb, chain_b)
    pairs = []
    for first, here in zip(a["label"], a["center"]):
        square = ((b["center"] - here) ** 2).sum(axis=1)
        pairs += [(first, b["label"][j]) for j in np.flatnonzero(square <= (cutoff + 1e-7) ** 2)]
    return pairs
