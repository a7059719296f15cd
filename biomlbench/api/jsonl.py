"""Grading of many submissions, line by line of a JSON Lines file."""

from __future__ import annotations

import json
import logging
import os
import re
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.api.grading import grade_submission
from biomlbench.errors import GraderError, TaskError, UserError
from biomlbench.outcomes import Reason, fault_of
from biomlbench.runtime.once import once, one_look
from biomlbench.runtime.regular_file import read_regular
from biomlbench.submission.cells import check_whole_numbers, integer_of, listed_submission, text_of
from biomlbench.submission.run_group import RunGroup, task_named
from biomlbench.submission.table_rows import json_rows_of
from biomlbench.whole_files import whole_file, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from biomlbench.contracts.mappings import AnyRow, JsonObject
    from biomlbench.task.registry import Registry

__all__ = [
    "Line",
    "error_of",
    "grade_here",
    "grade_line",
    "read_lines",
    "write_json",
    "write_report",
]

logger = logging.getLogger(__name__)

# Lines for which a task's files are looked for once; afterwards they may have changed.
_LINES_A_LOOK = 64


class Line(NamedTuple):
    """A line of the file.

    Attributes
    ----------
    number : int
        From 1.
    task_id, submission_path : str or None
    file : str
        Name of its individual report.
    fault : str
        Why it cannot be read; empty if it can.
    found : str
        Where the submission lies now, if not where `submission_path` says; else empty.
    seed : int
        What a program is given.
    """

    number: int
    task_id: str | None
    submission_path: str | None
    file: str
    fault: str = ""
    found: str = ""
    seed: int = 0


def read_lines(path: Path) -> list[Line]:
    """Read the lines of a JSON Lines file; a bad one is kept, with what is wrong with it.

    Parameters
    ----------
    path : Path

    Returns
    -------
    list of Line
        Each with a file name of its own: two runs of one task never share one.

    Raises
    ------
    OSError
        If there is no such file, or it is a pipe or a device.
    TooLargeError
        If it is larger than any list that is read.
    RunTableError
        If it is no text, or has too many lines.
    """
    lines: list[Line] = []
    names = _FreeNames()
    for number, entry, problem in json_rows_of(path, read_regular(path)):
        task_id, submission, fault, seed = _parse(entry, problem)
        stem = re.sub(r"[^A-Za-z0-9._-]", "_", task_id or f"line_{number}")[:120]
        lines.append(Line(number, task_id, submission, names.take(stem), fault, seed=seed))
    group = RunGroup(path.parent, [line.submission_path for line in lines])
    return [line._replace(found=_elsewhere(line.submission_path, group)) for line in lines]


class _FreeNames:
    """Names of files that no other line has, wherever capitals are the same as small letters."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._taken: set[str] = set()

    def take(self, stem: str) -> str:
        """Return a name for a line's report; the stem may end as the name of another one does."""
        low = stem.lower()
        while True:
            self._counts[low] += 1
            ending = "" if self._counts[low] == 1 else f"__{self._counts[low]}"
            if f"{low}{ending}" not in self._taken:
                self._taken.add(f"{low}{ending}")
                return f"{stem}{ending}.json"


def _elsewhere(stated: str | None, group: RunGroup) -> str:
    """Return where a submission lies, for the folder's root, if not where its path says."""
    if not stated or os.path.lexists(group.folder / stated):
        return ""
    found = group.submission(stated)
    if not os.path.lexists(found):
        return ""
    below = os.path.relpath(found, group.folder)
    return str(Path(found).absolute()) if below.startswith("..") else below


def _parse(entry: AnyRow, problem: str) -> tuple[str | None, str | None, str, int]:
    if problem:
        return None, None, f"the line cannot be used: {problem}", 0
    task_id = None
    try:
        task_id = text_of({"task_id": task_named(entry)}, "task_id")
        check_whole_numbers(entry)
        return task_id, listed_submission(entry), "", integer_of(entry, "seed") or 0
    except ValueError as error:
        return task_id, None, f"the line cannot be used: {error}", 0


def grade_line(line: Line, registry: Registry, root: Path, bootstrap: int, seed: int) -> JsonObject:
    """Grade one line.

    Parameters
    ----------
    line : Line
    registry : Registry
    root : Path
        Folder of the file.
    bootstrap, seed
        As for :func:`biomlbench.api.grading.grade_submission`.

    Returns
    -------
    dict
        A report as :meth:`TaskReport.to_dict` gives it, or an error: ``line``, ``task_id``,
        ``submission_path``, ``reason``, ``fault`` and ``message``.
    """
    if line.fault or line.task_id is None:
        return error_of(line, Reason.BAD_RUN_ROW, line.fault)
    try:
        task = once((id(registry), line.task_id), partial(registry.get_task, line.task_id))
        submission = line.found or line.submission_path or ""
        return grade_submission(
            submission, task, bootstrap=bootstrap, seed=seed, root=root, program_seed=line.seed
        ).to_dict()
    except (TaskError, GraderError) as error:
        return error_of(line, error.reason, error.message)
    except UserError as error:  # of the machine: it has no sandbox, for instance
        return error_of(line, Reason.STAGE_FAILED, str(error))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        logger.exception("line %d failed", line.number)
        return error_of(line, Reason.GRADER_ERROR, f"{type(error).__name__}: {error}")


def error_of(line: Line, reason: Reason, message: str) -> JsonObject:
    """Return the entry of a line that could not be graded."""
    return {
        "line": line.number,
        "task_id": line.task_id,
        "submission_path": line.submission_path,
        "reason": str(reason),
        "fault": str(fault_of(reason)),
        "message": message,
    }


def write_json(path: Path, value: Any) -> None:
    """Write JSON without NaN literals, an item a line, all or nothing."""
    with whole_file(path) as temporary:
        temporary.write_bytes(_as_json(value))


def write_report(folder: str, line: Line, entry: JsonObject) -> None:
    """Write a line's individual report."""
    write_whole(folder, line.file, _as_json(entry))


def _as_json(value: Any) -> bytes:
    # Asking for an indent would leave the encoder that is written in C.
    text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",\n", ": "))
    return f"{text}\n".encode("utf-8", "replace")


def grade_here(
    lines: Sequence[Line],
    registry: Registry,
    job: Mapping[str, Any],
    results: dict[int, JsonObject],
    advance: Callable[[int], None],
) -> None:
    """Grade lines one after another, in this process.

    Parameters
    ----------
    lines : sequence of Line
    registry : Registry
    job : mapping
        ``root``, ``out``, ``bootstrap`` and ``seed``.
    results : dict
        Line number to report; filled in.
    advance : callable
        Called with the number of lines done.
    """
    root = Path(job["root"])
    for start in range(0, len(lines), _LINES_A_LOOK):
        with one_look():
            for line in lines[start : start + _LINES_A_LOOK]:
                entry = grade_line(line, registry, root, job["bootstrap"], job["seed"])
                write_report(job["out"], line, entry)
                results[line.number] = entry
                advance(1)
