"""The last failures of a run, with reason and remedy, from the files of its results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, cast

from biomlbench.outcomes import Fault, Reason, sentence
from biomlbench.workflow.run_state_keys import FailedJob, KnownState, RunState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biomlbench.contracts.mappings import AnyRow

__all__ = ["JobFailure", "PairFailure", "ShownState", "with_failures"]

SHOWN = 10
_TAIL = 8192
_COLUMNS = ["task_id", "run_id", "fault", "reason", "message"]
_JUDGED = ["verdict", "valid_submission"]
_AGAIN = "run again, then only what is missing is done"
_OWN = "one of your own is corrected as the message says and run again"
REMEDIES: dict[str, str] = {
    Fault.SUBMISSION: f"nothing to do: it counts as the agent's failed run; {_OWN}",
    Fault.TASK: "correct the task, then run again",
    Fault.GRADER: "correct the grader, or report it, then run again",
    Fault.INFRASTRUCTURE: _AGAIN,
    Fault.RUN_TABLE: "correct the row of the run table, then run again",
}
_KEPT = "nothing to do: the run keeps its score, with the verdict `{verdict}`; {own}"
_OF_REASON: dict[str, str] = {
    Reason.NONDETERMINISTIC: "one of your own takes all that is random from a fixed seed",
    Reason.SUBMISSION_CHANGED: "leave the file as it is while it is graded, then run again",
    Reason.MISSING_FILE: "put the file in its place, or correct the run table, then run again",
}


class _OfFault(TypedDict):
    fault: str
    reason: str
    remedy: str


class JobFailure(_OfFault, total=False):
    """A job that failed: `reason` is the last line of its log."""

    rule: str
    task_id: str
    run_id: str
    batch: str
    pairs: int


class PairFailure(_OfFault):
    """A pair whose outcome is a fault."""

    task_id: str
    run_id: str
    message: str
    meaning: str


class ShownState(KnownState):
    """A run's state with its last failures, first jobs, then pairs."""

    failures: list[JobFailure | PairFailure]


def with_failures(state: RunState, results: str | Path) -> ShownState:
    """Return a run's state with its last failures.

    Parameters
    ----------
    state : mapping
        As `biomlbench.workflow.run_state.read_state` returns it.
    results : path
        Folder of the results.

    Returns
    -------
    dict
        With ``failures`` in the place of ``faulty_tables`` and ``failed_jobs``: first jobs, whose
        pairs are lost until a retry or the next run does them, then pairs whose outcome is a
        fault; each with ``reason`` and ``remedy``.
    """
    found = {k: v for k, v in state.items() if k not in ("faulty_tables", "failed_jobs")}
    root = Path(results)
    jobs = [_of_job(job, root) for job in state["failed_jobs"]]
    pairs = [row for table in state["faulty_tables"] for row in _of_pairs(root / table)]
    return cast("ShownState", {**found, "failures": [*jobs, *pairs[-SHOWN:]]})


def _of_job(job: FailedJob, root: Path) -> JobFailure:
    log = root / job["log"] if job["log"] else None
    facts = {key: value for key, value in job.items() if key not in ("log", "for_s")}
    remedy = _AGAIN if log is None else f"see {log}; {_AGAIN}"
    told = {"fault": Fault.INFRASTRUCTURE, "reason": _last_line(log), "remedy": remedy}
    return cast("JobFailure", {**facts, **told})


def _last_line(log: Path | None) -> str:
    from biomlbench.workflow.job import DONE

    try:
        if log is None or not log.is_file():
            return "it left no log"
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - _TAIL))
            lines = file.read().decode("utf-8", "replace").split("\n")
    except OSError as error:
        return f"its log cannot be read ({error.strerror})"
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    # A job of a group fails with it, also where it ended well itself.
    return "a job of its group failed" if last.startswith(DONE) else last or "its log is empty"


def _of_pairs(table: Path) -> Iterator[PairFailure]:
    for row in _rows(table):
        if row["fault"] != Fault.NONE:
            known = row["reason"] in set(Reason)
            row["meaning"] = sentence(row["reason"]) if known else ""
            judged = {name: row.pop(name, None) for name in _JUDGED}
            row["remedy"] = _remedy(row["fault"], row["reason"], **judged)
            yield cast("PairFailure", row)


def _remedy(fault: str, reason: str, verdict: str | None, valid_submission: bool | None) -> str:
    """Return what to do about a pair, as its fault, its reason and its verdict ask."""
    if fault != Fault.SUBMISSION:
        return REMEDIES.get(fault, _AGAIN)
    if valid_submission:
        return _KEPT.format(verdict=verdict, own=_OF_REASON.get(reason, _OWN))
    return _OF_REASON.get(reason, REMEDIES[Fault.SUBMISSION])


def _rows(table: Path) -> list[AnyRow]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(table) as file:
            columns = [*_COLUMNS, *(name for name in _JUDGED if name in file.schema_arrow.names)]
            rows: list[AnyRow] = file.read(columns=columns).to_pylist()
    except (OSError, pa.ArrowException):
        return []  # It is being made anew.
    return rows
