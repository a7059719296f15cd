"""Snakemake logger plugin: pairs done, whose fault the failures are, rate, time left.

A bar on a terminal, a line now and then elsewhere. Warnings and errors are printed as
Snakemake words them; what it says of every single job is left out. The state of the run is kept in
its results, for `biomlbench watch`, and told to the configured command when it has ended.
"""

from __future__ import annotations

import logging
import re
import sys
import time
from typing import TYPE_CHECKING, Any

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from biomlbench.plain_text import plain
from biomlbench.runtime.consoles import data_console
from biomlbench.runtime.words import counted
from biomlbench.stages.chain import FINAL
from biomlbench.workflow.notification import notify
from biomlbench.workflow.progress import TALLY, describe, time_left
from biomlbench.workflow.run_failures import with_failures
from biomlbench.workflow.run_state import Recorder, Writer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from logging import LogRecord

__all__ = ["LogHandler"]

LINE_EVERY_S = 5.0
REFRESH_EVERY_S = 0.25
_PER_JOB = {
    LogEvent.JOB_INFO,
    LogEvent.JOB_STARTED,
    LogEvent.JOB_FINISHED,
    LogEvent.SHELLCMD,
    LogEvent.RESOURCES_INFO,
    LogEvent.GROUP_INFO,
}
# Tables of pairs and of batches of them, wherever the results are and whatever a workflow that
# imports the rules calls them; the final record finishes its pairs.
_PAIRS = re.compile(r"(?:^|/)(?:pairs|batches)/[^/]+/[^/]+/[^/]+/[a-z]+\.parquet$")
_FINAL = f"/{FINAL}.parquet"
_UNSAID = (*_PER_JOB, LogEvent.PROGRESS, LogEvent.RUN_INFO, LogEvent.WORKFLOW_STARTED)
# Lines of a failed job's message that say where in the rules files it came through.
_OF_SNAKEMAKE = ("RuleException:", "WorkflowError in file", "  File ")
# What Snakemake says when it is interrupted, or is to end with the jobs under way, first; and when
# it ends as for a job that failed.
_STOPPED = ("Terminating processes on user request", "Cancelling snakemake on user request")
_TO_END = "Will exit after finishing currently running jobs"
_NOT_ALL = "At least one job did not complete successfully"
_ENDING = "ending with the jobs under way, which an interrupt (Ctrl-C) would end at once"
_INTERRUPTED = "interrupted: what is finished is kept; run again, then only what is missing is done"


def _finishes_pairs(outputs: Sequence[str]) -> bool:
    return bool(outputs) and outputs[0].endswith(_FINAL) and bool(_PAIRS.search(outputs[0]))


def _matters(record: LogRecord) -> bool:
    """Leave out what Snakemake says of its own doings."""
    return record.levelno >= logging.WARNING or str(record.msg).startswith("Nothing to be done")


