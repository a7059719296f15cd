"""Prepare the imputation task from scanpy's reduced PBMC data set."""

from pathlib import Path

from biomlbench.task.toolbox import hash_order, write_tables
from biomlbench.tasks.cells import TARGET, plain_genes, read_pbmc

TEST_SHARE = 0.4


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Split by a hash of the cell's barcode."""
    cells, _ = read_pbmc(raw / "pbmc68k_reduced.h5ad")
    known = {*plain_genes(cells), TARGET}
    cells = cells[[gene for gene in cells.columns if gene in known]]
    frame = cells.iloc[hash_order(cells.index, "marker-imputation")].reset_index(drop=True)
    frame.insert(0, "id", [f"cell_{i:03d}" for i in range(len(frame))])
    cut = round(TEST_SHARE * len(frame))
    write_tables(public, private, frame[cut:], frame[:cut], [TARGET], {TARGET: 0.0})
