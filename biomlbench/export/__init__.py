"""Results in other forms: see :mod:`biomlbench.export.forms`, a file each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.contracts import QUERIED
from biomlbench.export.forms import About, all_forms

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["FORMATS", "NO_LICENCE", "TABLES", "export", "load_tables"]

TABLES = QUERIED
"""The tables of a results folder, by their names in :data:`biomlbench.contracts.SCHEMAS`."""
FORMATS = tuple(all_forms())
"""Names of the forms."""
NO_LICENCE = "https://choosealicense.com/no-permission/"
"""Says that nobody was given leave to use the data; the default, since only you can give it."""


def export(
    results: str | Path,
    form: str,
    to: str | Path,
    *,
    title: str = "Benchmark results",
    date: str = "",
    licence: str = NO_LICENCE,
) -> list[Path]:
    """Write the tables of a results folder in another form.

    Parameters
    ----------
    results : path
        Holds the :data:`TABLES`; that of telemetry only where it was made. They are written as
        :func:`biomlbench.export.owner_only.for_others` returns them.
    form : str
        One of :data:`FORMATS`.
    to : path
        Folder for the files, made if it is not there; files of the same names are replaced.
    title : str
        Name of the data set (Croissant, RO-Crate).
    date : str
        Day of publication, ISO 8601 (Croissant, RO-Crate), or of grading (published reports, which
        need one).
    licence : str
        Address of the results' licence (Croissant, RO-Crate).

    Returns
    -------
    list of Path
        The files, the describing one last.

    Raises
    ------
    biomlbench.contracts.ContractError
        If a table is missing or cannot be read.
    ValueError
        If there is no such form, or it needs a date.
    """
    if form not in FORMATS:
        raise ValueError(f"no form {form!r}; there are: {', '.join(FORMATS)}")
    from biomlbench.export.owner_only import for_others
    from biomlbench.summary.made_tables import require

    require(results)
    tables = for_others(load_tables(results))
    to = Path(to)
    to.mkdir(parents=True, exist_ok=True)
    about = About(title, date, licence)
    paths: list[Path] = all_forms()[form].write(tables, to, about)
    return paths


def load_tables(results: str | Path) -> dict[str, pa.Table]:
    """Read the tables that a results folder has.

    Parameters
    ----------
    results : path

    Returns
    -------
    dict of str to pyarrow.Table
        In the order of :data:`TABLES`.

    Raises
    ------
    biomlbench.contracts.ContractError
        If `pairs.parquet` is missing, or a table cannot be read.
    """
    from biomlbench.contracts import read_table

    results = Path(results)
    return {
        name: read_table(name, path)
        for name in TABLES
        if (path := results / f"{name}.parquet").is_file() or name == "pairs"
    }
