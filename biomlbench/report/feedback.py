"""What a run's author may see of its execution: visible cases and programs, never hidden ones."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, TypedDict, cast

from biomlbench import contracts
from biomlbench.stages.kinds import all_kinds
from biomlbench.workflow.runs import is_list

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

__all__ = ["ORDER", "ShownCase", "of_runs", "provenance", "visible_feedback"]

MAX_RUNS = 2000
ORDER = (
    "those of run tables before those of `submission.jsonl`, in turns over agents, of each those "
    "that failed first"
)
"""Which runs are looked at, in words."""
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
        :data:`MAX_CASES` cases. Of more than :data:`MAX_RUNS` runs, those that :data:`ORDER` says,
        in that order.
    """
    code = _of_code(pairs)
    found: dict[int, list[ShownCase]] = {}
    for index, row in code.loc[_in_turns(code)].iterrows():
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
    return found


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
        By row number of `pairs`, hashes by name. Of more than :data:`MAX_RUNS` runs, those that
        :data:`ORDER` says, in that order.
    """
    from biomlbench.workflow.pair_tables import PairTables

    tables = PairTables(results)
    found = {}
    graded = _graded(pairs)
    chosen = graded.loc[_in_turns(graded), ["task_id", "run_id", "kind"]]
    for index, task_id, run, kind in chosen.itertuples():
        path = tables.path("medal", task_id, run, kind)
        if not path.is_file():
            continue
        try:
            record = contracts.provenance(path, run)
        except (OSError, ValueError) as error:
            _log.warning("%s: %s", path, error)
            continue
        hashes = {name: text for name, text in record.items() if name not in _NOT_HASHES}
        if hashes:
            found[int(index)] = hashes
    return found


def of_runs(pairs: pd.DataFrame) -> dict[str, int]:
    """Return of how many runs there is more than is read, by what is read of them.

    Parameters
    ----------
    pairs : pandas.DataFrame
        As the contract `pairs` declares them.

    Returns
    -------
    dict of str to int
        ``feedback`` and ``provenance``, where they are of more than :data:`MAX_RUNS` runs.
    """
    found = {"feedback": len(_of_code(pairs)), "provenance": len(_graded(pairs))}
    return {name: number for name, number in found.items() if number > MAX_RUNS}


def _graded(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs, by row number: a row of a run table that could not be used is none."""
    pairs = pairs.reset_index(drop=True)
    return pairs[pairs["kind"].fillna("").ne("")]


def _of_code(pairs: pd.DataFrame) -> pd.DataFrame:
    graded = _graded(pairs)
    kinds = [name for name, kind in all_kinds().items() if kind.IS_CODE]
    return graded[graded["kind"].isin(kinds) & graded["provider"].fillna("").ne("")]


def _in_turns(pairs: pd.DataFrame) -> pd.Index:
    """Return the row numbers of at most :data:`MAX_RUNS` runs: an agent's list takes nobody's."""
    listed = [is_list(source.rpartition(":")[0]) for source in pairs["source"]]
    chosen = pairs.assign(listed=listed, passed=pairs["verdict"].eq("pass"))
    chosen = chosen.sort_values("passed", kind="stable")
    chosen["turn"] = chosen.groupby(["listed", "agent"]).cumcount()
    return chosen.sort_values(["listed", "turn"], kind="stable").index[:MAX_RUNS]


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
