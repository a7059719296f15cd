"""Run tables: who submitted what for which task.

A run table is a CSV, Parquet or the published ``submission.jsonl``. A bad row costs only itself: it
becomes a :class:`BadRow` that names its table and line, and that the report shows.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError, UserError
from biomlbench.outcomes import Reason
from biomlbench.runtime.words import counted
from biomlbench.stages.kinds import kind_of, kinds_for
from biomlbench.submission.cells import (
    RowError,
    integer_of,
    listed_submission,
    optional_text,
    path_of,
    printable,
    text_of,
    time_of,
)
from biomlbench.submission.run_group import RunGroup, task_named
from biomlbench.submission.table_rows import (
    RunTableError,
    TableRow,
    csv_rows,
    json_rows,
    shown,
)
from biomlbench.workflow.bad_rows import BadRow, bad_row, told_apart
from biomlbench.workflow.run_ids import RUN_ID, RunIds, check_run_id
from biomlbench.workflow.run_metadata import PREFIX, faults_of, metadata_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from biomlbench.contracts.mappings import AnyRow

__all__ = [
    "COLUMNS",
    "LIST",
    "NO_SUBMISSION",
    "RUN_ID",
    "BadRow",
    "ResultsPlaceError",
    "Run",
    "RunTableError",
    "is_list",
    "is_run_table",
    "read_runs",
    "stated_submissions",
]

REQUIRED = ("run_id", "agent", "task_id", "submission")
OPTIONAL = ("kind", "seed", "attempt", "hint_tier", "label", "time")
COLUMNS = REQUIRED + OPTIONAL
LABELS = ("right", "wrong")
NO_SUBMISSION = ""
"""A run's submission where the agent left none: JSON's null, or ``null`` in a CSV."""
_OF_A_RUN = (".lock", "provenance.json")
"""Files that results have from the first job on, and from the last."""
LIST = ".jsonl"
"""Ending of a list of runs, which may be an agent's own."""
SUFFIXES = (".csv", ".tsv", ".parquet", LIST)
_JSONL_KEYS = {"task_id", "competition_id", "submission_path", "run_id", "agent", *OPTIONAL}
_JSONL_IGNORED = {"logs_path", "code_path"}
_ALTERNATIVES = ("run_id", "agent", "task_id|competition_id", "submission")


class ResultsPlaceError(UserError):
    """The folder that is named for the results holds submissions, and no results yet."""


@dataclass(frozen=True, slots=True)
class Run:
    """One agent's one attempt at one task.

    Attributes
    ----------
    run_id, agent, task_id, kind : str
        `task_id` is the full id, ``domain/name``.
    submission : str
        Path as the table gives it, and for a jsonl where it lies now; :data:`NO_SUBMISSION`
        where the agent left none.
    seed, attempt, hint_tier : int or None
    label : str or None
        ``right`` or ``wrong`` for a control.
    time : str or None
        ISO 8601.
    source : str
        Table and line.
    stated : str
        The submission's path as the table gives it; empty where it gives none.
    root : str or None
        Folder of the list, whose files have to lie below it; None for a run of another table.
    metadata : mapping
        As :func:`biomlbench.workflow.run_metadata.metadata_of` returns it.
    """

    run_id: str
    agent: str
    task_id: str
    submission: str
    kind: str
    seed: int | None
    attempt: int | None
    hint_tier: int | None
    label: str | None
    time: str | None
    source: str
    stated: str = ""
    root: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)


