"""Tasks by id, from the built-in folder and any folder of the user's own."""

from __future__ import annotations

import difflib
import logging
import os
import shlex
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.errors import NotPreparedError, TaskError
from biomlbench.outcomes import Reason
from biomlbench.runtime.user_cache import user_cache
from biomlbench.task.task import ALL_DOMAINS, TASK_ID, Task, slug
from biomlbench.task.task_folders import CONFIG, read_config, task_folders

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from biomlbench.suites.checkout import Checkout
    from biomlbench.suites.published import Published

__all__ = [
    "Registry",
    "Task",
    "TwoFoldersError",
    "cache_dir",
    "default_data_dir",
    "not_prepared",
    "prepare_command",
    "registry",
    "tasks_dir_of",
]

logger = logging.getLogger(__name__)

_MOST_MISSES = 1_000
"""Unknown names that are each looked for anew, and told what is like them."""
_LOOK_AGAIN_S = 1.0
"""Seconds after which the folders are read again for an unknown name, once there were more."""


class TwoFoldersError(TaskError):
    """Two folders have the id of a task, so that neither is it."""


def cache_dir() -> Path:
    """Return the folder of what is downloaded, and by default of the tasks' data.

    ``$BIOMLBENCH_CACHE_DIR``, else ``$XDG_CACHE_HOME/biomlbench``, else ``~/.cache/biomlbench``.
    """
    if own := os.environ.get("BIOMLBENCH_CACHE_DIR"):
        return Path(own).expanduser().absolute()
    return user_cache() / "biomlbench"


def default_data_dir() -> Path:
    """Return ``$BIOMLBENCH_DATA_DIR``, else the folder ``data`` of :func:`cache_dir`.

    It is the same for the API, the command line and the workflow.
    """
    declared = os.environ.get("BIOMLBENCH_DATA_DIR")
    return Path(declared).expanduser() if declared else cache_dir() / "data"


def prepare_command(task: Task) -> str:
    """Return the whole command line that prepares a task's data where they are looked for.

    Parameters
    ----------
    task : Task

    Returns
    -------
    str
        Quoted for a shell.
    """
    words = ["biomlbench", "prepare", task.id]
    if task.data_dir.absolute() != default_data_dir().absolute():
        words += ["--data-dir", str(task.data_dir)]
    if not task.folder.is_relative_to(Path(__file__).parents[1] / "tasks"):
        words += ["--tasks-dir", str(tasks_dir_of(task))]
    return shlex.join(words)


def not_prepared(task: Task, path: Path) -> NotPreparedError:
    """Return the error that says which file of a task's data is not there, and the remedy."""
    return NotPreparedError(
        f"{path}: not there yet; prepare the task's data first, with: {prepare_command(task)}"
    )


def tasks_dir_of(task: Task) -> Path:
    """Return a folder of tasks in which a task is found under its id."""
    for folder in (task.folder.parent.parent, task.folder):
        with suppress(TaskError, OSError):
            if any(
                found[0] == task.id and found[2] == task.folder for found in task_folders(folder)
            ):
                return folder
    return task.folder


