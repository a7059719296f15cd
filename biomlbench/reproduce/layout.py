"""A benchmark's inputs put into another folder, each at its own relative place."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.errors import InvalidSubmissionError, UserError
from biomlbench.reproduce.inputs import DATA, NotAgain, inside, tree
from biomlbench.stages.provenance import ABSENT
from biomlbench.submission.submitted_file import file_sha256, read_bytes
from biomlbench.task.adopted_data import MANIFEST
from biomlbench.workflow.table_rows import recorded_text

if TYPE_CHECKING:
    from biomlbench.reproduce.inputs import Inputs, Submission
    from biomlbench.workflow.config_keys import WorkflowConfig

__all__ = ["CONFIG", "ReproduceError", "lay_out"]

CONFIG = "config/config.yaml"
"""Where the workflow looks for its config, relative to the working directory."""
_OWN_FILES = "own-files"


class ReproduceError(UserError, RuntimeError):
    """A benchmark cannot be run again; the message says why and what to do."""


def lay_out(inputs: Inputs, into: Path, *, keep_data: bool = False) -> list[NotAgain]:
    """Put a benchmark's inputs into another folder, each at its own relative place.

    Parameters
    ----------
    inputs : Inputs
    into : Path
        Absent or empty.
    keep_data : bool
        Also copy the tasks' prepared data, not only the raw ones.

    Returns
    -------
    list of NotAgain
        What is gone or has changed.

    Raises
    ------
    ReproduceError
        If the folder holds something, or a run table is out of reach.
    """
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise ReproduceError(f"{into}: is not empty; name a folder that is not there yet")
    config = inputs.config
    config.pop("demo", None)  # its submissions are copied, not made again
    config.pop("results_dir", None)
    config.pop("notify", None)  # a command, and perhaps somebody else's
    # Submissions first: whatever their names are, they replace nothing of the benchmark's own.
    found = [_submission(inputs, submission, into) for submission in inputs.submissions()]
    runs = inputs.runs_of()
    missing = [NotAgain(path, runs.get(path, ()), why) for path, why in found if why]
    _run_tables(inputs, into)
    missing += _own_tasks(inputs, config, into)
    missing += _own_files(inputs, config, into)
    _data(inputs, config, into, keep_data=keep_data)
    for path in inputs.calibration():
        _copy(path, into / "results" / "calibration" / path.name)
    for task, path in inputs.audits().items():
        _copy(path, into / "results" / "audit" / task / path.name)
    _write(into / CONFIG, _yaml(config))
    return missing


def _run_tables(inputs: Inputs, into: Path) -> None:
    for path, text in inputs.record["run_tables"].items():
        if text is None:
            continue  # there was no such table then either
        if (name := inside(path)) is not None:
            _write_bytes(into / name, text.encode("utf-8", "surrogateescape"))
            continue
        if not (Path(path).is_absolute() and recorded_text(path) == text):
            raise ReproduceError(
                f"{path}: this run table lies outside the folder of the benchmark, and is gone or "
                "not what it was; put it, as `run_tables` in provenance.json has it, there again"
            )


def _submission(inputs: Inputs, submission: Submission, into: Path) -> tuple[str, str]:
    """Put a submission in its place; return its path, and why it is not what it was."""
    path = submission.path
    name = inside(path)
    if name is None:
        if Path(path).is_absolute() and file_sha256(path) == submission.sha256:
            return path, ""
        if submission.was == "missing":
            return path, ""
        return path, "lies outside the folder of the benchmark, and is not taken along"
    source, target = inputs.base / name, into / name
    if submission.was != "file":
        _stand_in(submission.was, target)
        return path, ""
    digest = file_sha256(source)
    if digest == ABSENT:
        return path, "the file is gone"
    try:
        data = read_bytes(source)
    except InvalidSubmissionError:
        # Too large to be graded: a file of the same size gets the same verdict.
        _hollow(target, source.stat().st_size)
    else:
        _write_bytes(target, data)
    changed = submission.sha256 is not None and digest != submission.sha256
    return path, "the file has changed since it was graded" if changed else ""


def _stand_in(was: str, target: Path) -> None:
    """Put something of the same kind where a submission was no regular file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() or target.is_symlink():
        return
    if was == "link":
        target.symlink_to("nowhere")
    elif was == "folder":
        target.mkdir()
    elif was == "other":
        os.mkfifo(target)


def _hollow(target: Path, size: int) -> None:
    _write_bytes(target, b"")
    os.truncate(target, size)


def _own_tasks(inputs: Inputs, config: WorkflowConfig, into: Path) -> list[NotAgain]:
    missing, folders = [], []
    for number, given in enumerate(inputs.tasks_dirs()):
        name = inside(given) or f"own-tasks/{number}"
        source, target = inputs.base / given, into / name
        target.mkdir(parents=True, exist_ok=True)
        folders.append(name)
        if not source.is_dir():
            missing.append(NotAgain(given, (), "the folder of tasks is gone"))
            continue
        for path in tree(source):
            _copy(path, target / path.relative_to(source))
        for environment in sorted(source.rglob("pyvenv.cfg")):
            place = environment.parent.relative_to(source)
            (target / place.parent).mkdir(parents=True, exist_ok=True)
            (target / place).symlink_to(environment.parent.resolve())
    config["tasks_dirs"] = folders
    return missing


def _own_files(inputs: Inputs, config: WorkflowConfig, into: Path) -> list[NotAgain]:
    missing, moved = [], {}
    for number, given in enumerate(inputs.files()):
        moved[given] = inside(given) or f"{_OWN_FILES}/{number}-{Path(given).name}"
        source = inputs.base / given
        if source.is_file():
            _copy(source, into / moved[given])
        else:
            missing.append(NotAgain(given, (), "the file is gone"))
    tasks = {task: changes.copy() for task, changes in config["tasks"].items()}
    for changes in tasks.values():
        if board := changes.get("leaderboard"):
            changes["leaderboard"] = moved[board]
    config["tasks"] = tasks
    if labels := config.get("calibration", {}).get("adjudications"):
        config["calibration"] = {**config["calibration"], "adjudications": moved[labels]}
    return missing


def _data(inputs: Inputs, config: WorkflowConfig, into: Path, *, keep_data: bool) -> None:
    """Copy raw data, which saves fetching them; prepared ones only where they are asked for."""
    source = inputs.data()
    config["data_dir"] = inside(config.get("data_dir") or DATA) or DATA
    for task in inputs.record["tasks"]:
        target = into / config["data_dir"] / task
        manifest = source / task / MANIFEST
        # Data that nobody prepared cannot be had again.
        for name in ("raw", "prepared") if keep_data or not manifest.is_file() else ("raw",):
            if (source / task / name).is_dir():
                for path in tree(source / task / name):
                    _copy(path, target / path.relative_to(source / task))
        if keep_data and manifest.is_file():
            _copy(manifest, target / MANIFEST)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _write(path: Path, text: str) -> None:
    _write_bytes(path, text.encode())


def _write_bytes(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _yaml(value: Any) -> str:
    import yaml

    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True)
