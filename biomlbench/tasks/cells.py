"""What the preparers of the single-cell tasks share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.task.toolbox import require

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

__all__ = ["read_pbmc"]


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
