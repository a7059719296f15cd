"""What an audit depends on, and what of it has changed since."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.runtime.environment import digest
from biomlbench.submission.public_tables import public_files
from biomlbench.task.version import file_hash, task_version

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from biomlbench.task.task import Task

__all__ = ["changed", "made_of"]

MOST_HASHED = 200
"""Files in folders of public or private data whose content counts: no more tables are searched for
answers, and folders of images have tens of thousands."""
_PACKAGE = Path(__file__).resolve().parents[1]
#: What looks at tables of predictions, and what looks at problem cards: files below the package,
#: named and not imported, as an audit is made above what its findings are used for.
_OF_TABLES = ("audit/detectors/*.py", "audit/subject.py", "audit/doors.py",
              "audit/prediction_values.py", "audit/public_*.py")  # fmt: skip
_OF_CARDS = ("audit/card_findings.py", "calibrate/card_audit.py", "calibrate/controls.py",
             "calibrate/_*.py", "calibrate/mutants.py", "calibrate/operators.py",
             "calibrate/numerical.py", "calibrate/held_out.py", "calibrate/agreement.py",
             "calibrate/batch.py", "verify/stock.py")  # fmt: skip
_CHECKS = ("verify/*.py", "verify/modes/*.py")
_METRICS = ("metrics/*.py", "structures/*.py")


def made_of(task: Task) -> dict[str, str]:
    """Return hashes of what an audit of a task depends on.

    Parameters
    ----------
    task : Task

    Returns
    -------
    dict of str to str
        ``task``: all files of its folder, leaderboard, grader and waivers among them; ``data``:
        the files of its public and its private folder, of those in further folders beyond
        :data:`MOST_HASHED` only names and sizes; ``grader``: what of this
        package scores it, empty where a function of its own folder does; ``detectors``: what
        looks for findings.
    """
    card = task.is_card
    return {
        "task": task_version(task),
        # What is prepared of a card follows from its folder.
        "data": "" if card else digest(list(_data(task))),
        "grader": _sources(_CHECKS if card else _METRICS) if card or task.metric else "",
        "detectors": _sources(_OF_CARDS if card else _OF_TABLES),
    }


def changed(then: Mapping[str, str], task: Task) -> tuple[str, ...]:
    """Return what has changed since an audit was made, by the names of :func:`made_of`."""
    return tuple(name for name, now in made_of(task).items() if then.get(name) != now)


def _data(task: Task) -> Iterator[tuple[str, str]]:
    for folder in (task.public_dir, task.private_dir):
        files = public_files(folder) if folder.is_dir() else []
        is_few = sum(path.parent != folder for path in files) <= MOST_HASHED
        for path in files:
            is_read = path.parent == folder or is_few
            found = file_hash(path) if is_read else str(path.stat().st_size)
            yield f"{folder.name}/{path.relative_to(folder).as_posix()}", found


@cache
def _sources(patterns: tuple[str, ...]) -> str:
    paths = sorted(path for pattern in patterns for path in _PACKAGE.glob(pattern))
    return digest([(path.relative_to(_PACKAGE).as_posix(), file_hash(path)) for path in paths])
