"""What the tasks share that ask for a kinase's conformation given a few distances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.task.toolbox import data_key, hash_order, write_csv

from .conformations import alpha_carbons_of_psf, hash_noise, read_dcd, write_answers

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

__all__ = ["N_TEST", "PAIRS", "split_transition", "write_distance_task"]

#: Residues of adenylate kinase whose distance is given. They lie in different domains (the lid
#: is residues 122 to 159, the nucleotide-binding domain 30 to 59), as labels would be placed.
PAIRS = ((55, 169), (127, 194), (52, 145), (41, 152), (30, 150), (73, 142), (18, 203), (86, 127))
#: Frames of the transition that a task asks for; they are in no task's public files.
N_TEST = 33


def split_transition(raw: Path) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Split the transition's trajectory at random, in one way for all tasks that use it.

    Parameters
    ----------
    raw : Path
        Folder with ``adk.psf`` and ``adk_dims.dcd``.

    Returns
    -------
    train, test : ndarray, shape (frames, residues, 3)
        Alpha carbons, angstroms.
    names : list of str
        Residue names.
    """
    carbons, names = alpha_carbons_of_psf(raw / "adk.psf")
    frames = read_dcd(raw / "adk_dims.dcd")[:, carbons]
    key = data_key("kinase-transition", raw / "adk_dims.dcd")
    order = hash_order(range(len(frames)), key)
    return frames[order[N_TEST:]], frames[order[:N_TEST]], names


def write_distance_task(
    train: np.ndarray,
    test: np.ndarray,
    names: list[str],
    noise: float,
    key: str,
    public: Path,
    private: Path,
) -> None:
    """Write distances of all conformations and coordinates of the training ones.

    Parameters
    ----------
    train, test : ndarray, shape (frames, residues, 3)
        Alpha carbons, angstroms.
    names : list of str
        Residue names.
    noise : float
        Standard deviation of the distances' error, angstroms.
    key : str
        From :func:`~biomlbench.task.toolbox.data_key`; the error hangs on it.
    public, private : Path
    """
    import numpy as np
    import pandas as pd

    n = len(names)
    for part, frames in (("train", train), ("test", test)):
        targets = [f"{part}_{i:02d}" for i in range(len(frames))]
        table = pd.DataFrame({"target": targets})
        for a, b in PAIRS:
            true = np.linalg.norm(frames[:, a - 1] - frames[:, b - 1], axis=1).astype(float)
            error = [hash_noise(f"{key}:{part}:{i}:{a}:{b}", noise) for i in range(len(frames))]
            table[f"d_{a}_{b}"] = (true + error).round(1)
        write_csv(table, public / f"{part}.csv")
        if part == "test":
            write_answers(dict(zip(targets, frames, strict=True)), public, private)
            continue
        points = frames.reshape(-1, 3).astype(float).round(3)
        rows = pd.DataFrame(points, columns=["x", "y", "z"])
        rows.insert(0, "target", np.repeat(targets, n))
        rows.insert(1, "residue", np.tile(np.arange(1, n + 1), len(frames)))
        rows.insert(2, "name", np.tile(names, len(frames)))
        write_csv(rows, public / "train_coordinates.csv")