def read_runs(
    tables: Iterable[str | Path],
    resolve: Callable[[str], tuple[str, str]],
    *,
    ignore_case: bool = False,
    ignore_unknown: bool = False,
    note: Callable[[str], None] | None = None,
    results: str | Path | None = None,
    agent: str | None = None,
    most_listed: int | None = None,
    refused: Mapping[str, str] | None = None,
) -> tuple[list[Run], list[BadRow]]:
    """Read run tables.

    Parameters
    ----------
    tables : iterable of path
        CSV, Parquet or ``.jsonl`` files; one that is named twice is read once.
    resolve : callable
        From a task id, bare or full, to the full id and the task's kind; raises `TaskError`
        for one that is unknown, ambiguous or broken.
    ignore_case : bool
        Whether run ids that differ only by upper and lower case are the same, as where the
        results lie on a file system that takes them for one.
    ignore_unknown : bool
        Whether a line of a jsonl may have keys that nobody knows, as another harness's may.
    note : callable, optional
        Called with what was found in a table that costs no row.
    results : path, optional
        Folder of the results: no submission may lie there, as rules make those files. A row that
        names one is bad.
    agent : str, optional
        Who made the runs of every jsonl, whatever its lines say. By default each speaks for the
        agent that its folder names, and a line that names another one is bad.
    most_listed : int, optional
        Most lines of a jsonl that become runs or bad rows; all others become one bad row. A list
        may be an agent's own, and hold up everybody else's runs.
    refused : mapping of str to str, optional
        Why tables are not read at all, by path.

    Returns
    -------
    runs : list of Run
        In the order of the tables, those of jsonl files last: a list, which may be an agent's own,
        takes no id of a run of a table.
    bad : list of BadRow
        Rows, and tables that cannot be read at all.

    Raises
    ------
    RunTableError
        If no table can be read.
    ResultsPlaceError
        If a submission that is there lies in `results`, and no run has written there yet.
    """
    unreadable: list[tuple[str, RunTableError]] = []
    names = sorted(dict.fromkeys(map(str, tables)), key=is_list)
    groups = {name: RunGroup(Path(name).parent).name for name in filter(is_list, names)}
    ids = RunIds(ignore_case=ignore_case, groups=groups)
    reader = _Reader(resolve, ids, ignore_unknown, results, agent, most_listed)
    reader.has_lists = bool(names) and is_list(names[-1])
    for table in names:
        try:
            if refused and table in refused:
                raise RunTableError(refused[table])
            reader.read(Path(table), note or (lambda text: None))
        except RunTableError as error:
            unreadable.append((table, error))
    if unreadable and not reader.runs and not reader.bad:
        raise RunTableError("\n".join(printable(str(fault), 1000) for _, fault in unreadable))
    for table, fault in unreadable:
        row = bad_row({}, printable(Path(table).as_posix(), 500), RowError(""))
        message = printable(str(fault), 1000)
        reader.bad.append(replace(row, message=message, is_table=True))
    if note is not None and not reader.runs and not reader.bad:
        note("the run tables name no runs: nothing is graded; name other tables under `runs`")
    return reader.runs, told_apart([(run.task_id, run.run_id) for run in reader.runs], reader.bad)


