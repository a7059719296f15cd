"""The task as arrays for the model zoo: one row a gap of two residues."""

from pathlib import Path

import numpy as np
import pandas as pd

from biomlbench.task.toolbox import read_csv
from biomlbench.zoo.problem import Problem

EVERY = 3


def problem(public: Path) -> Problem:
    """Predict the two hidden residues in a frame that the known ones around them span."""
    train, test = read_csv(public / "train.csv"), read_csv(public / "test.csv")
    x_train, frames = _gaps(train)
    x_test, test_frames = _gaps(test)
    points = train[["x", "y", "z"]].to_numpy(dtype=float)
    y_train = np.stack([(points[rows] - origin) @ axes for rows, origin, axes in frames])

    def submit(predictions: np.ndarray) -> pd.DataFrame:
        out = test[["target", "residue", "x", "y", "z"]].copy()
        found = out[["x", "y", "z"]].to_numpy(dtype=float, copy=True)
        local = np.asarray(predictions).reshape(-1, 2, 3)
        for (rows, origin, axes), own in zip(test_frames, local, strict=True):
            found[rows] = own @ axes.T + origin
        return out.assign(**dict(zip("xyz", found.round(3).T, strict=True)))

    return Problem("multioutput", x_train, y_train.reshape(len(y_train), -1), x_test, submit)


def _gaps(table: pd.DataFrame) -> tuple[np.ndarray, list[tuple[list[int], np.ndarray, np.ndarray]]]:
    """Return features of each gap, and its rows, origin and axes."""
    features, frames = [], []
    for _, chain in table.reset_index(drop=True).groupby("target", sort=False):
        rows = chain.index.to_numpy()
        anchors = chain[["x", "y", "z"]].to_numpy(dtype=float)[::EVERY]
        names = chain["name"].to_numpy()
        for i in range(len(anchors) - 1):
            around = [anchors[min(max(i + k, 0), len(anchors) - 1)] for k in (-2, -1, 0, 1, 2, 3)]
            origin, axes = _frame(around[1], around[2], around[3], around[4])
            local = (np.stack(around) - origin) @ axes
            start = EVERY * i
            kinds = [name in ("GLY", "PRO") for name in names[start : start + EVERY + 1]]
            steps = np.linalg.norm(np.diff(around, axis=0), axis=1)
            features.append([*local.ravel(), *steps, *kinds])
            frames.append(([int(rows[start + 1]), int(rows[start + 2])], origin, axes))
    return np.array(features, dtype=float), frames


def _frame(
    before: np.ndarray, left: np.ndarray, right: np.ndarray, after: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the middle of the gap and right-handed axes: along it, and towards its neighbours."""
    along = (right - left) / np.linalg.norm(right - left)
    middle = (left + right) / 2
    side = (before + after) / 2 - middle
    side = side - (side @ along) * along
    length = np.linalg.norm(side)
    if length < 1e-6:
        side = np.cross(along, [0.0, 0.0, 1.0])
        length = np.linalg.norm(side)
    side = side / length
    return middle, np.stack([along, side, np.cross(along, side)], axis=1)
