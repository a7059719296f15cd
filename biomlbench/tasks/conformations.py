"""What the structure prediction tasks share: trajectories, chains, and how they are graded."""

from __future__ import annotations

import gzip
import hashlib
import struct
from typing import TYPE_CHECKING, Any

from biomlbench.task.toolbox import write_csv

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import pandas as pd

__all__ = [
    "alpha_carbons_of_pdb",
    "alpha_carbons_of_psf",
    "hash_noise",
    "read_dcd",
    "structures",
    "write_answers",
]

#: Distance of consecutive alpha carbons, angstroms; the sample submissions are straight chains.
CA_DISTANCE = 3.8


def hash_noise(key: str, scale: float) -> float:
    """Return reproducible noise, nearly normal with standard deviation `scale`.

    The sum of twelve uniform numbers, each from two bytes of a hash of `key`.
    """
    digest = hashlib.sha256(key.encode()).digest()
    uniform = [int.from_bytes(digest[i : i + 2], "big") / 65536 for i in range(0, 24, 2)]
    return scale * (sum(uniform) - 6.0)


def read_dcd(path: Path) -> np.ndarray:
    """Read a little-endian CHARMM or NAMD trajectory without fixed atoms.

    Parameters
    ----------
    path : Path

    Returns
    -------
    ndarray of float32, shape (frames, atoms, 3)
        Angstroms.

    Raises
    ------
    ValueError
        If the file is not of that form.
    """
    import numpy as np

    data, records, offset = path.read_bytes(), [], 0
    while offset < len(data):
        (size,) = struct.unpack_from("<i", data, offset)
        if size < 0 or offset + size + 8 > len(data):
            raise ValueError(f"{path.name} is not a complete little-endian DCD file")
        records.append(memoryview(data)[offset + 4 : offset + 4 + size])
        offset += size + 8
    if len(records) < 4 or bytes(records[0][:4]) != b"CORD":
        raise ValueError(f"{path.name} is not a DCD file")
    (atoms,) = struct.unpack("<i", records[2])
    axes = [np.frombuffer(r, "<f4") for r in records[3:] if len(r) == 4 * atoms]
    return np.stack(axes).reshape(-1, 3, atoms).transpose(0, 2, 1)


def alpha_carbons_of_psf(path: Path) -> tuple[np.ndarray, list[str]]:
    """Return positions (from 0) and residue names of the alpha carbons of a PSF topology."""
    import numpy as np

    lines = path.read_text(encoding="ascii").splitlines()
    start = next(i for i, line in enumerate(lines) if "!NATOM" in line)
    atoms = [line.split() for line in lines[start + 1 : start + 1 + int(lines[start].split()[0])]]
    chosen = [i for i, fields in enumerate(atoms) if fields[4] == "CA"]
    return np.array(chosen), [atoms[i][3] for i in chosen]


def alpha_carbons_of_pdb(path: Path) -> tuple[np.ndarray, list[str]]:
    """Return coordinates (n, 3) and residue names of the alpha carbons of a gzipped PDB file.

    Only the first location of an atom is taken.
    """
    import numpy as np

    points, names = [], []
    with gzip.open(path, "rt", encoding="ascii") as handle:
        for line in handle:
            if line.startswith("ENDMDL"):
                break
            if line.startswith("ATOM") and line[12:16].strip() == "CA" and line[16] in " A1":
                points.append([float(line[i : i + 8]) for i in (30, 38, 46)])
                names.append(line[17:20].strip())
    return np.array(points), names


def write_answers(targets: dict[str, np.ndarray], public: Path, private: Path) -> None:
    """Write answers and a sample submission with one row a residue.

    Parameters
    ----------
    targets : dict of str to ndarray, shape (n, 3)
        Name of each target to its alpha carbons, angstroms.
    public, private : Path
    """
    import pandas as pd

    rows = [
        (name, number, *(round(float(v), 3) for v in point))
        for name, points in targets.items()
        for number, point in enumerate(points, start=1)
    ]
    answers = pd.DataFrame(rows, columns=["target", "residue", "x", "y", "z"])
    write_csv(answers, private / "answers.csv")
    line = (CA_DISTANCE * answers["residue"]).round(1)
    write_csv(answers.assign(x=line, y=0.0, z=0.0), public / "sample_submission.csv")


def structures(submission: pd.DataFrame, answers: pd.DataFrame) -> tuple[list[Any], list[Any]]:
    """Turn tables of alpha carbons into structures, one a target.

    Parameters
    ----------
    submission, answers : DataFrame
        Columns ``target``, ``residue``, ``x``, ``y``, ``z``; rows in the same order.

    Returns
    -------
    y_true, y_pred : list of Structure
    """
    names = list(dict.fromkeys(answers["target"]))
    sides = []
    for table, side in ((answers, "native"), (submission, "model")):
        groups = dict(iter(table.groupby("target", sort=False)))
        sides.append([_structure(groups[name], f"{side} of {name}") for name in names])
    return sides[0], sides[1]


def _structure(rows: pd.DataFrame, name: str) -> Any:
    import numpy as np

    from biomlbench.structures.model import assemble

    n = len(rows)
    return assemble(
        name,
        coordinates=rows[["x", "y", "z"]].to_numpy(dtype=float),
        chain=np.full(n, "A"),
        number=rows["residue"].to_numpy(dtype=np.int64),
        insertion=np.full(n, ""),
        residue=np.full(n, "GLY"),
        atom=np.full(n, "CA"),
        altloc=np.full(n, ""),
        occupancy=np.ones(n),
    )
