"""Whether a calibration is this benchmark's own, and whether it is of today's tasks and code.

A results folder may have been calibrated with another config: other settings, other runs with a
known label. What was measured then says nothing of this benchmark and does not count. One of this
config counts until it is measured again, also after a change of a task or of the code; which ones
are out of date is told.
"""

from __future__ import annotations

import hashlib
import logging
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from biomlbench.calibrate.labels import labelled
from biomlbench.calibrate.labels import read as read_labels
from biomlbench.errors import TaskError
from biomlbench.runtime.environment import digest
from biomlbench.stages import STAGES
from biomlbench.workflow.code_hash import code_hash

if TYPE_CHECKING:
    from collections.abc import Iterable

    from biomlbench.calibrate.settings import Settings
    from biomlbench.workflow.job import TaskJob
    from biomlbench.workflow.plan import Benchmark

__all__ = ["Measured", "code_of_controls", "found", "job_of", "measured"]


log = logging.getLogger(__name__)


class Measured(NamedTuple):
    """What a task's calibration depends on.

    Attributes
    ----------
    config : str
        Hash over settings, and the runs whose label is known.
    code : str
        Hash over the task's folder and the library's code.
    """

    config: str
    code: str


def code_of_controls(benchmark: Benchmark) -> str:
    """Return the hashes of the code that grades controls."""
    return "-".join([code_hash("biomlbench.calibrate.batch"), *map(benchmark.code, STAGES)])


def found(results: str | Path) -> str:
    """Return the hash of what the last calibration of a results folder found; empty for none."""
    path = Path(results) / "calibration" / "allowed_rates.parquet"
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def job_of(benchmark: Benchmark, task_id: str) -> TaskJob:
    """Return all that grading a control depends on: what executing and what verifying depend on.

    Parameters
    ----------
    benchmark : Benchmark
    task_id : str

    Returns
    -------
    dict
        As :meth:`Benchmark.task_job` returns it for one stage.
    """
    jobs = [benchmark.task_job(stage, task_id) for stage in ("verify", "execute")]
    contexts = [job["context"] for job in jobs]
    overrides = {**contexts[0]["overrides"], **contexts[1]["overrides"]}
    return {
        "context": {**contexts[0], **contexts[1], "overrides": overrides},
        "task": "-".join(job["task"] for job in jobs),
    }


def measured(
    benchmark: Benchmark, settings: Settings, task_ids: Iterable[str]
) -> dict[str, Measured]:
    """Return what the calibration of some tasks would depend on if it were made now.

    Parameters
    ----------
    benchmark : Benchmark
    settings : Settings
    task_ids : iterable of str

    Returns
    -------
    dict
        By task id; without tasks that are broken.
    """
    judged, unused = read_labels(settings.adjudications, benchmark.registry.full_id)
    for row in unused:
        _warn_once(f"left out: {row}")
    names = list(task_ids)
    runs = labelled(benchmark.runs.values(), judged, set(names))
    wanted = [settings.wanted, settings.inputs, settings.allowed]
    code = code_of_controls(benchmark)
    by_task = {}
    for name in names:
        try:
            job = job_of(benchmark, name)
        except TaskError:  # a broken task has nothing to calibrate; its own jobs tell what is wrong
            continue
        own = [run for run in runs if run.task_id == name]
        said = sorted(
            [*key, one.label, one.who, one.why] for key, one in judged.items() if key[0] == name
        )
        config = digest([job["context"], wanted, own, said])
        by_task[name] = Measured(config, digest([job["task"], code]))
    return by_task


@cache
def _warn_once(text: str) -> None:
    log.warning("%s", text)
