"""Grading of a JSON Lines file as a whole: its lines, in one process or several, and the report."""

from __future__ import annotations

import logging
import operator
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.api.grading import aggregate_reports, check_numbers
from biomlbench.api.jsonl import grade_here, read_lines, write_json
from biomlbench.api.jsonl_workers import grade_in_processes
from biomlbench.runtime.progress_bars import bar
from biomlbench.scoring.task_report import TaskReport
from biomlbench.task.registry import Registry, registry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biomlbench.api.jsonl import Line
    from biomlbench.contracts.mappings import JsonObject

__all__ = ["grade_batch", "grade_jsonl"]

logger = logging.getLogger(__name__)


def grade_jsonl(
    path_to_submissions: str | Path,
    output_dir: str | Path,
    registry: Registry = registry,
    *,
    workers: int = 1,
    bootstrap: int = 0,
    seed: int = 0,
    progress: bool | None = None,
) -> tuple[Path, Path]:
    """Grade the submissions that a JSON Lines file lists.

    Parameters
    ----------
    path_to_submissions : path
        One object a line, with ``task_id`` (or ``competition_id``) and ``submission_path``, which
        is relative to the file's folder; null for a run that left none; and maybe ``seed``, which
        a program is given. A path of another
        machine is looked for below the file's folder. Empty lines and lines that start with
        ``#`` or ``//`` are skipped.
    output_dir : path
        Made with its parents, and tried before anything is graded.
    registry : Registry
        Where tasks are looked up.
    workers : int
        Most processes (or threads, for large submissions) to grade with. Grading functions of
        tasks' own, and what runs submitted code, are then in processes apart, so that one that
        crashes costs only its line.
    bootstrap, seed
        As for :func:`~biomlbench.api.grading.grade_submission`.
    progress : bool, optional
        Show a progress bar; by default where standard error is a terminal.

    Returns
    -------
    report_path : Path
        ``<time>_grading_report.json``: what
        :func:`~biomlbench.api.grading.aggregate_reports` gives, and under ``errors`` each line
        that could not be graded for a reason that is not its submission's (no such task, a
        grader that failed, no sandbox for code), with that reason.
    individual_dir : Path
        ``<time>_individual_reports``: one file a line, written as soon as it is graded.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If `bootstrap` or `seed` is no whole number from 0 on, or `workers` none from 1 on.

    Notes
    -----
    A bad line or file costs only itself. When interrupted, the report holds what was graded
    until then and says so, and the interruption goes on.
    """
    check_numbers(bootstrap, seed)
    return grade_batch(
        Path(path_to_submissions),
        Path(output_dir),
        registry,
        started=datetime.now(UTC),
        workers=workers,
        bootstrap=bootstrap,
        seed=seed,
        progress=progress,
    )


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
    """Grade the lines of a file; see :func:`grade_jsonl`.

    Parameters
    ----------
    started : datetime
        Names the report.
    """
    if not hasattr(workers, "__index__") or operator.index(workers) < 1:
        raise ValueError(f"workers: {workers!r} is no whole number from 1 on")
    workers = operator.index(workers)
    lines = read_lines(path)
    report_path, individual = _make_outputs(output_dir, started)
    results: dict[int, JsonObject] = {}
    job = {"root": str(path.parent), "bootstrap": bootstrap, "seed": seed, "out": str(individual)}
    interrupted = True
    shown = sys.stderr.isatty() if progress is None else progress
    try:
        with bar("grading submissions", len(lines), shown=shown) as graded:
            if workers > 1 and len(lines) > 1:
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
