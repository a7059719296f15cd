"""What a benchmark was made from, as files: run tables, submissions, own tasks and their data.

Used to lay a benchmark out again, and to archive it. Submissions are hostile: only regular files
are taken, and a name that leads out of the benchmark's folder is never followed.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from biomlbench.contracts import read_table
from biomlbench.outcomes import Reason
from biomlbench.scoring.stored_audit import FILE as FINDINGS
from biomlbench.submission.submitted_file import file_sha256
from biomlbench.task.task_folders import task_folders
from biomlbench.workflow.record import what_is
from biomlbench.workflow.recorded_places import DATA, base_of, data_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biomlbench.workflow.config_keys import WorkflowConfig
    from biomlbench.workflow.record import Record

__all__ = [
    "APART",
    "DATA",
    "ODD_NAME",
    "Inputs",
    "NotAgain",
    "Submission",
    "environments",
    "inside",
    "leads_out",
    "links_in_tasks",
    "not_in_tree",
    "place_apart",
    "task_trees",
    "tree",
]

APART = "submissions-apart"
"""Folder of an archive for the submissions whose own names the archive needs itself."""
ODD_NAME = "has a backslash or a control character in its name, with which no file is taken along"
"""Why a file below the benchmark's folder has no name as :func:`inside` gives it."""
_ENVIRONMENT = "pyvenv.cfg"
"""What only a virtual environment's folder has."""
_TREE = ("__pycache__", ".git", ".snakemake")
_UNPRINTABLE = {chr(n) for n in range(32)} | {"\x7f", "\\"}


class NotAgain(NamedTuple):
    """Something that cannot be run again as it was.

    Attributes
    ----------
    path : str
        Of the submission or folder, as the benchmark names it.
    runs : tuple of str
        The runs that this concerns, as ``task run``.
    why : str
    """

    path: str
    runs: tuple[str, ...]
    why: str


class Submission(NamedTuple):
    """A submission as it was graded.

    Attributes
    ----------
    path : str
        As the run table gives it.
    sha256 : str or None
        Its hash then; ``absent`` where it was no readable file, None where it was not graded.
    was : str
        ``file``, ``missing``, ``link``, ``folder`` or ``other``.
    """

    path: str
    sha256: str | None
    was: str


def inside(path: str | Path) -> str | None:
    """Return a path relative to the benchmark's folder in its plainest form.

    Parameters
    ----------
    path : path

    Returns
    -------
    str or None
        None for one that is absolute, leads out, or has characters that a name should not have.

    Examples
    --------
    >>> inside("runs/./a.csv"), inside("runs/../../a.csv"), inside("/a.csv")
    ('runs/a.csv', None, None)
    """
    text = os.path.normpath(str(path))
    if leads_out(text) or text == "." or _UNPRINTABLE & set(text):
        return None
    try:
        text.encode()
    except UnicodeEncodeError:
        return None
    return text


def leads_out(path: str | Path) -> bool:
    """Tell whether a path is absolute, or leads out of the folder that it is relative to."""
    text = os.path.normpath(str(path))
    return Path(text).is_absolute() or text.split("/")[0] == ".."


def place_apart(name: str) -> str:
    """Return the place in an archive of a submission whose own name is not free there."""
    return f"{APART}/{hashlib.sha256(name.encode()).hexdigest()}"