class _Reader:
    """The runs and bad rows of the tables so far."""

    def __init__(
        self,
        resolve: Callable[[str], tuple[str, str]],
        ids: RunIds,
        ignore_unknown: bool,
        results: str | Path | None,
        agent: str | None = None,
        most_listed: int | None = None,
    ) -> None:
        self.has_lists = False
        self.runs: list[Run] = []
        self.bad: list[BadRow] = []
        self._resolve = resolve
        self._ids = ids
        self._ignore_unknown = ignore_unknown
        self._tasks: dict[str, tuple[str, str] | RowError] = {}
        self._results = os.path.realpath(results) if results else ""
        # What lies among the results of an earlier run was handed in to be taken for one of them.
        self._is_of_a_run = any(Path(self._results, name).exists() for name in _OF_A_RUN)
        self._here = Path.cwd()
        self._folders: dict[str, bool] = {}
        self._agents: dict[str, set[str]] = {}
        self._agent = agent
        self._most_listed = most_listed

    def read(self, path: Path, note: Callable[[str], None]) -> None:
        rows: Iterable[TableRow]
        if not is_run_table(path):
            raise RunTableError(
                f"{path}: a run table is a .csv, .tsv, .parquet or .jsonl file; unpack an archive, "
                "export a workbook as CSV, and write `runs: [my-runs.csv]`"
            )
        group = None
        if is_list(path):
            rows = listed = list(self._bounded(json_rows(path)))
            group = RunGroup(path.parent, [row.values.get("submission_path") for row in listed])
        else:
            rows, notes = _table_rows(path)
            for text in notes:
                note(printable(text, 1000))
        table = printable(path.as_posix(), 500)
        first, before = len(self.runs), len(self.runs) + len(self.bad)
        labelled: list[str] = []
        for row in rows:
            source, values = f"{table}:{row.line}", dict(row.values)
            named = values.get("agent")
            if group is not None:
                # Also of a bad row: whom else it names has nothing to do with it.
                values["agent"] = self._agent or group.agent
            try:
                if row.problem:
                    raise RowError(row.problem)
                if group is not None:
                    if self._agent is None:
                        _check_agent(named, group)
                    _published(values, group, self._ignore_unknown)
                run = self._run(values, source, str(path), group)
                if group is not None and run.label:
                    # A list may be an agent's own, and labelled runs are none of its rates.
                    labelled.append(source)
                    run = replace(run, label=None)
                self.runs.append(run)
            except RowError as error:
                self.bad.append(bad_row(self._of_known_task(values), source, error))
        if len(self.runs) + len(self.bad) == before:
            note(f"{table}: has no rows")
        unread: dict[str, list[str]] = {}
        for run in self.runs[first:]:
            for column, said in faults_of(run.metadata).items():
                unread.setdefault(column, []).append(f"{run.source}: {said}")
        if labelled:
            note(
                f"{labelled[0]}{_and_more(labelled)}: the label is not used, since such a list may "
                "be an agent's own; name controls in a CSV or Parquet table"
            )
        if renamed := self._ids.renamed:
            note(f"{renamed[0]}{_and_more(renamed)}")
            renamed.clear()
        for told in unread.values():
            note(f"{told[0]}{_and_more(told)}; it counts in no mean of the agent")

    def _of_known_task(self, row: AnyRow) -> AnyRow:
        """Return a bad row with the full id of its task, if that can be told."""
        with suppress(ValueError):
            name = text_of({"task_id": task_named(row)}, "task_id")
            row = {**row, "task_id": self._task(name)[0], "competition_id": None}
        return row

    def _bounded(self, rows: Iterator[TableRow]) -> Iterator[TableRow]:
        """Yield the rows of a list up to the most that count, and one that says how many do not."""
        if (most := self._most_listed) is None:
            yield from rows
            return
        yield from islice(rows, most)
        for first in rows:
            more = 1 + sum(1 for _ in rows)
            yield TableRow(
                first.line,
                {},
                f"this line and those after it, {counted(more, 'run')}, are left out: a list may "
                f"hold {most}; if it holds more with good reason, raise `runs_per_list`",
            )

    def _run(self, row: AnyRow, source: str, table: str, group: RunGroup | None) -> Run:
        if group is None and row.get("submission") == "null":
            row["submission"] = None
        try:
            row["task_id"] = task_named(row)
        except ValueError as error:
            raise RowError(str(error)) from None
        row["agent"] = agent = text_of(row, "agent")
        row["task_id"], task_kind = self._task(text_of(row, "task_id"))
        is_given = group is None or row.get("run_id") not in (None, "")
        if group is not None and not is_given:
            row["run_id"] = self._ids.default(row["task_id"], table)
        run = _run(row, agent, task_kind, source)
        if self._is_result(run.submission):
            if not self._is_of_a_run and os.path.isfile(run.submission):
                raise ResultsPlaceError(
                    f"{source}: the submission {shown(run.submission)} lies in the folder of the "
                    f"results, {shown(self._results)}, where the run would replace files; name "
                    "another folder as `results_dir` in the config"
                )
            raise RowError(
                f"the submission {shown(run.submission)} lies in the folder of the results, whose "
                "files the workflow makes; put it elsewhere",
                Reason.UNSAFE_PATH,
            )
        if run.submission != NO_SUBMISSION and self.has_lists:
            self._check_owner(run, is_listed=group is not None)
        root = group.root if group is not None else None
        run_id = self._ids.claim(run, is_given=is_given, group=table if group is not None else "")
        return replace(run, run_id=run_id, root=root)

    def _check_owner(self, run: Run, *, is_listed: bool) -> None:
        """Refuse a list's row of a file that is another agent's by a run table."""
        folder, name = os.path.split(run.submission)
        agents = self._agents.setdefault(f"{os.path.realpath(folder)}/{name}", set())
        if not is_listed:
            agents.add(run.agent)
        elif agents and run.agent not in agents:
            raise RowError(
                f"the submission {shown(run.submission)} is that of {shown(min(agents))} by a run "
                "table; list the run there if it is this agent's as well"
            )

    def _is_result(self, submission: str) -> bool:
        if not self._results or submission == NO_SUBMISSION:
            return False
        folder = submission.rpartition("/")[0] if "/" in submission else "."
        if folder not in self._folders:
            places = (os.path.realpath(folder), os.path.normpath(self._here / folder))
            self._folders[folder] = any(
                f"{place}/".startswith(f"{self._results}/") for place in places
            )
        return self._folders[folder]

    def _task(self, name: str) -> tuple[str, str]:
        """Look a task up, once: to find the nearest names of an unknown one takes long."""
        if name not in self._tasks:
            try:
                self._tasks[name] = self._resolve(name)
            except TaskError as error:
                self._tasks[name] = RowError(str(error), error.reason)
        found = self._tasks[name]
        if isinstance(found, RowError):
            raise RowError(str(found), found.reason)
        return found


