"""Prepare the cell type task from scanpy's reduced PBMC data set."""

from pathlib import Path

import pandas as pd

from biomlbench.task.toolbox import hash_order, write_tables
from biomlbench.tasks.cells import read_pbmc

TEST_SHARE = 0.4


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Split within each type by a hash of the cell's barcode."""
    cells, labels = read_pbmc(raw / "pbmc68k_reduced.h5ad")
    frame = cells.assign(cell_type=labels)
    frame = frame.iloc[hash_order(cells.index, "pbmc-cell-types")].reset_index(drop=True)
    frame.insert(0, "id", [f"cell_{i:03d}" for i in range(len(frame))])
    test = pd.concat(
        [rows.head(round(TEST_SHARE * len(rows))) for _, rows in frame.groupby("cell_type")]
    ).sort_index()
    train = frame.drop(index=test.index)
    write_tables(public, private, train, test, ["cell_type"], {"cell_type": "CD34+"})
