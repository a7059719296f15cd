"""Logs of Inspect AI (``.eval`` or ``.json``), read by its own maintained reader.

What becomes what:

==================  ===========================================================================
in the log          here
==================  ===========================================================================
sample              a run
task                ``task_id`` or ``competition_id`` of the sample's metadata; else the sample's
                    id where it is text; else the name of the log's task
model               agent; together with the solver, where the log names one
epoch               attempt
submission          a text ``submission.csv`` or ``submission.py``, or a ``submission_path``, in
                    the sample's store, in its metadata or in a score's; also as an attachment
score               a row of ``scores.csv``; a grading report in a score's metadata is compared
model, commit       ``meta_model`` and ``meta_commit``; the log's own path is ``meta_log``
tokens, time        ``meta_tokens``, of all models together, and ``meta_wall_time_s``
==================  ===========================================================================
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.importers import ImportRefusedError
from biomlbench.importers.groups import Entry
from biomlbench.importers.published import published
from biomlbench.plain_text import spreadsheet_cell, spreadsheet_path, spreadsheet_row
from biomlbench.runtime.bounded_json import check_json
from biomlbench.runtime.files import install_command
from biomlbench.runtime.packed_files import BROKEN, PackedLimits, checked_members
from biomlbench.runtime.progress_bars import track
from biomlbench.submission.run_group import own_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.importers.published import Published

__all__ = ["REMEDY", "Taken", "find_logs", "read_logs", "write_tables"]

REMEDY = install_command("inspect")
"""What installs the reader."""
NO_SUBMISSION = (
    "no sample holds a submission; let a solver or scorer keep it, for instance with "
    "state.store.set('submission.csv', text)"
)
LIMITS = PackedLimits(files=200_000, file_bytes=2**30, total_bytes=4 * 2**30)
"""Of a log: its reader takes all samples into memory at once."""
_ATTACHMENT = "attachment://"
_UNUSED = {"events", "messages"}
_SUBMISSION = re.compile(r"(?:.*[:/])?submission[._](csv|py|path)")
_MOST_NAME = 100
_MOST_SAID = 10_000
METADATA = ("meta_model", "meta_commit", "meta_log", "meta_tokens", "meta_wall_time_s")
RUN_COLUMNS = ("run_id", "agent", "task_id", "submission", "attempt", "time", *METADATA)
SCORE_COLUMNS = ("run_id", "task_id", "scorer", "value")


@dataclass
class Taken:
    """What logs hold.

    Attributes
    ----------
    entries : list of Entry
        A run for each sample.
    runs : list of dict
        Rows of a run table, in the same order.
    scores : list of dict
        What the log's own scorers gave.
    published : list of (Entry, Published)
        Runs with a grading report in a score's metadata.
    submissions : int
        Runs that left one.
    """

    entries: list[Entry] = field(default_factory=list)
    runs: list[JsonObject] = field(default_factory=list)
    scores: list[JsonObject] = field(default_factory=list)
    published: list[tuple[Entry, Published]] = field(default_factory=list)
    submissions: int = 0
    _used: set[tuple[str, str]] = field(default_factory=set)
    _numbers: Counter[tuple[str, str]] = field(default_factory=Counter)

    def free_run_id(self, stem: str, task_id: str) -> str:
        """Return a run id that no other run of the task has."""
        return self._free(task_id, stem, "")

    def free_file(self, folder: Path, task_id: str, name: str) -> Path:
        """Return a file that no other run has: tasks whose names differ may share a folder."""
        place = re.sub(r"[^A-Za-z0-9._-]", "-", task_id).lstrip("._-")[:_MOST_NAME] or "task"
        suffix = Path(name).suffix
        return folder / place / self._free(f"/{place}", name.removesuffix(suffix), suffix)

    def _free(self, of: str, stem: str, suffix: str) -> str:
        while True:
            self._numbers[of, stem + suffix] += 1
            number = self._numbers[of, stem + suffix]
            name = f"{stem}{suffix}" if number == 1 else f"{stem}-{number}{suffix}"
            if (of, name) not in self._used:
                self._used.add((of, name))
                return name


def find_logs(path: Path) -> list[Path]:
    """Return the logs that a path means: itself, or the ``.eval`` files of a folder.

    Parameters
    ----------
    path : Path

    Returns
    -------
    list of Path
        Empty where it means something else, such as a run group.
    """
    if path.is_dir():
        is_group = (path / "submission.jsonl").exists()
        return [] if is_group else sorted(p for p in path.iterdir() if _format(p) == "eval")
    return [path] if _format(path) in ("eval", "json") else []


def _format(path: Path) -> str:
    return path.suffix.lower().removeprefix(".")


def read_logs(
    paths: Iterable[Path],
    to: Path,
    rename: Mapping[str, str] | None = None,
    agent: str | None = None,
) -> Taken:
    """Read logs, and write the submissions that they hold.

    Parameters
    ----------
    paths : iterable of Path
    to : Path
        Submissions go to its folder ``submissions``.
    rename : mapping of str to str, optional
        From task ids of the logs to those that are meant.
    agent : str, optional
        By default the model of each log.

    Returns
    -------
    Taken

    Raises
    ------
    ImportRefusedError
        If the reader is not installed, a log cannot be read, or nothing in them can be graded.
    """
    taken, paths = Taken(), list(paths)
    for path in track(paths, "reading logs"):
        take(_read(path), path, to, taken, rename or {}, agent)
    if not taken.submissions:
        raise ImportRefusedError(f"{', '.join(map(str, paths))}: {NO_SUBMISSION}")
    return taken


def _check(path: Path) -> None:
    """Refuse a log that its reader would unpack to more than there is memory for."""
    try:
        if _format(path) == "eval":
            checked_members(path, LIMITS)
        else:
            check_json(path, path.stat().st_size)
    except BROKEN as error:
        raise ImportRefusedError(f"{path}: is no log of Inspect AI ({error})") from error
    except ValueError as error:
        raise ImportRefusedError(f"{path}: is not read: {error}") from None
    except OSError as error:
        raise ImportRefusedError(f"{path}: cannot be read ({error.strerror})") from error


def _read(path: Path) -> Any:
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        raise ImportRefusedError(
            f"{path}: logs of Inspect AI are read by its own library: {REMEDY}"
        ) from None
    _check(path)
    try:
        return read_eval_log(path, format=_format(path), exclude_fields=_UNUSED)
    except Exception as error:  # a foreign reader, and a file from anywhere
        said = str(error).strip().partition("\n")[0][:300]
        raise ImportRefusedError(
            f"{path}: Inspect AI cannot read it ({type(error).__name__}: {said})"
        ) from error


def take(
    log: Any, path: Path, to: Path, taken: Taken, rename: Mapping[str, str], agent: str | None
) -> None:
    """Add the samples of one log to what was taken before.

    Parameters
    ----------
    log : inspect_ai.log.EvalLog
    path : Path
        Where it came from.
    to, rename, agent
        As for :func:`read_logs`.
    taken : Taken
    """
    stem = re.sub(r"[^A-Za-z0-9._-]", "-", path.stem).strip("._-")[-80:].lstrip("._-") or "log"
    agent = agent or "+".join(filter(None, (log.eval.solver, log.eval.model)))
    for sample in log.samples or ():
        task_id = _task_of(sample, log.eval.task)
        task_id = rename.get(task_id, task_id)
        run_id = taken.free_run_id(stem, task_id)
        file, text = _submission(sample, path.parent)
        if text is not None:
            file = taken.free_file(to / "submissions", task_id, f"{run_id}{file.suffix}")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", errors="replace")
        taken.submissions += os.path.lexists(file)
        number = len(taken.entries) + 1
        entry = Entry(number, task_id, str(file), file, run_id)
        taken.entries.append(entry)
        taken.runs.append(
            {
                "run_id": run_id,
                "agent": agent,
                "task_id": task_id,
                "submission": spreadsheet_path(os.path.relpath(file)),
                "attempt": sample.epoch,
                "time": sample.completed_at or log.eval.created,
                **_metadata(log.eval, sample, path),
            }
        )
        for scorer, score in (sample.scores or {}).items():
            value = score.value
            said = value if isinstance(value, (int, float)) else _cell(value)
            row = {"run_id": run_id, "task_id": task_id, "scorer": _cell(scorer), "value": said}
            taken.scores.append(row)
            if report := _report(score):
                where = f"{path}: sample {sample.id!r}, scorer {scorer!r}"
                task = {"task_id": task_id}
                taken.published.append((entry, published({**report, **task}, where, {})))


def _metadata(spec: Any, sample: Any, path: Path) -> JsonObject:
    """Return what a log knows of a run; older logs lack some of it."""
    tokens = [usage.total_tokens for usage in (sample.model_usage or {}).values()]
    return {
        "meta_model": spec.model,
        "meta_commit": spec.revision.commit if spec.revision else None,
        "meta_log": os.path.relpath(path),
        "meta_tokens": sum(tokens) if tokens else None,
        "meta_wall_time_s": sample.total_time,
    }


def _cell(value: Any) -> str:
    """Return what a scorer said as people may open it in a spreadsheet."""
    text = value if isinstance(value, str) else json.dumps(value)
    return spreadsheet_cell(text[:_MOST_SAID])


def _task_of(sample: Any, name: str) -> str:
    for key in ("task_id", "competition_id"):
        if isinstance(found := (sample.metadata or {}).get(key), str) and found:
            return found
    return sample.id if isinstance(sample.id, str) else name.rpartition("/")[2]


def _held(sample: Any) -> Iterator[Mapping[str, Any]]:
    yield sample.store or {}
    yield sample.metadata or {}
    for score in (sample.scores or {}).values():
        yield score.metadata or {}


def _submission(sample: Any, folder: Path) -> tuple[Path, str | None]:
    """Return a submission's file, and its text where the log holds that itself."""
    for held in _held(sample):
        for key, value in held.items():
            found = _SUBMISSION.fullmatch(key)
            if not found or not isinstance(value, str) or not value:
                continue
            if value.startswith(_ATTACHMENT):
                value = (sample.attachments or {}).get(value.removeprefix(_ATTACHMENT), "")
            if found[1] != "path":
                return Path(f"submission.{found[1]}"), value
            if (file := own_file(folder, value)) is not None:
                return file, None
    # A run without a submission counts as a run, so it gets a file that is not there.
    return folder / "no-submission.csv", None


def _report(score: Any) -> JsonObject | None:
    """Return the grading report that a scorer kept, whole or under `report`."""
    metadata = score.metadata or {}
    for held in (metadata, metadata.get("report")):
        if isinstance(held, dict) and {"gold_medal", "is_lower_better", "score"} <= held.keys():
            return held
    return None


def write_tables(taken: Taken, to: Path) -> tuple[Path, Path]:
    """Write the run table and the log's own scores.

    Parameters
    ----------
    taken : Taken
    to : Path
        Folder.

    Returns
    -------
    runs, scores : Path
    """
    to.mkdir(parents=True, exist_ok=True)
    runs, scores = to / "runs.csv", to / "scores.csv"
    _write(runs, RUN_COLUMNS, taken.runs)
    _write(scores, SCORE_COLUMNS, taken.scores)
    return runs, scores


def _write(path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(spreadsheet_row, rows))
