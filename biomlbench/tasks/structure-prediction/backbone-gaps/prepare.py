"""Prepare the backbone task from crystal structures of single chains."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from biomlbench.task.toolbox import hash_order, write_csv
from biomlbench.tasks.conformations import alpha_carbons_of_pdb, write_answers

#: Alpha carbons farther apart than this are not bonded, angstroms.
BREAK = 4.3
EVERY = 3
TEST_SHARE = 0.3


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Split the chains by a hash of their name."""
    chains = sorted(path.name.removesuffix(".pdb.gz") for path in raw.glob("*.pdb.gz"))
    chains = [chains[i] for i in hash_order(chains, "backbone-gaps")]
    cut = round(TEST_SHARE * len(chains))
    for part, own in (("test", chains[:cut]), ("train", chains[cut:])):
        targets, tables = {}, []
        for chain in own:
            points, names = _longest_piece(*alpha_carbons_of_pdb(raw / f"{chain}.pdb.gz"))
            targets[chain] = points
            table = pd.DataFrame(points.round(3), columns=["x", "y", "z"])
            known = (np.arange(len(points)) % EVERY == 0).astype(int)
            table.insert(0, "target", chain)
            table.insert(1, "residue", range(1, len(points) + 1))
            table.insert(2, "name", names)
            table.insert(3, "known", known)
            if part == "test":
                table.loc[known == 0, ["x", "y", "z"]] = np.nan
            tables.append(table)
        write_csv(pd.concat(tables), public / f"{part}.csv")
        if part == "test":
            write_answers(targets, public, private)


def _longest_piece(points: np.ndarray, names: list[str]) -> tuple[np.ndarray, list[str]]:
    """Return the longest piece without a break, cut so that it ends with a known residue."""
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    edges = [0, *(np.flatnonzero(steps > BREAK) + 1), len(points)]
    start, stop = max(pairwise(edges), key=_length)
    stop -= (stop - start - 1) % EVERY
    return points[start:stop], names[start:stop]


def _length(piece: tuple[int, int]) -> int:
    return piece[1] - piece[0]
