"""A suite's files on this machine: taken out of a git repository, and nothing of it run."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.task.sources.archives import locked

from .repository import BOARD, LFS, LFS_POINTER_BYTES, Repository
from .suite import SuiteError, find_suite, list_suites, selection, suites_home

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biomlbench.contracts.mappings import JsonObject

    from .suite import Suite

__all__ = ["Checkout", "checkouts", "get_suite_files", "is_pointer", "tasks_of"]

MANIFEST = "suite.json"
TREE, BOARDS = "tree", "boards"
# The sandbox's user is another one than ours.
_SEARCHABLE = 0o755


@dataclass(frozen=True)
class Checkout:
    """A suite's files.

    Attributes
    ----------
    suite : Suite
    folder : Path
    commit : str
        What was taken; another one than the suite's where the suite has moved on.
    python : Path or None
        Virtual environment for the suite's graders.
    """

    suite: Suite
    folder: Path
    commit: str
    python: Path | None = None

    @property
    def tree(self) -> Path:
        """The repository's files."""
        return self.folder / TREE

    def tasks(self) -> Iterator[tuple[str, Path]]:
        """Yield id and folder of every task, sorted."""
        root = self.tree / self.suite.tasks
        found = []
        for config in (*root.glob("*/config.yaml"), *root.glob("*/*/config.yaml")):
            path = config.parent.relative_to(root).as_posix()
            found.append((self.suite.full_id(path), config.parent))
        yield from sorted(found)

    def board(self, task_id: str) -> Path | None:
        """Return a task's leaderboard, or None."""
        path = self.suite.published_id(task_id)
        for place in (self.tree / self.suite.tasks, self.folder / BOARDS):
            board = place / path / BOARD
            if board.is_file() and not is_pointer(board):
                return board
        return None

    def board_is_pointer(self, task_id: str) -> bool:
        """Tell whether the leaderboard lies in large-file storage and was not fetched."""
        board = self.tree / self.suite.tasks / self.suite.published_id(task_id) / BOARD
        return board.is_file() and is_pointer(board)


def is_pointer(path: Path) -> bool:
    """Tell whether a file only names one in Git's large-file storage."""
    if path.stat().st_size > LFS_POINTER_BYTES:
        return False
    return path.read_bytes().startswith(LFS)


def checkouts() -> list[Checkout]:
    """Return the suites whose files are here, by name."""
    found = []
    for suite in list_suites(skip_wrong=True):
        folder = suites_home() / suite.name
        try:
            manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            python = manifest.get("python")
            found.append(
                Checkout(suite, folder, str(manifest["commit"]), Path(python) if python else None)
            )
        except (OSError, ValueError, KeyError, AttributeError):
            continue
    return found


def tasks_of(name: str) -> tuple[str, ...]:
    """Return the ids of the tasks of a suite or a selection whose files are here.

    Parameters
    ----------
    name : str

    Raises
    ------
    SuiteError
        If there is no such suite, its files are not here, or they lack a task.
    """
    suite = find_suite(name)
    here = next((one for one in checkouts() if one.suite.name == suite.name), None)
    if here is None:
        raise SuiteError(
            f"the suite {suite.name} is not here; run: biomlbench suite get {suite.name}"
        )
    known = [task_id for task_id, _ in here.tasks()]
    wanted = selection(name)
    if wanted is None:
        return tuple(known)
    if lost := sorted(set(wanted) - set(known)):
        raise SuiteError(f"{name}: the files of {suite.name} lack {', '.join(lost)}")
    return wanted


def get_suite_files(
    suite: Suite, source: str | Path | None = None, python: str | Path | None = None
) -> Checkout:
    """Fetch a suite's files at its commits.

    Parameters
    ----------
    suite : Suite
    source : path, optional
        A clone or mirror on this machine, instead of the suite's address. Files of large-file
        storage are taken from it where it has them.
    python : path, optional
        Virtual environment whose interpreter is to run the suite's graders; without it what was
        said before stays.

    Returns
    -------
    Checkout

    Raises
    ------
    SuiteError
        If the commit cannot be had, or there is no git.
    """
    home = suites_home()
    home.mkdir(parents=True, exist_ok=True)
    target = home / suite.name
    if python is not None and not (Path(python) / "pyvenv.cfg").is_file():
        raise SuiteError(
            f"{python}: is no virtual environment; make one with: python3 -m venv {python}"
        )
    with locked(home / f".{suite.name}.lock"), tempfile.TemporaryDirectory(dir=home) as scratch:
        made = Path(scratch) / "suite"
        made.mkdir()
        repository = Repository(Path(scratch), suite.address, source)
        left_out: list[str] = []
        repository.fetch(suite.commit)
        # The code that grades: the suite's package alone, not the agents and runs beside it.
        repository.write(suite.commit, suite.package, made / TREE, left_out)
        if not (made / TREE / suite.tasks).is_dir():
            repository.write(suite.commit, suite.tasks, made / TREE, left_out)
        for boards in suite.boards:
            repository.fetch(boards.commit)
            repository.write_boards(boards.commit, boards.tasks, made / BOARDS)
        before = next((c.python for c in checkouts() if c.suite.name == suite.name), None)
        chosen = Path(python).absolute() if python is not None else before
        manifest: JsonObject = {
            "suite": suite.name,
            "commit": suite.commit,
            "boards": [boards.commit for boards in suite.boards],
            "python": str(chosen) if chosen else None,
            "left_out": sorted(left_out),
        }
        (made / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
        for folder, _, _ in os.walk(made):
            Path(folder).chmod(_SEARCHABLE)
        if target.exists():
            target.rename(Path(scratch) / "old")
        made.rename(target)
    return Checkout(suite, target, suite.commit, chosen)
