"""Prepare the cell type task from scanpy's reduced PBMC data set."""

from pathlib import Path

from biomlbench.task.toolbox import data_key, split_rows, write_tables
from biomlbench.tasks.cells import plain_genes, read_pbmc

TEST_SHARE = 0.4


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Split at random within each type."""
    path = raw / "pbmc68k_reduced.h5ad"
    cells, labels = read_pbmc(path)
    frame = cells[plain_genes(cells)].assign(cell_type=labels)
    key = data_key("pbmc-cell-types", path)
    train, test = split_rows(frame, TEST_SHARE, key, "cell_{:03d}", within="cell_type")
    write_tables(public, private, train, test, ["cell_type"], {"cell_type": "CD34+"})
