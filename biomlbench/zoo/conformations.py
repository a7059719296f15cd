"""Structure prediction as regression of coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .problem import Problem

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

__all__ = ["from_distances", "superpose"]


def superpose(points: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Move points rigidly onto a target (Kabsch 1976, Acta Cryst. A32:922).

    Parameters
    ----------
    points, target : ndarray, shape (n, 3)

    Returns
    -------
    ndarray, shape (n, 3)
    """
    import numpy as np

    centre = target.mean(axis=0)
    a, b = points - points.mean(axis=0), target - centre
    u, _, vt = np.linalg.svd(a.T @ b)
    u[:, -1] *= np.sign(np.linalg.det(u @ vt))
    result: np.ndarray = a @ u @ vt + centre
    return result


def from_distances(public: Path) -> Problem:
    """Read a task that gives distances within each target and asks for its alpha carbons.

    Parameters
    ----------
    public : Path
        With ``train.csv`` and ``test.csv`` (``target`` and distances) and
        ``train_coordinates.csv`` (``target``, ``residue``, ``x``, ``y``, ``z``).

    Returns
    -------
    Problem
        Of kind ``multioutput``; the training structures are superposed on the first one.
    """
    import numpy as np
    import pandas as pd

    from biomlbench.task.toolbox import read_csv

    train, test = read_csv(public / "train.csv"), read_csv(public / "test.csv")
    table = read_csv(public / "train_coordinates.csv")
    n = table["residue"].max()
    frames = table[["x", "y", "z"]].to_numpy(dtype=float).reshape(-1, n, 3)
    if list(table["target"][::n]) != list(train["target"]):
        raise ValueError("train.csv and train_coordinates.csv list targets in different orders")
    frames = np.stack([superpose(frame, frames[0]) for frame in frames])

    def submit(predictions: np.ndarray) -> pd.DataFrame:
        points = np.asarray(predictions).reshape(-1, 3).round(3)
        rows = pd.DataFrame(points, columns=["x", "y", "z"])
        rows.insert(0, "target", np.repeat(test["target"].to_numpy(), n))
        rows.insert(1, "residue", np.tile(np.arange(1, n + 1), len(test)))
        return rows

    x_train, x_test = (t.drop(columns="target").to_numpy(dtype=float) for t in (train, test))
    return Problem("multioutput", x_train, frames.reshape(len(frames), -1), x_test, submit)
