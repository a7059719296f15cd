"""What a run's author may see of its execution: visible cases and programs, never hidden ones."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, TypedDict, cast

from biomlbench import contracts
from biomlbench.stages.kinds import all_kinds

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

__all__ = ["ShownCase", "provenance", "visible_feedback"]

MAX_RUNS = 2000
MAX_CASES = 12
MAX_STREAM = 2000  # characters of stdout or stderr, the end of it
SHOWN_SUITES = ("", "visible")
_COLUMNS = ["case_id", "suite", "repeat", "status", "message", "stdout", "stderr"]
_NOT_HASHES = ("table", "schema_version")
_log = logging.getLogger(__name__)


class ShownCase(TypedDict):
    """What a run's author sees of a case, or of a program."""

    case: str
    status: str
    message: str
    stdout: str
    stderr: str


class _Case(TypedDict):
    """The columns of ``execute`` that are read."""

    case_id: str
    suite: str
    repeat: int
    status: str
    message: str
    stdout: str | None
    stderr: str | None


def visible_feedback(results: Path, pairs: pd.DataFrame) -> dict[int, list[ShownCase]]:
    """Read the visible part of the execution of runs that executed code.

    Parameters
    ----------
    results : path
        Holds `pairs/<task>/<run>/execute.parquet`; a table that is missing or cannot be read
        costs only its own run's feedback.
    pairs : pandas.DataFrame
        As the contract `pairs` declares them.

    Returns
    -------
    dict of int to list of dict
        By row number of `pairs`: case, status, message, stdout and stderr of at most
        :data:`MAX_CASES` cases. Beyond :data:`MAX_RUNS` runs, those that failed come first.
    """
    code = pairs.reset_index(drop=True)
    code = code[
        code["kind"].isin([name for name, kind in all_kinds().items() if kind.IS_CODE])
        & code["provider"].fillna("").ne("")
    ]
    failed_first = code.assign(passed=code["verdict"].eq("pass")).sort_values(
        "passed", kind="stable"
    )
    if len(failed_first) > MAX_RUNS:
        _log.info("visible output is shown for %d of %d runs", MAX_RUNS, len(failed_first))
    found: dict[int, list[ShownCase]] = {}
    for index, row in failed_first.head(MAX_RUNS).iterrows():
        path = results / "pairs" / row["task_id"] / row["run_id"] / "execute.parquet"
        if not path.is_file():
            continue
        try:
            table = contracts.read_table("execute", path, _COLUMNS)
        except contracts.ContractError as error:
            _log.warning("%s", error)
            continue
        if cases := _cases(table.to_pylist()):
            found[int(cast("int", index))] = cases
    return dict(sorted(found.items()))


def provenance(results: Path, pairs: pd.DataFrame) -> dict[int, dict[str, str]]:
    """Read what each run's last table says it was made from.

    Parameters
    ----------
    results : path
        Holds `pairs/<task>/<run>/medal.parquet`.
    pairs : pandas.DataFrame
        As the contract `pairs` declares them.

    Returns
    -------
    dict of int to dict
        By row number of `pairs`, hashes by name; of the first :data:`MAX_RUNS` runs.
    """
    from biomlbench.workflow.pair_tables import PairTables

    tables = PairTables(results)
    found = {}
    keys = zip(pairs["task_id"], pairs["run_id"], pairs["kind"], strict=True)
    for index, (task, run, kind) in zip(range(MAX_RUNS), keys, strict=False):
        path = tables.path("medal", task, run, kind)
        if not path.is_file():
            continue
        try:
            record = contracts.provenance(path, run)
        except (OSError, ValueError) as error:
            _log.warning("%s: %s", path, error)
            continue
        hashes = {name: text for name, text in record.items() if name not in _NOT_HASHES}
        if hashes:
            found[index] = hashes
    return found


def _cases(rows: Sequence[_Case]) -> list[ShownCase]:
    shown = [row for row in rows if row["suite"] in SHOWN_SUITES and row["repeat"] == 0]
    # the ones with something to say first, in the order they ran
    shown.sort(key=lambda row: (row["status"] == "ok", not (row["stdout"] or row["stderr"])))
    return [
        {
            "case": row["case_id"],
            "status": row["status"],
            "message": row["message"],
            "stdout": (row["stdout"] or "")[-MAX_STREAM:],
            "stderr": (row["stderr"] or "")[-MAX_STREAM:],
        }
        for row in shown[:MAX_CASES]
    ]