class LogHandler(LogHandlerBase):
    """Show the workflow's progress on standard error."""

    def __post_init__(self) -> None:
        self._console = data_console(stderr=True, soft_wrap=True)
        self._live: Progress | None = None
        self._recorder = Recorder(TALLY)
        TALLY.watched = not self.common_settings.dryrun
        self._writer: Writer | None = None
        self._jobs = 0
        self._begun = False
        self._interrupted = False
        self._medals: dict[int, str] = {}
        self._reached = (0, 0)
        self._over = False
        self._started = time.monotonic()
        self._said = self._started
        self._shown = 0.0

    def emit(self, record: LogRecord) -> None:
        """Show a record, or let it move the bar."""
        event = getattr(record, "event", None)
        # Each kind of event adds fields of its own to the record.
        said: Any = record
        self._record(event, said)
        if self.common_settings.dryrun:
            if event not in _PER_JOB:
                self._print(record)
        elif event == LogEvent.RUN_INFO:
            self._jobs = said.stats["total"]
        elif event == LogEvent.JOB_STARTED:
            self._begin()
        elif event == LogEvent.JOB_INFO and _finishes_pairs(said.output):
            self._medals[said.jobid] = said.output[0]
        elif event == LogEvent.JOB_FINISHED and said.job_id in self._medals:
            TALLY.finish(self._medals[said.job_id])
        elif event == LogEvent.PROGRESS:
            self._advance(said.done, said.total)
        elif event == LogEvent.JOB_ERROR:
            self._fail(said.rule_name, said.output, said.log)
        elif not event and str(record.msg).startswith(_STOPPED):
            self._interrupt(_INTERRUPTED)
        elif not event and str(record.msg).startswith(_TO_END):
            self._interrupt(_ENDING)
        elif event not in _UNSAID and (event or _matters(record)):
            self._print(record)

    def _record(self, event: LogEvent | None, said: Any) -> None:
        """Keep what matters to those who watch the run."""
        if event == LogEvent.JOB_INFO:
            self._recorder.begin(said.jobid, said.rule_name, said.output)
        elif event == LogEvent.JOB_FINISHED:
            self._recorder.finish(said.job_id)
        elif event == LogEvent.JOB_ERROR:
            self._recorder.fail(said.jobid, said.rule_name, said.output, said.log)
        elif event == LogEvent.PROGRESS:
            self._recorder.advance(said.done, said.total)
        elif event == LogEvent.RUN_INFO:
            self._recorder.advance(0, said.stats["total"])
        # There is a folder once the run has the lock of it, and none in a dry run or a job.
        if TALLY.results and self._writer is None:
            self._writer = Writer(self._recorder, TALLY.results)
            if TALLY.planning:
                TALLY.planning.close()
        if self._writer:
            self._writer.changed()

    def _print(self, record: LogRecord) -> None:
        lines = self.format(record).strip().splitlines()
        is_error = record.levelno >= logging.ERROR
        if (TALLY.interrupted and is_error) or (self._interrupted and _NOT_ALL in "".join(lines)):
            return  # they did not fail
        if text := "\n".join(line for line in lines if not line.startswith(_OF_SNAKEMAKE)):
            style = {"WARNING": "yellow", "ERROR": "red"}.get(record.levelname)
            self._console.print(plain(text), style=style)

    def _interrupt(self, told: str) -> None:
        if not self._interrupted:
            self._interrupted = True
            self._console.print(told, style="yellow")

    def _fail(self, rule: str, outputs: Iterable[str], logs: Iterable[str]) -> None:
        if TALLY.interrupted:
            return
        for output in outputs:
            if _PAIRS.search(output):
                TALLY.fail(output)
        self._console.print(plain(f"{rule} failed; see {', '.join(logs)}"), style="red")

    def _begin(self) -> None:
        if self._begun:
            return
        self._begun = True
        self._started = self._said = time.monotonic()
        pairs = f"{counted(TALLY.expected, 'pair')} to do, " if TALLY.expected else ""
        self._console.print(f"{pairs}{counted(self._jobs, 'job')} in all")
        if self._console.is_terminal:
            self._live = Progress(
                BarColumn(bar_width=30),
                TextColumn("{task.percentage:3.0f} %"),
                TextColumn("{task.description}", markup=False),
                TimeElapsedColumn(),
                console=self._console,
                auto_refresh=False,
            )
            self._live.start()
            self._live.add_task("starting", total=self._jobs)

    def _advance(self, done: int, total: int) -> None:
        now = time.monotonic()
        self._reached = (done, total)
        self._over = over = done >= total
        every = REFRESH_EVERY_S if self._live else LINE_EVERY_S
        if now - (self._shown if self._live else self._said) < every and not over:
            return
        self._say(done, total, now)

    def _say(self, done: int, total: int, now: float) -> None:
        left = time_left(TALLY.done, done, total, now - self._started)
        text = " · ".join(filter(None, (describe(TALLY), left)))
        self._shown = self._said = now
        if self._live:
            self._live.update(self._live.task_ids[0], completed=done, total=total, description=text)
            self._live.refresh()
        else:
            print(f"{done:>6} of {total} jobs · {text}", file=sys.stderr, flush=True)  # noqa: T201

    def close(self) -> None:
        """Say how far it came, and leave the terminal as it was."""
        if self._begun and not self._over:
            self._over = True
            done, total = self._reached
            self._say(done, total or self._jobs, time.monotonic())
        if self._live:
            self._live.stop()
            self._live = None
        if not self._begun and not self.common_settings.dryrun:
            if told := TALLY.told_left_out:
                self._console.print(told)
            # Snakemake closes its handlers more than once.
            TALLY.left_out = TALLY.tables_left_out = 0
        if self._writer:
            writer, self._writer = self._writer, None
            state = with_failures(writer.end(), TALLY.results)
            TALLY.results = ""
            if told := notify(TALLY.notify, state):
                self._console.print(plain(told), style="yellow")
        if TALLY.report:
            report, TALLY.report = TALLY.report, ""
            self._console.print(f"report: {plain(report)}")
        super().close()

    @property
    def writes_to_stream(self) -> bool:
        """It writes to standard error."""
        return True

    @property
    def writes_to_file(self) -> bool:
        """It writes no file."""
        return False

    @property
    def has_filter(self) -> bool:
        """Snakemake's quietness is for its own messages; the bar is always shown."""
        return True

    @property
    def has_formatter(self) -> bool:
        """Messages keep Snakemake's wording."""
        return False

    @property
    def needs_rulegraph(self) -> bool:
        """The rule graph is not needed."""
        return False