def is_list(path: str | Path) -> bool:
    """Tell whether a run table is a list of runs, which may be an agent's own."""
    return Path(path).suffix.lower() == LIST


def is_run_table(path: str | Path) -> bool:
    """Tell whether a file's name has an ending of run tables."""
    return Path(path).suffix.lower() in SUFFIXES


def stated_submissions(table: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the submission of each row of a table that can be read; of no list.

    Parameters
    ----------
    table : Path
        CSV or Parquet.
    """
    with suppress(RunTableError):
        for row in _table_rows(table)[0]:
            if not row.problem:
                yield row.line, row.values["submission"]


def _table_rows(path: Path) -> tuple[Iterator[TableRow], list[str]]:
    return csv_rows(path, _ALTERNATIVES, (*COLUMNS, "competition_id"), PREFIX)


def _and_more(told: Sequence[str]) -> str:
    return f" (and {counted(len(told) - 1, 'more row')})" if told[1:] else ""


def _check_agent(named: object, group: RunGroup) -> None:
    """Refuse another agent than the group's: a list may be an agent's own, and books its runs."""
    if named in (None, ""):
        return
    name, own = (text_of({"agent": value}, "agent") for value in (named, group.agent))
    if name != own:
        raise RowError(
            f"`agent` is {shown(name)}, but a .jsonl list speaks for one agent only, and the "
            f"folder of this one names {shown(own)}; list runs of other agents in a run table "
            "(.csv, .tsv or .parquet)"
        )


def _published(row: AnyRow, group: RunGroup, ignore_unknown: bool) -> None:
    """Turn a line of a ``submission.jsonl`` into a row."""
    unknown = row.keys() - _JSONL_KEYS - _JSONL_IGNORED
    unknown = {name for name in unknown if not name.startswith(PREFIX)}
    if unknown and not ignore_unknown:
        raise RowError(f"unknown key(s) [{', '.join(map(shown, sorted(unknown)[:20]))}]")
    row["submission"] = stated = listed_submission(row)
    if stated is not None:
        try:
            row["submission"] = group.own_submission(stated)
        except ValueError:
            raise RowError(
                f"the submission {shown(stated)} lies outside of the list's folder, and may be "
                "another agent's; put it there, or list the run in a run table (.csv, .tsv or "
                ".parquet)"
            ) from None


def _run(row: AnyRow, agent: str, task_kind: str, source: str) -> Run:
    """Return the run of a row whose task is known; `row` has its full id."""
    submission = NO_SUBMISSION
    if row["submission"] is not None:
        submission = path_of(row, "submission")
    run_id = text_of(row, "run_id")
    check_run_id(run_id)
    kind = optional_text(row, "kind") or kind_of(submission, task_kind)
    allowed = kinds_for(task_kind)
    if kind not in allowed:
        raise RowError(f"kind {shown(kind)}: {row['task_id']} takes {' or '.join(allowed)}")
    label = optional_text(row, "label") or None
    if label not in (None, *LABELS):
        raise RowError(f"label {shown(label)}: use one of {', '.join(LABELS)}")
    return Run(
        run_id=run_id,
        agent=agent,
        task_id=row["task_id"],
        submission=submission,
        kind=kind,
        seed=integer_of(row, "seed"),
        attempt=integer_of(row, "attempt"),
        hint_tier=integer_of(row, "hint_tier"),
        label=label,
        time=time_of(optional_text(row, "time")),
        source=source,
        stated=row.get("submission_path") or submission,
        metadata=metadata_of(row),
    )
