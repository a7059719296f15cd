import math

import numpy as np

CODES = "ALAARGASNASPCYSGLNGLUGLYHISILELEULYSMETPHEPROSERTHRTRPTYRVALMSE"
SHORT = "ARNDCQEGHILKMFPSTWYVM"


def read_chain(pdb, chain):
    labels, names, chosen = [], [], {}
    for line in pdb.split("\n"):
        if line[:6] == "ENDMDL":
            break
        hetero = line[:6] == "HETATM" and line[17:20] == "MSE"
        if not (line[:4] == "ATOM" and line[4:6] == "  ") and not hetero:
            continue
        if line[21] != chain:
            continue
        label = line[22:26].strip() + line[26].strip()
        if label not in labels:
            labels.append(label)
            names.append(line[17:20].strip())
        key = label, line[12:16].strip()
        weight = float(line[54:60])
        if key not in chosen or chosen[key][0] < weight:
            chosen[key] = weight, [float(line[30 + 8 * k : 38 + 8 * k]) for k in range(3)]
    center = np.full((len(labels), 3), math.nan)
    for row, (label, name) in enumerate(zip(labels, names)):
        if name != "GLY" and (label, "CB") in chosen:
            center[row] = chosen[label, "CB"][1]
        elif (label, "CA") in chosen:
            center[row] = chosen[label, "CA"][1]
    return {"label": labels, "name": names, "center": center}


def sequence(pdb, chain):
    letters = []
    for name in read_chain(pdb, chain)["name"]:
        place = [i for i in range(0, len(CODES), 3) if CODES[i : i + 3] == name]
        letters.append(SHORT[place[0] // 3] if place else "X")
    return "".join(letters)


def interface(pdb, chain_a, chain_b, cutoff):
    one, two = read_chain(pdb, chain_a), read_chain(pdb, chain_b)
    return [
        (p, q)
        for p, x in zip(one["label"], one["center"].tolist())
        for q, y in zip(two["label"], two["center"].tolist())
        if math.dist(x, y) <= cutoff + 1e-7
    ]
