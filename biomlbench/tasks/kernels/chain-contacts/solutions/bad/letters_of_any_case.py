# pattern: names-folded
# caught_by: letters-edges
import numpy as np

LETTERS = {
    "ALA": "A", "ARG": "R", "ASN": "N", "ASP": "D", "CYS": "C", "GLN": "Q", "GLU": "E",
    "GLY": "G", "HIS": "H", "ILE": "I", "LEU": "L", "LYS": "K", "MET": "M", "MSE": "M",
    "PHE": "F", "PRO": "P", "SER": "S", "THR": "T", "TRP": "W", "TYR": "Y", "VAL": "V",
}  # fmt: skip
# differences of decimals are rounded, and none but equal ones is so near to the cutoff
ROUNDING = 1e-7
NOWHERE = (np.nan, np.nan, np.nan)


def read_chain(pdb, chain):
    residues = _residues(pdb, chain)
    centers = [_center(name, atoms) for name, atoms in residues.values()]
    return {
        "label": list(residues),
        "name": [name for name, _ in residues.values()],
        "center": np.array(centers, dtype=float).reshape(-1, 3),
    }


def sequence(pdb, chain):
    return "".join(LETTERS.get(name.upper(), "X") for name in read_chain(pdb, chain)["name"])


def interface(pdb, chain_a, chain_b, cutoff):
    a, b = read_chain(pdb, chain_a), read_chain(pdb, chain_b)
    apart = np.linalg.norm(a["center"][:, None] - b["center"], axis=-1)
    near = apart <= cutoff + ROUNDING
    return [(a["label"][i], b["label"][j]) for i, j in np.argwhere(near)]


def _residues(pdb, chain):
    """Label to name and atoms, and atom to occupancy and position."""
    residues = {}
    for line in pdb.replace("\r\n", "\n").split("\n"):
        if line.startswith("ENDMDL"):
            break
        name = line[17:20].strip()
        if line[:6] != "ATOM  " and not (line[:6] == "HETATM" and name == "MSE"):
            continue
        if line[21] != chain:
            continue
        label = line[22:26].strip() + line[26].strip()
        _, atoms = residues.setdefault(label, (name, {}))
        atom, occupancy = line[12:16].strip(), float(line[54:60])
        if atom not in atoms or occupancy > atoms[atom][0]:
            place = tuple(float(line[i : i + 8]) for i in (30, 38, 46))
            atoms[atom] = (occupancy, place)
    return residues


def _center(name, atoms):
    wanted = ("CA",) if name == "GLY" else ("CB", "CA")
    return next((atoms[atom][1] for atom in wanted if atom in atoms), NOWHERE)
