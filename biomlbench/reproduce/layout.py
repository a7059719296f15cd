"""A benchmark's inputs put into another folder, each at its own relative place."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.errors import InvalidSubmissionError, UserError
from biomlbench.reproduce.inputs import (
    DATA,
    ODD_NAME,
    NotAgain,
    environments,
    inside,
    leads_out,
    links_in_tasks,
    task_trees,
    tree,
)
from biomlbench.reproduce.left_out_rows import without_rows
from biomlbench.runtime.files import CONFIG
from biomlbench.runtime.json_lines import write_json
from biomlbench.stages.provenance import ABSENT
from biomlbench.submission.private_files import REFUSED
from biomlbench.submission.submitted_file import file_sha256, read_bytes
from biomlbench.submission.table_rows import recorded_text
from biomlbench.task.adopted_data import MANIFEST
from biomlbench.workflow.record import what_is

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import BinaryIO

    from biomlbench.reproduce.inputs import Inputs, Submission
    from biomlbench.workflow.config_keys import WorkflowConfig

__all__ = ["CONFIG", "ReproduceError", "lay_out"]

"""Where the workflow looks for its config, relative to the working directory."""
RESULTS = "results"
"""Where a rerun writes its results, whatever the config says."""
_OWN_FILES = "own-files"
_WRITTEN = (RESULTS, ".snakemake", _OWN_FILES)
"""What the rerun writes and reads: a file that somebody put there would count as its own."""
_A_LINK = "is a link in a folder of tasks, which is not followed; put the file itself there"
_TAKEN_OVER = "was refused as a private file of a task, and is again without a look at it"
_NOT_FREE = "its place is one of the benchmark's own files and folders, or another submission's"


class ReproduceError(UserError, RuntimeError):
    """A benchmark cannot be run again; the message says why and what to do."""


def lay_out(
    inputs: Inputs, into: Path, *, keep_data: bool = False, without: Collection[str] = ()
) -> list[NotAgain]:
    """Put a benchmark's inputs into another folder, each at its own relative place.

    Parameters
    ----------
    inputs : Inputs
    into : Path
        Absent or empty.
    keep_data : bool
        Also copy the tasks' prepared data, not only the raw ones.
    without : collection of str
        Rows of run tables, by table and line, that are left empty.

    Returns
    -------
    list of NotAgain
        What is gone or has changed.

    Raises
    ------
    ReproduceError
        If the folder holds something, a run table is out of reach or lies where the workflow
        writes, or something cannot be written.
    """
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise ReproduceError(f"{into}: is not empty; name a folder that is not there yet")
    config = inputs.config
    config.pop("demo", None)  # its submissions are copied, not made again
    config.pop("results_dir", None)
    config.pop("notify", None)  # a command, and perhaps somebody else's
    try:
        return _all_laid_out(inputs, config, into, keep_data=keep_data, without=without)
    except OSError as error:
        raise ReproduceError(f"{into}: the benchmark cannot be laid out there: {error}") from error


def _all_laid_out(
    inputs: Inputs, config: WorkflowConfig, into: Path, *, keep_data: bool, without: Collection[str]
) -> list[NotAgain]:
    # What is the benchmark's own first: whatever the submissions' names are, they lie beside it.
    _run_tables(inputs, into, frozenset(without))
    missing = _own_tasks(inputs, config, into)
    missing += _own_files(inputs, config, into)
    _data(inputs, config, into, keep_data=keep_data)
    refused = inputs.refused()
    for task, paths in refused.items():
        write_json(into / config["data_dir"] / task / REFUSED, paths)
    for path in inputs.calibration():
        _copy(path, into / RESULTS / "calibration" / path.name)
    for task, path in inputs.audits().items():
        _copy(path, into / RESULTS / "audit" / task / path.name)
    _write(into / CONFIG, _yaml(config))
    own = (*_WRITTEN, config["data_dir"], *config["tasks_dirs"])
    # Then files, and last what stands for a link or a pipe, which nothing is to be written to.
    ordered = sorted(inputs.submissions(), key=_is_no_file)
    found = [_placed(inputs, submission, into, own) for submission in ordered]
    runs = inputs.runs_of()
    taken_over = {path for paths in refused.values() for path in paths}
    return missing + [
        NotAgain(path, runs.get(path, ()), _TAKEN_OVER if path in taken_over else why)
        for path, why in found
        if why
    ]


def _run_tables(inputs: Inputs, into: Path, without: frozenset[str]) -> None:
    for path, text in inputs.record["run_tables"].items():
        if text is None:
            continue  # there was no such table then either
        if (name := inside(path)) is not None:
            if _is_among(name, (CONFIG, *_WRITTEN)):
                raise ReproduceError(f"{path!a}: no run table lies where the workflow writes")
            text = without_rows(path, text, without)
            _write_bytes(into / name, text.encode("utf-8", "surrogateescape"))
            continue
        if not (Path(path).is_absolute() and recorded_text(path) == text):
            raise ReproduceError(
                f"{path}: this run table lies outside the folder of the benchmark, and is gone or "
                "not what it was; put it, as `run_tables` in provenance.json has it, there again"
            )


def _placed(
    inputs: Inputs, submission: Submission, into: Path, own: tuple[str, ...]
) -> tuple[str, str]:
    """Put a submission in its place, where its path is not too long."""
    try:
        return _submission(inputs, submission, into, own)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        return submission.path, f"its path is too long below {into.absolute()}"


def _submission(
    inputs: Inputs, submission: Submission, into: Path, own: tuple[str, ...]
) -> tuple[str, str]:
    """Put a submission in its place; return its path, and why it is not what it was."""
    path = submission.path
    name = inside(path)
    if name is None:
        if Path(path).is_absolute() and file_sha256(path) == submission.sha256:
            return path, ""
        if submission.was == "missing":
            return path, ""
        return path, "lies outside the folder of the benchmark" if leads_out(path) else ODD_NAME
    if submission.was == "missing":
        return path, ""
    target = into / name
    if not _is_free(into, name, own):
        return path, "" if _is_there(submission, target, name, own) else _NOT_FREE
    target.parent.mkdir(parents=True, exist_ok=True)
    if submission.was != "file":
        _stand_in(submission.was, target)
        return path, ""
    source = inputs.base / inputs.place_of(submission, name)
    digest = file_sha256(source)
    if digest == ABSENT:
        return path, "the file is gone"
    try:
        data = read_bytes(source)
    except InvalidSubmissionError:
        # Too large to be graded: a file of the same size gets the same verdict.
        _write_bytes(target, b"")
        os.truncate(target, source.stat().st_size)
    else:
        _write_bytes(target, data)
    changed = submission.sha256 is not None and digest != submission.sha256
    return path, "the file has changed since it was graded" if changed else ""


def _is_among(name: str, own: Iterable[str]) -> bool:
    """Tell whether a path is one of some others, or lies above or below one."""
    return any(f"{name}/".startswith(f"{one}/") or one.startswith(f"{name}/") for one in own)


def _is_free(into: Path, name: str, own: Iterable[str]) -> bool:
    """Tell whether something may be put at a place: nothing is there, nor a link on the way."""
    if _is_among(name, own) or os.path.lexists(into / name):
        return False
    above = [into / folder for folder in Path(name).parents[:-1]]
    return all(what_is(folder) in ("folder", "missing") for folder in above)


def _is_there(submission: Submission, target: Path, name: str, own: Iterable[str]) -> bool:
    """Tell whether what is at a place is what the submission was, or will be."""
    if submission.was == "folder":
        return what_is(target) == "folder" or any(f"{one}/".startswith(f"{name}/") for one in own)
    same = submission.was == "file" and submission.sha256 in (None, file_sha256(target))
    return same and what_is(target) == "file"


def _is_no_file(submission: Submission) -> bool:
    return submission.was != "file"


def _stand_in(was: str, target: Path) -> None:
    """Put something of the same kind where a submission was no regular file."""
    if was == "link":
        target.symlink_to("nowhere")
    elif was == "folder":
        target.mkdir()
    elif was == "other":
        os.mkfifo(target)


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
        for place, real in task_trees(source):
            for path in tree(real):
                _copy(path, target / place / path.relative_to(real))
        for place, environment in environments(source):
            (target / place.parent).mkdir(parents=True, exist_ok=True)
            (target / place).symlink_to(environment)
        missing += [NotAgain(f"{given}/{link}", (), _A_LINK) for link in links_in_tasks(source)]
    config["tasks_dirs"] = folders
    return missing


def _own_files(inputs: Inputs, config: WorkflowConfig, into: Path) -> list[NotAgain]:
    missing, moved = [], {}
    for number, given in enumerate(inputs.files()):
        name = inside(given)
        if name is None or _is_among(name, (CONFIG, *_WRITTEN)):
            name = f"{_OWN_FILES}/{number}-{Path(given).name}"
        moved[given] = name
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
    config["data_dir"] = _place_of_data(inputs, config)
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


def _place_of_data(inputs: Inputs, config: WorkflowConfig) -> str:
    """Return a folder that nobody's files are in: where data are does not matter."""
    named = map(inside, (*inputs.record["run_tables"], *inputs.record["submissions"]))
    taken = {CONFIG, *_WRITTEN, *config["tasks_dirs"], *filter(None, named)}
    place, further = inside(config.get("data_dir") or DATA) or DATA, DATA
    while _is_among(place, taken):
        place, further = further, f"{further}_"
    return place


def _copy(source: Path, target: Path) -> None:
    with source.open("rb") as data, _made(target) as file:
        shutil.copyfileobj(data, file)


def _write(path: Path, text: str) -> None:
    _write_bytes(path, text.encode())


def _write_bytes(path: Path, data: bytes) -> None:
    with _made(path) as file:
        file.write(data)


def _made(path: Path) -> BinaryIO:
    """Open a file for writing that is new, or a regular one that was written before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return path.open("xb")
    except FileExistsError:
        if what_is(path) != "file":
            raise
        return path.open("wb")


def _yaml(value: Any) -> str:
    import yaml

    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True)
