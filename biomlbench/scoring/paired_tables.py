"""Tables that a `Grader` is given in memory: which are taken, and by which ids rows are paired."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any, NamedTuple

from biomlbench.errors import InvalidSubmissionError, TaskError
from biomlbench.frames import as_frame, index_as_columns
from biomlbench.outcomes import Reason
from biomlbench.scoring.grading_functions import id_columns
from biomlbench.task.submission_columns import SubmissionSchema

__all__ = ["PairedTables", "paired_tables"]

_REMEDY = (
    "give both a column of ids or name their index, as by `rename_axis('id')`, so that rows are "
    "matched by it; or call `reset_index(drop=True)` on both if their rows are in the same order"
)


class PairedTables(NamedTuple):
    """Tables whose ids are columns, and a schema that declares ids which came from an index."""

    submission: Any
    answers: Any
    schema: SubmissionSchema | None


def paired_tables(
    submission: Any, answers: Any, schema: SubmissionSchema | None, *, only_tables: bool
) -> PairedTables:
    """Return two tables as pandas tables without an index that means something.

    Parameters
    ----------
    submission, answers : object
        Tables of pandas, Polars or Arrow. The levels of a named index of pandas become columns,
        by which rows are matched if both tables have them. One that the other table lacks is left
        as it is where both begin with the same column, which then is the id.
    schema : SubmissionSchema, optional
        The declared columns.
    only_tables : bool
        Refuse what is no table; a Series with a name and a named index is one.

    Raises
    ------
    TypeError
        If one is no table, where only tables are taken.
    InvalidSubmissionError, TaskError
        If the tables have no id in common, and their rows have other labels or another order.
    """
    if only_tables:
        submission, answers = _table(submission, "a submission"), _table(answers, "the answers")
    one, other = as_frame(submission), as_frame(answers)
    if not _is_frame(one) or not _is_frame(other):
        return PairedTables(one, other, schema)
    begins = id_columns(list(one.columns), list(other.columns), schema)
    tables = [
        index_as_columns(table) if _tells(table, beside, begins) else table
        for table, beside in ((one, other), (other, one))
    ]
    names = [list(table.columns) for table in tables]
    if not (schema and schema.ids):
        levels = list(dict.fromkeys([*one.index.names, *other.index.names]))
        ids = tuple(name for name in levels if all(name in known for known in names))
        if ids:
            schema = replace(schema or SubmissionSchema(), ids=ids)
    ids = id_columns(names[0], names[1], schema)
    if not ids or any(name not in names[1] for name in ids):
        _check_labels(one, other)
    return PairedTables(tables[0], tables[1], schema)


def _is_frame(table: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(table, pandas.DataFrame)


def _table(table: Any, what: str) -> Any:
    """Return a table; a Series whose names tell what it is becomes one."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(table, pandas.Series):
        if table.name is not None and None not in table.index.names:
            return table.to_frame()
        raise TypeError(
            f"{what}: a Series is taken if it has a name and its index, which then holds the ids, "
            "has one, too; pass a DataFrame with a column of ids"
        )
    frame = as_frame(table)
    if not _is_frame(frame):
        hint = "; read the file first, as by pandas.read_csv" if isinstance(table, str) else ""
        raise TypeError(
            f"a Grader takes two tables, each a DataFrame of pandas or Polars, or a table of "
            f"Arrow; {what}: not a {type(table).__name__}{hint}"
        )
    return frame


def _tells(table: Any, other: Any, begins: tuple[Any, ...]) -> bool:
    """Tell whether the levels of an index are needed as columns."""
    import pandas as pd

    names = table.index.names
    if any(name in begins and name not in table.columns for name in names):
        return True  # a declared id
    if begins and table.index.equals(pd.RangeIndex(len(table))):
        return False  # a count of the rows
    known = {*other.columns, *other.index.names}
    return not begins or any(name in known and name not in table.columns for name in names)


def _check_labels(submission: Any, answers: Any) -> None:
    """Refuse tables whose rows are paired by their order, though their labels say otherwise.

    A submission of predictions alone, whose rows are only counted, may do without the ids that
    the answers have.
    """
    import pandas as pd

    one, other = submission.index, answers.index
    is_counted, is_known = (index.equals(pd.RangeIndex(len(index))) for index in (one, other))
    if one.equals(other) or (is_counted and (is_known or None not in other.names)):
        return
    told = (
        "nothing tells which rows of submission and answers belong together: they have no id in "
        f"common, and the labels of their rows differ; {_REMEDY}"
    )
    if not is_counted:
        raise InvalidSubmissionError(told, Reason.MISSING_COLUMNS)
    raise TaskError(told, Reason.BROKEN_ANSWERS)
