import numpy as np
import pandas as pd
from scipy.spatial import cKDTree

LETTER = {
    "ALA": "A",
    "CYS": "C",
    "ASP": "D",
    "GLU": "E",
    "PHE": "F",
    "GLY": "G",
    "HIS": "H",
    "ILE": "I",
    "LYS": "K",
    "LEU": "L",
    "MET": "M",
    "ASN": "N",
    "PRO": "P",
    "GLN": "Q",
    "ARG": "R",
    "SER": "S",
    "THR": "T",
    "VAL": "V",
    "TRP": "W",
    "TYR": "Y",
    "MSE": "M",
}
COLUMNS = ["atom", "residue", "label", "occupancy", "x", "y", "z"]


def table(pdb, chain):
    rows = []
    for line in pdb.replace("\r\n", "\n").split("\n"):
        if line.startswith("ENDMDL"):
            break
        kept = line.startswith("ATOM  ") or (line.startswith("HETATM") and line[17:20] == "MSE")
        if kept and line[21:22] == chain:
            label = line[22:27].replace(" ", "")
            numbers = [float(line[i:j]) for i, j in ((54, 60), (30, 38), (38, 46), (46, 54))]
            rows.append([line[12:16].strip(), line[17:20].strip(), label, *numbers])
    return pd.DataFrame(rows, columns=COLUMNS)


def read_chain(pdb, chain):
    atoms = table(pdb, chain)
    first = atoms.drop_duplicates("label")
    names = dict(zip(first["label"], first["residue"]))
    best = atoms.sort_values("occupancy", ascending=False, kind="stable")
    best = best.drop_duplicates(["label", "atom"])
    places = {
        name: dict(zip(part["label"], part[["x", "y", "z"]].to_numpy().tolist()))
        for name, part in best.groupby("atom")
    }
    centers = []
    for label, residue in names.items():
        center = places.get("CB", {}).get(label) if residue != "GLY" else None
        centers.append(center or places.get("CA", {}).get(label) or [np.nan] * 3)
    centers = np.array(centers, dtype=np.float64) if centers else np.empty((0, 3))
    return {"label": list(names), "name": list(names.values()), "center": centers}


def sequence(pdb, chain):
    return "".join(LETTER.get(name, "X") for name in read_chain(pdb, chain)["name"])


def interface(pdb, chain_a, chain_b, cutoff):
    a, b = read_chain(pdb, chain_a), read_chain(pdb, chain_b)
    seen_a = np.flatnonzero(np.isfinite(a["center"]).all(axis=1))
    seen_b = np.flatnonzero(np.isfinite(b["center"]).all(axis=1))
    if not len(seen_a) or not len(seen_b):
        return []
    near = cKDTree(b["center"][seen_b]).query_ball_point(a["center"][seen_a], cutoff + 1e-7)
    return [
        (a["label"][i], b["label"][seen_b[j]]) for i, js in zip(seen_a, near) for j in sorted(js)
    ]
