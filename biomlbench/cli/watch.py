"""Say what a run of the workflow is doing."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, cast

import click

from biomlbench.cli._common import as_json, echo, print_json, results_to_be_argument
from biomlbench.plain_text import plain
from biomlbench.runtime.consoles import data_console
from biomlbench.runtime.progress_bars import clock
from biomlbench.workflow.run_state import read_state

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from biomlbench.workflow.run_failures import JobFailure, PairFailure, ShownState
    from biomlbench.workflow.run_state_keys import JobFacts

LOST = 1
"""Exit code: the run is over and pairs are lost."""
_GOES_ON = ("planning", "running")
_JOBS, _FAILURES = 10, 5
OF_THIS_RUN = "pairs of this run; those that earlier runs have finished are not among them:"
_STAGE = "{:<12}{:>9}{:>9}{:>9}{:>9}"


@click.command()
@results_to_be_argument
@click.option("--once", is_flag=True, help="Say how it stands now, and end.")
@click.option(
    "--interval",
    type=click.FloatRange(min=0.1),
    default=2.0,
    show_default=True,
    help="Seconds between two looks.",
)
@as_json
def command(results: Path, *, once: bool, interval: float, as_json: bool) -> None:
    """Say what the run that writes to RESULTS is doing, until it ends.

    It shows the pairs by stage, what runs now, the last failures with reason and remedy, the rate
    and the time left; of a run that is still being planned, that it is; of one that has ended or
    was killed, how far it came. Only files are read, so that it works from any machine that has
    the results, and beside a cluster's jobs.

    With --json each look is a line; with --once as well, it is indented.

    \b
    Exit codes: 0 all is done, or the run goes on; 1 it has ended and pairs or jobs are lost;
    2 the command line is wrong; 3 no run has left its state in RESULTS.

    \b
    Examples:
      biomlbench watch
      biomlbench watch results --once --json
    """  # noqa: D301
    state = _shown(results, once=once, interval=interval, as_json=as_json)
    raise SystemExit(LOST if _is_lost(state) else 0)


def _shown(results: Path, *, once: bool, interval: float, as_json: bool) -> ShownState:
    state = _look(results)
    if as_json and once:
        print_json(state)
    elif as_json:
        while True:
            echo(json.dumps(state))
            if state["state"] not in _GOES_ON:
                break
            time.sleep(interval)
            state = _look(results)
    elif once or state["state"] not in _GOES_ON:
        echo("\n".join(_lines(state)))
    else:
        state = _follow(state, results, interval)
    return state


def _look(results: Path) -> ShownState:
    from biomlbench.workflow.run_failures import with_failures

    return with_failures(read_state(results), results)


def _is_lost(state: ShownState) -> bool:
    return state["state"] not in (*_GOES_ON, "finished")


def _follow(state: ShownState, results: Path, interval: float) -> ShownState:
    """Show a run until it ends: in place on a terminal, a line a look elsewhere."""
    from rich.live import Live
    from rich.text import Text

    console = data_console()
    if not console.is_terminal:
        while state["state"] in _GOES_ON:
            echo(_progress(state) or _headline(state))
            time.sleep(interval)
            state = _look(results)
        echo("\n".join(_lines(state)))
        return state
    with Live(console=console, auto_refresh=False) as live:
        while True:
            live.update(Text("\n".join(_lines(state))), refresh=True)
            if state["state"] not in _GOES_ON:
                return state
            time.sleep(interval)
            state = _look(results)


def _lines(state: ShownState) -> Iterator[str]:
    yield _headline(state)
    if state["summary"]:
        yield _safe(state["summary"])
    if told := _progress(state):
        yield told
    if state["pairs"]["expected"]:
        yield ""
        yield OF_THIS_RUN
        yield _STAGE.format("pairs", "done", "running", "failed", "left")
        for row in state["stages"]:
            counts = (row["done"], row["running"], row["failed"], row["left"])
            yield _STAGE.format(_safe(row["stage"]), *counts)
    if state["running"] and state["state"] == "running":
        yield ""
        yield "running, or in a cluster's queue:"
        for job in state["running"][:_JOBS]:
            yield f"  {_about(job)}, for {clock(job['for_s'])}"
        if (more := state["running_in_all"] - _JOBS) > 0:
            yield f"  and {more} more"
    yield from _failures(state)


def _headline(state: ShownState) -> str:
    where = f"process {state['pid']} on {_safe(state['host'])}"
    took, last = clock(state["seconds"]), _safe(state["updated"])
    expected = state["pairs"]["expected"]
    lost = expected - state["pairs"]["done"]
    missing = f"{lost} of {expected} pairs are missing" if lost > 0 else "jobs are missing"
    again = "`biomlbench run` does what is missing"
    return {
        "planning": "This run works out what is to be done; none of its jobs has started.",
        "running": f"This run has gone on for {took} ({where}).",
        "finished": f"This run has ended well, at {last} after {took}.",
        "incomplete": f"This run has ended, at {last} after {took}; {missing}. {again}.",
        "killed": f"This run was killed ({where}), after {last}; {missing}. {again}.",
    }[state["state"]]


def _progress(state: ShownState) -> str:
    if state["state"] == "planning":
        return ""
    jobs = state["jobs"]
    parts = [f"{jobs['done']} of {jobs['total']} jobs"]
    if state["pairs_per_s"]:
        parts.append(f"{state['pairs_per_s']:.1f} pairs/s")
    if state["state"] == "running" and state["left_s"] is not None:
        parts.append(f"{clock(state['left_s'])} left")
    return " · ".join(parts)


def _failures(state: ShownState) -> Iterator[str]:
    jobs = cast("list[JobFailure]", [f for f in state["failures"] if "rule" in f])
    pairs = cast("list[PairFailure]", [f for f in state["failures"] if "rule" not in f])
    if jobs:
        yield ""
        yield f"failed jobs of this run ({state['failed_jobs_in_all']}), the last ones:"
    for job in jobs[-_FAILURES:]:
        yield f"  {_about(job)}: {_safe(job['reason'])}"
        yield f"    remedy: {_safe(job['remedy'])}"
    if pairs:
        yield ""
        yield "pairs of this run with a fault, the last ones:"
    for pair in pairs[-_FAILURES:]:
        told = pair["message"] or pair["meaning"]
        yield _safe(f"  {pair['task_id']} {pair['run_id']}: {pair['reason']} ({told})")
        yield _safe(f"    {pair['fault']}'s fault; {pair['remedy']}")


def _about(job: JobFacts | JobFailure) -> str:
    name = job.get("run_id") or job.get("batch") or ""
    shared = f"({job['pairs']} pairs)" if job.get("pairs", 1) > 1 else ""
    words = (job["rule"], job.get("task_id", ""), name, shared)
    return _safe(" ".join(str(word) for word in words if word))


def _safe(text: object) -> str:
    return plain(text, one_line=True)
