"""Tables as they may be published: without submissions, places of files, or logs of machines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from biomlbench.export.owner_only import for_others
from biomlbench.outcomes import Fault
from biomlbench.plain_text import is_web_address
from biomlbench.workflow.runs import RUN_ID

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["public_tables", "without_paths"]

EMPTIED = ("source", "submission")
"""Columns of `pairs` that say where something lies."""
MESSAGES = (
    *("message", "meta_note", "medal_note", "leaderboard_note", "data_note"),
    *("evidence_missing", "audit_findings"),
)
"""Columns that hold what was found or why: texts of programs, which name files where they lie.

All others hold names and what their owners wrote, which stay as they are: of two names, one would
be made.
"""
_OF_MACHINES = (Fault.INFRASTRUCTURE, Fault.GRADER, Fault.RUN_TABLE)
# Their messages are last lines of logs and cells of run tables: of anything, for nobody outside.
# A path begins where no word, address or other path goes on, and has two parts at least.
_FREE = r"(?<![\w.:/\\~-])"
_BEGINNING = rf"(?:file:/+|{_FREE}(?:~[\w.-]*/|/(?=[^\s/]+/)|[A-Za-z]:[\\/]|\\\\))"
_PATH = re.compile(_BEGINNING + r"(?:[^\s\"'`<>|,;:()\[\]{}]*[\\/])?")
# A relative path is told from a task's id by its file's ending, and from prose by its quotes.
_RELATIVE = re.compile(r"([\"'`])(?:[^\"'`\\/\n]+[\\/])+([^\"'`\\/\n]*\.\w{1,8})\1")
# Atomic: what follows the last slash holds none, so that going back to an earlier one is in vain,
# and takes the square of the text's length.
_QUOTED = re.compile(r"([\"'`])" + _BEGINNING + r"(?>[^\"'`\n]*[\\/])([^\"'`\\/\n]*)\1")


def without_paths(text: str, places: Sequence[str] = ()) -> str:
    r"""Return text in which of each absolute or quoted path only the last part is left.

    Parameters
    ----------
    text : str
    places : sequence of str
        Beginnings of paths, with the slash at their end, that may hold blanks: where one stands
        without quotation marks, nothing else tells where it ends.

    Returns
    -------
    str

    Examples
    --------
    >>> without_paths("cannot read /home/otto/runs/a.csv: no such file")
    'cannot read a.csv: no such file'
    >>> without_paths("'/home/otto k/runs/a.csv' is a link")
    "'a.csv' is a link"
    >>> without_paths(r"C:\Users\otto\a.csv and https://example.org/x/y and 1/2")
    'a.csv and https://example.org/x/y and 1/2'
    >>> without_paths("there is no file `runs/otto/a.csv` of 'clinical/diabetes'")
    "there is no file `a.csv` of 'clinical/diabetes'"
    """
    for place in places:
        text = re.sub(_FREE + re.escape(place), "", text)
    return _PATH.sub("", _RELATIVE.sub(r"\1\2\1", _QUOTED.sub(r"\1\2\1", text)))


def public_tables(
    tables: Mapping[str, pa.Table], places: Sequence[str] = ()
) -> dict[str, pa.Table]:
    """Return the tables over all pairs without what concerns nobody outside.

    Parameters
    ----------
    tables : mapping of str to pyarrow.Table
        As :func:`biomlbench.export.load_tables` returns them.
    places : sequence of str
        As for :func:`without_paths`.

    Returns
    -------
    dict of str to pyarrow.Table
        Of the same schemas. Submissions' paths and lines of run tables are empty, and so are
        messages of faults of machine, grader and run table; a log that is no address of the web is
        null; of paths in messages and notes, the columns :data:`MESSAGES`, the last part is left.
        All other texts are as they were. What tells of single hidden cases is null, see
        :func:`biomlbench.export.owner_only.for_others`.
    """
    tables = for_others(tables)
    renamed = _renamed(tables["pairs"])
    return {name: _public(name, table, places, renamed) for name, table in tables.items()}


def _renamed(pairs: pa.Table) -> dict[tuple[str, str], str]:
    """Return other run ids for rows that could not be used and whose id is their place in a file.

    What may be a run's id stays, so that who made the results finds it in the run table.
    """
    columns = (pairs.column(name).to_pylist() for name in ("task_id", "run_id", "fault"))
    rows = list(zip(*columns, strict=True))
    taken = {run for _, run, _ in rows}
    return {
        (task, run): _free_id(f"row-{number}", taken)
        for number, (task, run, fault) in enumerate(rows, start=1)
        if fault == Fault.RUN_TABLE and not RUN_ID.fullmatch(run)
    }


def _free_id(name: str, taken: set[str]) -> str:
    """Return a name that no run has; of two rows' names, none is made of the other like this."""
    while name in taken:
        name += "_"
    return name


def _public(
    name: str,
    table: pa.Table,
    places: Sequence[str],
    renamed: Mapping[tuple[str, str], str],
) -> pa.Table:
    if renamed and "run_id" in table.column_names:
        keys = zip(*(table.column(c).to_pylist() for c in ("task_id", "run_id")), strict=True)
        table = _replaced(table, "run_id", [renamed.get(key, key[1]) for key in keys])
    if name == "pairs":
        table = _public_pairs(table)
    for column in MESSAGES:
        if column in table.column_names:
            texts = table.column(column).to_pylist()
            table = _replaced(table, column, [_cleaned(text, places) for text in texts])
    return table


def _cleaned(text: str | list[str] | None, places: Sequence[str]) -> str | list[str] | None:
    if isinstance(text, list):
        return [without_paths(one, places) for one in text]
    return text and without_paths(text, places)


def _public_pairs(pairs: pa.Table) -> pa.Table:
    for name in EMPTIED:
        pairs = _replaced(pairs, name, ["" for _ in range(len(pairs))])
    hidden = pc.is_in(pairs.column("fault"), pa.array([str(fault) for fault in _OF_MACHINES]))
    both = zip(pairs.column("message").to_pylist(), hidden.to_pylist(), strict=True)
    pairs = _replaced(pairs, "message", ["" if hide else text for text, hide in both])
    logs = pairs.column("meta_log").to_pylist()
    return _replaced(pairs, "meta_log", [t if t and is_web_address(t) else None for t in logs])


def _replaced(table: pa.Table, name: str, values: Sequence[str | list[str] | None]) -> pa.Table:
    place = table.schema.get_field_index(name)
    field = table.schema.field(place)
    return table.set_column(place, field, pa.array(values, field.type))
