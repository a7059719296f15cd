"""The runs as one run of the workflow has planned them, for its own jobs.

An agent may write its list, and a benchmark's owner a run table, while the workflow runs. So tables
are read once: what was planned is kept in the folder of the results, and for as long as the
workflow runs whatever comes later, in other processes or on other machines, takes that.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.contracts import ContractError
from biomlbench.outcomes import Reason
from biomlbench.runtime.json_lines import Written, encoded, write_json
from biomlbench.runtime.locking import is_held
from biomlbench.workflow.bad_rows import BadRow
from biomlbench.workflow.run_state import LOCK
from biomlbench.workflow.runs import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["RECORD", "Planned", "read", "write"]

RECORD = ".planned.json"
"""The file, in the folder of the results. It counts while a run of the workflow has its lock."""
_RUN = [field.name for field in fields(Run)]
_BAD_ROW = [field.name for field in fields(BadRow)]


@dataclass(frozen=True)
class Planned:
    """What was read of the run tables.

    Attributes
    ----------
    runs : list of Run
    bad_rows : list of BadRow
    tables : dict of str to str or None
        The tables' texts, as :func:`biomlbench.submission.table_rows.recorded_text` gives them.
    """

    runs: list[Run]
    bad_rows: list[BadRow]
    tables: dict[str, str | None]


def write(results: str | Path, planned: Planned) -> None:
    """Write what was planned, all or nothing."""
    content = {
        "runs": _lines(planned.runs, _RUN),
        "bad_rows": _lines(planned.bad_rows, _BAD_ROW),
        "tables": planned.tables,
    }
    write_json(Path(results) / RECORD, content)


def _lines(rows: Iterable[Run | BadRow], names: list[str]) -> Iterator[Written]:
    # By position: names would double the file.
    values = attrgetter(*names)
    return (Written(encoded(values(row))) for row in rows)


def read(results: str | Path) -> Planned | None:
    """Return what the workflow that runs has planned; None where none runs, or has said so.

    Raises
    ------
    ContractError
        If the record is damaged.
    """
    path = Path(results) / RECORD
    if not path.is_file() or not is_held(path.with_name(LOCK)):
        return None
    try:
        record = json.loads(path.read_bytes())
        runs = [Run(*row) for row in record["runs"]]
        bad_rows = [BadRow(*row) for row in record["bad_rows"]]
        tables = dict(record["tables"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ContractError(
            f"{path}: cannot be read ({type(error).__name__}: {error}); run the workflow again"
        ) from error
    return Planned(runs, [_with_reason(row) for row in bad_rows], tables)


def _with_reason(row: BadRow) -> BadRow:
    return replace(row, reason=Reason(row.reason))