@dataclass(frozen=True)
class Inputs:
    """The inputs of a benchmark that was run.

    Attributes
    ----------
    record : mapping
        Its provenance (:mod:`biomlbench.workflow.record`).
    results : Path
        Its results; what it was made from lies beside them, where it lies inside.
    """

    record: Record
    results: Path

    @property
    def base(self) -> Path:
        """Folder that the config's paths are relative to."""
        return base_of(self.results, self.config)

    @property
    def config(self) -> WorkflowConfig:
        """The recorded config."""
        return self.record["config"].copy()

    def submissions(self) -> Iterator[Submission]:
        """Yield the submissions, sorted by path."""
        for path, state in sorted(self.record["submissions"].items()):
            yield Submission(path, state["sha256"], state["is"])

    def place_of(self, submission: Submission, name: str) -> str:
        """Return where a submission lies: at its own place or, in an archive, maybe apart.

        Parameters
        ----------
        submission : Submission
        name : str
            Its path as :func:`inside` gives it.
        """
        apart = place_apart(name)
        if what_is(self.base / apart) != "file":
            return name
        return name if file_sha256(self.base / name) == submission.sha256 else apart

    def runs_of(self) -> dict[str, tuple[str, ...]]:
        """Return which runs a submission is of, by its path."""
        columns = ["submission", "task_id", "run_id", "kind"]
        found: dict[str, list[str]] = {}
        for row in read_table("pairs", self.results / "pairs.parquet", columns).to_pylist():
            if row["kind"]:  # none: a bad line of a run table
                found.setdefault(row["submission"], []).append(f"{row['task_id']} {row['run_id']}")
        return {path: tuple(runs) for path, runs in found.items()}

    def refused(self) -> dict[str, dict[str, str]]:
        """Return which submissions were refused as private files, and the message, by task."""
        columns = ["task_id", "submission", "reason", "message"]
        found: dict[str, dict[str, str]] = {}
        for row in read_table("pairs", self.results / "pairs.parquet", columns).to_pylist():
            if row["reason"] == Reason.PRIVATE_FILE and row["task_id"] in self.record["tasks"]:
                found.setdefault(row["task_id"], {})[row["submission"]] = row["message"]
        return found

    def files(self) -> list[str]:
        """Return single files that the config names: leaderboards, adjudications."""
        named = [changes.get("leaderboard") for changes in self.config["tasks"].values()]
        named.append(self.config.get("calibration", {}).get("adjudications"))
        return sorted({path for path in named if path})

    def tasks_dirs(self) -> list[str]:
        """Return the folders of own tasks."""
        return list(self.config["tasks_dirs"])

    def audits(self) -> dict[str, Path]:
        """Return the findings of the tasks' audits, which medals depend on, by task."""
        found = {task: self.results / "audit" / task / FINDINGS for task in self.record["tasks"]}
        return {task: path for task, path in found.items() if path.is_file()}

    def calibration(self) -> list[Path]:
        """Return the tables of the calibration, which say which tasks may be trusted."""
        return sorted((self.results / "calibration").glob("*.parquet"))

    def data(self) -> Path:
        """Return the folder of the tasks' data, as configured or as archives have it."""
        return data_of(self.base, self.config)


def task_trees(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Yield a folder of tasks, and those in it that are links: place in it, and where each lies.

    As the registry does: links to a folder of tasks, to those of a domain and to a task are
    followed, and no link within a task.

    Parameters
    ----------
    folder : path
    """
    yield Path(), folder.resolve()
    found = [task for _, _, task in task_folders(folder)] if folder.is_dir() else []
    links = {
        path
        for task in found
        for path in (task.parent, task)
        if folder in path.parents and path.is_symlink()
    }
    for path in sorted(links, key=lambda path: (len(path.parts), path)):
        yield path.relative_to(folder), path.resolve()


def links_in_tasks(folder: Path) -> Iterator[str]:
    """Yield the places of links in a folder of tasks that are not followed; see :func:`task_trees`.

    Links to virtual environments, which are none of a task's own files, are not among them.
    """
    trees = list(task_trees(folder))
    followed = {place for place, _ in trees}
    for place, real in trees:
        for path in not_in_tree(real):
            here = place / path.relative_to(real)
            if path.is_symlink() and here not in followed and not (path / _ENVIRONMENT).exists():
                yield here.as_posix()


def environments(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the virtual environments in a folder of tasks: place in it, and where each lies."""
    for place, real in task_trees(folder):
        for path in not_in_tree(real):
            if (path / _ENVIRONMENT).exists():
                yield place / path.relative_to(real), path.resolve()


def tree(folder: Path) -> Iterator[Path]:
    """Yield the regular files below a folder, sorted; no links, caches or environments."""
    for path in _walk(folder):
        if path.is_file() and not path.is_symlink():
            yield path


def not_in_tree(folder: Path) -> Iterator[Path]:
    """Yield the links and virtual environments below a folder, sorted."""
    for path in _walk(folder):
        if path.is_symlink() or path.is_dir():
            yield path


def _walk(folder: Path) -> Iterator[Path]:
    """Yield what is below a folder, sorted; of folders only environments, as a whole."""
    for path in sorted(folder.iterdir()):
        if path.name in _TREE:
            continue
        if path.is_dir() and not path.is_symlink() and not (path / _ENVIRONMENT).exists():
            yield from _walk(path)
        else:
            yield path
