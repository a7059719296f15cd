"""Files of tasks' own folders that hold what a private file of a task holds, so that it is told."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.errors import InvalidSubmissionError, TaskError
from biomlbench.submission.private_files import PrivateFiles
from biomlbench.task.registry import TwoFoldersError
from biomlbench.workflow.recorded_places import registry_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biomlbench.export._contents import Contents
    from biomlbench.reproduce.inputs import Inputs
    from biomlbench.task.task import Task

__all__ = ["private_copies", "private_files", "tasks_of"]


def private_files(inputs: Inputs) -> PrivateFiles:
    """Return the private files of all tasks that are not broken: a row may name any of them."""
    return PrivateFiles(*tasks_of(inputs))


def private_copies(contents: Contents, private: PrivateFiles) -> list[str]:
    """Return which files of an archive that come from the benchmark's folder are private ones.

    Parameters
    ----------
    contents : Contents
        Without submissions, which are refused if they are such files.
    private : PrivateFiles

    Returns
    -------
    list of str
        Names in the archive. They stay there, as the task may be prepared from them.
    """
    own = {
        name: contents.base / content
        for name, content in contents.files.items()
        if isinstance(content, Path) and not content.is_absolute()
    }
    alike = (name for name, path in own.items() if private.may_hold(path.lstat().st_size))
    return sorted(name for name in alike if _is_copy(contents.read(name), private))


def _is_copy(data: bytes, private: PrivateFiles) -> bool:
    try:
        private.refuse_content(data)
    except InvalidSubmissionError:
        return True
    return False


def tasks_of(inputs: Inputs) -> Iterator[Task]:
    """Yield the tasks that are not broken."""
    registry = registry_of(inputs.results, inputs.config)
    for task_id in registry.list_task_ids():
        try:
            task = registry.get_task(task_id)
            _ = task.answers, task.gold_submission
        except TwoFoldersError:
            if task_id in inputs.record["tasks"]:
                raise  # runs of it are taken along, and its answers are not known
            continue
        except TaskError:
            continue
        yield task
