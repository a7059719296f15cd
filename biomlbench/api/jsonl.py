"""Grading of many submissions, line by line of a JSON Lines file."""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.errors import GraderError, TaskError
from biomlbench.outcomes import Reason, fault_of
from biomlbench.runtime.once import once, one_look
from biomlbench.runtime.progress_bars import bar
from biomlbench.runtime.regular_file import read_regular
from biomlbench.submission.run_group import RunGroup, task_named

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.task.registry import Registry

__all__ = [
    "Line",
    "error_of",
    "grade_batch",
    "grade_here",
    "grade_line",
    "read_lines",
    "write_json",
]

logger = logging.getLogger(__name__)

#: Longest line that is read, characters.
MAX_LINE = 2**20
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
    """

    number: int
    task_id: str | None
    submission_path: str | None
    file: str
    fault: str = ""
    found: str = ""


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
    """
    lines: list[Line] = []
    taken: dict[str, int] = {}
    for number, raw in enumerate(read_regular(path).splitlines(), 1):
        if not raw.strip() or raw.lstrip().startswith((b"#", b"//")):
            continue
        task_id, submission, fault = _parse(raw)
        stem = re.sub(r"[^A-Za-z0-9._-]", "_", task_id or f"line_{number}")[:120]
        taken[stem.lower()] = count = taken.get(stem.lower(), 0) + 1
        name = f"{stem}.json" if count == 1 else f"{stem}__{count}.json"
        lines.append(Line(number, task_id, submission, name, fault))
    group = RunGroup(path.parent, [line.submission_path for line in lines])
    return [line._replace(found=_elsewhere(line.submission_path, group)) for line in lines]


def _elsewhere(stated: str | None, group: RunGroup) -> str:
    """Return where a submission lies, for the folder's root, if not where its path says."""
    if not stated or os.path.lexists(group.folder / stated):
        return ""
    found = group.submission(stated)
    if not os.path.lexists(found):
        return ""
    below = os.path.relpath(found, group.folder)
    return str(Path(found).absolute()) if below.startswith("..") else below


def _parse(raw: bytes) -> tuple[str | None, str | None, str]:
    if len(raw) > MAX_LINE:
        return None, None, f"the line is longer than {MAX_LINE} characters"
    try:
        entry = json.loads(raw)
    except (ValueError, RecursionError):
        return None, None, "the line is not valid JSON"
    if not isinstance(entry, dict):
        return None, None, "the line is not a JSON object"
    try:
        task_id, submission = task_named(entry), entry.get("submission_path")
    except ValueError as error:
        return None, None, str(error)
    if not isinstance(task_id, str) or not task_id:
        return None, None, "the line has no `task_id`"
    if "submission_path" not in entry or not isinstance(submission, (str, type(None))):
        return task_id, None, "the line has no `submission_path`"
    return task_id, submission, ""


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
    from biomlbench.api.grading import grade_submission

    if line.fault or line.task_id is None:
        return error_of(line, Reason.BAD_RUN_ROW, line.fault)
    try:
        task = once((id(registry), line.task_id), partial(registry.get_task, line.task_id))
        submission = line.found or line.submission_path or ""
        return grade_submission(
            submission, task, bootstrap=bootstrap, seed=seed, root=root
        ).to_dict()
    except (TaskError, GraderError) as error:
        return error_of(line, error.reason, error.message)
    except Exception as error:
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
    # Asking for an indent would leave the encoder that is written in C.
    text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",\n", ": "))
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text + "\n", encoding="utf-8", errors="replace")
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def grade_batch(
    path: Path,
    output_dir: Path,
    registry: Registry,
    *,
    started: datetime,
    workers: int = 1,
    bootstrap: int = 0,
    seed: int = 0,
    progress: bool | None = None,
) -> tuple[Path, Path]:
    """Grade the lines of a file; see :func:`biomlbench.api.grading.grade_jsonl`.

    Parameters
    ----------
    started : datetime
        Names the report.
    """
    if workers < 1:
        raise ValueError(f"workers is at least 1, not {workers}")
    lines = read_lines(path)
    report_path, individual = _make_outputs(output_dir, started)
    results: dict[int, JsonObject] = {}
    job = {"root": str(path.parent), "bootstrap": bootstrap, "seed": seed, "out": str(individual)}
    interrupted = True
    shown = sys.stderr.isatty() if progress is None else progress
    try:
        with bar("grading submissions", len(lines), shown=shown) as graded:
            if workers > 1 and len(lines) > 1:
                from biomlbench.api.jsonl_workers import grade_in_processes

                grade_in_processes(lines, registry, job, workers, results, graded.advance)
            else:
                grade_here(lines, registry, job, results, graded.advance)
        interrupted = False
    finally:
        _write_report(report_path, lines, results, interrupted)
    logger.info("graded %d line(s); report: %s", len(lines), report_path)
    return report_path, individual


def _make_outputs(output_dir: Path, started: datetime) -> tuple[Path, Path]:
    """Make the folder of individual reports under a name that no other grading has."""
    output_dir.mkdir(parents=True, exist_ok=True)
    stamp = started.strftime("%Y-%m-%dT%H-%M-%S-%Z")
    count = 1
    while True:
        name = stamp if count == 1 else f"{stamp}_{count}"
        individual = output_dir / f"{name}_individual_reports"
        report = output_dir / f"{name}_grading_report.json"
        try:
            individual.mkdir()
        except FileExistsError:
            count += 1
            continue
        if not report.exists():
            return report, individual
        individual.rmdir()
        count += 1


def _write_report(
    path: Path, lines: Sequence[Line], results: dict[int, JsonObject], interrupted: bool
) -> None:
    from biomlbench.api.grading import aggregate_reports
    from biomlbench.scoring.grader import TaskReport

    done = [results[line.number] for line in lines if line.number in results]
    errors = [entry for entry in done if "line" in entry]
    reports = [entry for entry in done if "line" not in entry]
    summary = aggregate_reports(TaskReport.from_dict(entry) for entry in reports)
    listed = summary.pop("task_reports")
    summary |= {
        "total_lines": len(lines),
        "total_errors": len(errors),
        "total_not_graded": len(lines) - len(done),
        "interrupted": interrupted,
        "task_reports": listed,
        "errors": errors,
    }
    write_json(path, summary)


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
    root, out = Path(job["root"]), Path(job["out"])
    for start in range(0, len(lines), _LINES_A_LOOK):
        with one_look():
            for line in lines[start : start + _LINES_A_LOOK]:
                entry = grade_line(line, registry, root, job["bootstrap"], job["seed"])
                write_json(out / line.file, entry)
                results[line.number] = entry
                advance(1)
