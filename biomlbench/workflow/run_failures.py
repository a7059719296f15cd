"""The last failures of a run, with reason and remedy, from the files of its results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, cast

from biomlbench.outcomes import Fault, Reason, sentence
from biomlbench.workflow.run_state_keys import FailedJob, KnownState, RunState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["JobFailure", "PairFailure", "ShownState", "with_failures"]

SHOWN = 10
_TAIL = 8192
_COLUMNS = ["task_id", "run_id", "fault", "reason", "message"]
_AGAIN = "run again, then only what is missing is done"
REMEDIES: dict[str, str] = {
    Fault.SUBMISSION: "nothing to do: it counts as the agent's failed run",
    Fault.TASK: "correct the task, then run again",
    Fault.GRADER: "correct the grader, or report it, then run again",
    Fault.INFRASTRUCTURE: _AGAIN,
    Fault.RUN_TABLE: "correct the row of the run table, then run again",
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
            row["remedy"] = REMEDIES.get(row["fault"], _AGAIN)
            yield row


def _rows(table: Path) -> Iterable[PairFailure]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows: list[PairFailure] = pq.read_table(
            table, columns=_COLUMNS, partitioning=None
        ).to_pylist()
    except (OSError, pa.ArrowException):
        return []  # It is being made anew.
    return rows
