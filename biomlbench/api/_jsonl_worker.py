"""What a worker process of a batch does: grade a few lines, write their reports."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

from biomlbench.api.jsonl import Line, grade_line, write_report
from biomlbench.task.registry import Registry


def main(job: Any) -> None:
    """Grade the lines of a job; called by `biomlbench.runtime.pool`."""
    sys.path[:] = job.sys_path
    registry = _registry(tuple(job.tasks_dirs), job.data_dir)
    for values in job.lines:
        line = Line(*values)
        entry = grade_line(line, registry, Path(job.root), job.bootstrap, job.seed)
        write_report(job.out, line, entry)


@cache
def _registry(tasks_dirs: tuple[str, ...], data_dir: str) -> Registry:
    return Registry(tasks_dirs, data_dir)