class Registry:
    """Tasks by id.

    Parameters
    ----------
    tasks_dirs : iterable of path
        Folders with tasks beside the built-in ones, as ``<domain>/<name>/config.yaml`` or
        ``<name>/config.yaml`` (the domain is then the config's). A folder that is itself a
        task counts as well.
    data_dir : path, optional
        Where prepared data lie; by default :func:`default_data_dir`.

    Notes
    -----
    A task's id is ``domain/name``, taken from its folder. A bare ``name`` resolves as long
    as one task has it, as does the ``id`` that its config states. A task that cannot be had, as
    two folders have its id or the id may not be one, is listed all the same.
    """

    def __init__(
        self, tasks_dirs: Iterable[str | Path] = (), data_dir: str | Path | None = None
    ) -> None:
        if isinstance(tasks_dirs, (str, Path)):
            tasks_dirs = (tasks_dirs,)
        self._tasks_dirs = tuple(Path(folder).expanduser() for folder in tasks_dirs)
        self._data_dir = Path(data_dir).expanduser() if data_dir is not None else None
        self._index: dict[str, Path] | None = None
        self._misses, self._looked = 0, 0.0
        self._suites: dict[str, Checkout] = {}
        self._aliases: dict[str, list[str]] = {}
        self._twice: dict[str, tuple[Path, Path]] = {}
        self._tasks: dict[tuple[str, Path], tuple[tuple[int, int], Task]] = {}
        self._told: set[str] = set()

    @property
    def tasks_dirs(self) -> tuple[Path, ...]:
        """Folders with tasks beside the built-in ones."""
        return self._tasks_dirs

    def get_data_dir(self) -> Path:
        """Return where prepared data lie."""
        return self._data_dir if self._data_dir is not None else default_data_dir()

    def set_data_dir(self, new_data_dir: str | Path) -> Registry:
        """Return a registry of the same tasks with another data folder."""
        return type(self)(self._tasks_dirs, new_data_dir)

    def get_tasks_dir(self) -> Path:
        """Return the folder of the built-in tasks."""
        return Path(__file__).parents[1] / "tasks"

    def get_task(self, task_id: str) -> Task:
        """Return a task.

        Parameters
        ----------
        task_id : str
            ``domain/name``, or ``name`` where one task has it.

        Raises
        ------
        TaskError
            If no task or more than one has that name or id, the id has other characters than
            ids may have, the domain is called ``all``, or the config is broken. Other tasks can be
            had all the same.
        """
        found = self._resolve(str(task_id))
        folder = self._folders()[found]
        if two := self._twice.get(found):
            raise TwoFoldersError(
                f"two folders are the task {found}: {two[0]} and {two[1]}; rename one of them"
            )
        if not TASK_ID.fullmatch(found):
            raise TaskError(
                f"{folder}: the folders' names make the task id {found!r}; use letters, "
                "digits, dots, dashes and underscores, with a letter or digit first"
            )
        if found.startswith(f"{ALL_DOMAINS}/"):
            raise TaskError(
                f"{folder}: the task id is {found!r}, but in tables of results {ALL_DOMAINS!r} is "
                "all domains together; give the domain, the folder's name or `domain` in the "
                "config, another name",
                Reason.UNKNOWN_TASK,
            )
        config = folder / CONFIG
        try:
            state = config.stat()
        except OSError as error:
            raise TaskError(f"{config}: cannot be read ({error.strerror})") from error
        key, stamp = (found, self.get_data_dir()), (state.st_mtime_ns, state.st_size)
        cached = self._tasks.get(key)
        if cached is None or cached[0] != stamp:
            values = read_config(config)
            published = self._published(found, config.parent, values)
            task = Task(found, config.parent, self.get_data_dir(), values, published)
            cached = self._tasks[key] = (stamp, task)
        return cached[1]

    def full_id(self, task_id: str) -> str | None:
        """Return the full id of a task that may be named in short; None where no one task is.

        Parameters
        ----------
        task_id : str
        """
        try:
            return self._resolve(str(task_id))
        except TaskError:
            return None

    def _repr_html_(self) -> str:
        """Return the tasks as a table, for notebooks."""
        from biomlbench.notebook import html_table

        rows = []
        for name in self.list_task_ids():
            try:
                task = self.get_task(name)
                row = {"name": task.name, "kind": task.kind, "difficulty": task.difficulty}
            except TaskError as error:
                row = {"name": f"broken: {error}"}
            rows.append({"task": name, **row})
        return html_table(("task", "name", "kind", "difficulty"), rows)

    def list_task_ids(self) -> list[str]:
        """Return the ids of all tasks, sorted."""
        self._index = None
        return sorted(self._folders())

    def get_tasks_by_domain(self, domain: str) -> list[str]:
        """Return the ids of the tasks of a domain, sorted.

        Parameters
        ----------
        domain : str
            First part of the id, or the domain that the config states.
        """
        wanted = slug(domain)
        return self._select(
            lambda task: wanted in (task.domain, slug(str(task.config.get("domain") or "")))
        )

    def get_tasks_by_type(self, task_type: str) -> list[str]:
        """Return the ids of the tasks of a type, sorted."""
        return self._select(lambda task: slug(task.task_type) == slug(task_type))

    def get_tasks_by_difficulty(self, difficulty: str) -> list[str]:
        """Return the ids of the tasks of a difficulty, sorted."""
        return self._select(lambda task: task.difficulty == difficulty)

    def get_lite_task_ids(self) -> list[str]:
        """Return the ids of the easy tasks, sorted."""
        return self.get_tasks_by_difficulty("easy")

    def _select(self, wanted: Any) -> list[str]:
        found = []
        for task_id in self.list_task_ids():
            try:
                if wanted(self.get_task(task_id)):
                    found.append(task_id)
            except TaskError as error:
                # One broken folder of a suite must not hide the other tasks.
                if task_id not in self._suites:
                    raise
                logger.info("%s: %s", task_id, error)
        return found

    def _published(self, task_id: str, folder: Path, config: Mapping[str, Any]) -> Published | None:
        from biomlbench.suites.published import Published

        checkout = self._suites.get(task_id)
        if checkout is not None:
            return Published.of_checkout(checkout, task_id)
        if folder.is_relative_to(self.get_tasks_dir()):
            return None
        return Published.of_folder(folder, config)

    def _resolve(self, task_id: str) -> str:
        found = self._resolved(task_id)
        if "/" not in task_id and found.rpartition("/")[2] == task_id:
            alike = [name for name in self._suites if name.endswith(f"-{task_id}")]
            if alike and task_id not in self._told:
                self._told.add(task_id)
                logger.warning("%s is taken for %s; others: %s", task_id, found, ", ".join(alike))
        return found

    def _resolved(self, task_id: str) -> str:
        for fresh in (False, True):
            if fresh:
                self._look_again()
            if task_id in self._folders():
                return task_id
            candidates = self._aliases.get(task_id, [])
            if len(candidates) == 1:
                return candidates[0]
            if candidates:
                raise TaskError(
                    f"{task_id!r} is ambiguous: {', '.join(candidates)}; name one of them in full",
                    Reason.UNKNOWN_TASK,
                )
        near = self._near(task_id) if self._misses <= _MOST_MISSES else []
        hint = f"did you mean {' or '.join(near)}?" if near else "`biomlbench tasks` lists them"
        if not self._tasks_dirs:
            hint += "; for tasks of your own name their folder, --tasks-dir or config: `tasks_dirs`"
        raise TaskError(f"there is no task {task_id[:200]!r}; {hint}", Reason.UNKNOWN_TASK)

    def _look_again(self) -> None:
        """Have the folders read again: a task may have come. A list may name a million others."""
        self._misses += 1
        now = time.monotonic()
        if self._misses <= _MOST_MISSES or now - self._looked >= _LOOK_AGAIN_S:
            self._index, self._looked = None, now

    def _near(self, task_id: str) -> list[str]:
        """Return the names of tasks that are most like a wrong one, whatever their case."""
        names = {name.casefold(): name for name in (*self._folders(), *self._aliases)}
        like = difflib.get_close_matches(task_id[:200].casefold(), names, n=3)
        # A task's short name and its id are one task.
        ids = [name for key in like for name in self._aliases.get(names[key], [names[key]])]
        suites = [name for name in self._suites if name.endswith(f"-{task_id}")][:3]
        return list(dict.fromkeys([*suites, *ids]))

    def _folders(self) -> dict[str, Path]:
        # Read once: another thread may set it back meanwhile.
        index = self._index
        if index is None:
            index, twice = {}, dict[str, tuple[Path, Path]]()
            aliases: dict[str, list[str]] = {}
            for root in (self.get_tasks_dir(), *self._tasks_dirs):
                for task_id, names, folder in task_folders(root):
                    if (other := index.get(task_id)) and other.resolve() != folder.resolve():
                        twice.setdefault(task_id, (other, folder))
                    index[task_id] = folder
                    for name in names:
                        if task_id not in (known := aliases.setdefault(name, [])):
                            known.append(task_id)
            suites = self._add_suites(index, aliases)
            self._aliases, self._suites, self._twice = aliases, suites, twice
            self._index = index  # last: who finds it takes the others to be of it
        return index

    def _add_suites(
        self, index: dict[str, Path], aliases: dict[str, list[str]]
    ) -> dict[str, Checkout]:
        """Add the tasks of suites whose files are here; a folder named by the user comes first."""
        from biomlbench.suites.checkout import checkouts

        added = {}
        for checkout in checkouts():
            for task_id, folder in checkout.tasks():
                if task_id not in index:
                    index[task_id] = folder
                    added[task_id] = checkout
                    known = aliases.setdefault(folder.name, [])
                    if task_id not in known:
                        known.append(task_id)
        return added


registry = Registry()
