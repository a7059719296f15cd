"""Prepare the imputation task from scanpy's reduced PBMC data set."""

from pathlib import Path

from biomlbench.task.toolbox import hash_order, write_tables
from biomlbench.tasks.cells import read_pbmc

TARGET = "NKG7"
#: Start of the names of genes that mark cytotoxic cells as NKG7 does; they are left out.
MARKERS = ("GZM", "GNLY", "PRF1", "CST7", "CTSW", "FGFBP2", "KLR", "CCL5", "CCL4", "FCGR3A")
TEST_SHARE = 0.4


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Split by a hash of the cell's barcode."""
    cells, _ = read_pbmc(raw / "pbmc68k_reduced.h5ad")
    cells = cells[[gene for gene in cells.columns if not gene.startswith(MARKERS)]]
    frame = cells.iloc[hash_order(cells.index, "marker-imputation")].reset_index(drop=True)
    frame.insert(0, "id", [f"cell_{i:03d}" for i in range(len(frame))])
    cut = round(TEST_SHARE * len(frame))
    write_tables(public, private, frame[cut:], frame[:cut], [TARGET], {TARGET: 0.0})
