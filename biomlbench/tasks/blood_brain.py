"""What the preparers of the blood-brain barrier tasks share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.task.toolbox import hash_order, read_csv

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

__all__ = ["split_passage"]

TEST_SHARE = 0.2


def split_passage(path: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Split B3DB's table of which molecules pass the barrier, in one way for all its tasks.

    Parameters
    ----------
    path : Path
        ``B3DB_classification.tsv``.

    Returns
    -------
    train, test : DataFrame
        The table's columns, ``SMILES`` named ``smiles``, and ``id``; split by a hash of the SMILES.
        A molecule listed twice stays on one side.
    """
    frame = read_csv(path, sep="\t").rename(columns={"SMILES": "smiles"})
    frame = frame.drop_duplicates("smiles")
    frame = frame.iloc[hash_order(frame["smiles"], "blood-brain-barrier")].reset_index(drop=True)
    frame.insert(0, "id", [f"mol_{i:04d}" for i in range(len(frame))])
    cut = round(TEST_SHARE * len(frame))
    return frame[cut:], frame[:cut]
