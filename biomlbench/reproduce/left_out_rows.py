"""Rows of run tables that are not run again: all others keep their lines."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.errors import UserError
from biomlbench.reproduce.inputs import inside, leads_out
from biomlbench.submission.cells import printable
from biomlbench.workflow.record import what_is
from biomlbench.workflow.runs import is_list, stated_submissions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = ["LeftInError", "leave_out_outside", "without_rows"]

_PARQUET = ".parquet"


class LeftInError(UserError, RuntimeError):
    """A row that must not be run cannot be left out."""


def without_rows(path: str, text: str, without: Collection[str]) -> str:
    """Return a table of text with some rows left empty; Parquet stays as it is.

    Parameters
    ----------
    path : str
        Of the table, as the benchmark names it.
    text : str
    without : collection of str
        The rows, by table and line.
    """
    if not without or Path(path).suffix.lower() == _PARQUET:
        return text
    end = "\n" if "\n" in text else "\r"
    table = printable(Path(path).as_posix(), 500)
    lines = (
        # a row of several lines stays: what is left of it would be a row of its own
        "" if f"{table}:{number}" in without and line.count('"') % 2 == 0 else line
        for number, line in enumerate(text.split(end), 1)
    )
    return end.join(lines)


def leave_out_outside(tables: Iterable[str], into: Path) -> None:
    """Leave out the rows of laid out run tables that name a submission outside the folder.

    Parameters
    ----------
    tables : iterable of str
        Run tables, as the benchmark names them. Lists of runs are left as they are: no line of
        one is taken whose file lies outside the list's own folder.
    into : Path
        Where they lie.

    Raises
    ------
    LeftInError
        If such a row has several lines.
    """
    for path in tables:
        table = into / (inside(path) or "")
        if is_list(path) or what_is(table) != "file":
            continue
        if lines := _lines_outside(table):
            _leave_out(table, lines)
        if left := _lines_outside(table):
            raise LeftInError(
                f"{path}:{left[0]}: this row names a submission outside the archive, where "
                "nothing is read for it, and has several lines; have it packed in one line"
            )


def _lines_outside(table: Path) -> list[int]:
    return [line for line, path in stated_submissions(table) if leads_out(path)]


def _leave_out(table: Path, lines: list[int]) -> None:
    if table.suffix.lower() == _PARQUET:
        _without_submissions(table, lines)
        return
    rows = {f"{printable(table.as_posix(), 500)}:{line}" for line in lines}
    data = table.read_bytes()
    is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = data.decode("utf-16", "replace") if is_wide else data.decode("utf-8", "surrogateescape")
    text = without_rows(str(table), text, rows)
    table.write_bytes(text.encode("utf-8", "surrogateescape"))


def _without_submissions(table: Path, lines: list[int]) -> None:
    """Let rows of Parquet, the first of which is line 2, name no submission."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    content = pq.read_table(table)
    place = content.column_names.index("submission")
    paths = content.column(place).to_pylist()
    for line in lines:
        paths[line - 2] = None
    column = pa.array(paths, content.schema.field(place).type)
    pq.write_table(content.set_column(place, "submission", column), table)
