"""What the preparers of the single-cell tasks share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.task.toolbox import require

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

__all__ = ["TARGET", "plain_genes", "read_pbmc"]

#: The gene whose expression a task asks for.
TARGET = "NKG7"
#: Start of the names of genes that mark cytotoxic cells as it does.
MARKERS = ("GZM", "GNLY", "PRF1", "CST7", "CTSW", "FGFBP2", "KLR", "CCL5", "CCL4", "FCGR3A")


def plain_genes(cells: pd.DataFrame) -> list[str]:
    """Return the genes that every task on these cells may give.

    The tasks' cells are the same, and can be matched: what one gives, the others give, too.

    Parameters
    ----------
    cells : DataFrame
        As :func:`read_pbmc` returns them.

    Returns
    -------
    list of str
        All but :data:`TARGET` and the genes that tell it directly.
    """
    return [gene for gene in cells.columns if gene != TARGET and not gene.startswith(MARKERS)]


def read_pbmc(path: Path) -> tuple[pd.DataFrame, list[str]]:
    """Read scanpy's reduced data set of peripheral blood mononuclear cells.

    Parameters
    ----------
    path : Path
        The ``.h5ad`` file, in the layout of anndata before 0.7.

    Returns
    -------
    cells : DataFrame
        One row a cell (index: barcode), one column a gene; log(1 + normalised counts).
    labels : list of str
        Type of each cell.
    """
    import pandas as pd
    from scipy.sparse import csr_matrix

    h5py = require("h5py")
    with h5py.File(path, "r") as file:
        obs = file["obs"][:]
        genes = [name.decode() for name in file["raw.var"]["index"]]
        kinds = [name.decode() for name in file["uns/bulk_labels_categories"][:]]
        parts = tuple(file[f"raw.X/{part}"][:] for part in ("data", "indices", "indptr"))
    counts = csr_matrix(parts, shape=(len(obs), len(genes))).toarray()
    # stored as 32-bit floats; four decimals are exact enough and make plain numbers
    values = counts.astype(float).round(4)
    barcodes = [name.decode() for name in obs["index"]]
    cells = pd.DataFrame(values, index=barcodes, columns=genes)
    return cells, [kinds[code] for code in obs["bulk_labels"]]
