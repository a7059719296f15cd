"""Whether a task is calibrated, as far as it can be told without running a solution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.errors import TaskError
from biomlbench.runtime.once import once
from biomlbench.stages.bounded_judging import refusing_bounded
from biomlbench.verify import evidence

if TYPE_CHECKING:
    from biomlbench.task.registry import Task

__all__ = ["missing_evidence"]


def missing_evidence(task: Task) -> tuple[str, ...]:
    """Return which required evidence a task lacks; empty for a calibrated one.

    Parameters
    ----------
    task : Task
        Of either kind.

    Returns
    -------
    tuple of str
        Where its files are broken, which says so; where a prepared card's own checks refuse what
        its reference gives, which ones do.
    """
    return once(("evidence", task), lambda: _missing(task))


def _missing(task: Task) -> tuple[str, ...]:
    try:
        found = tuple(evidence.missing(task.folder))
    except TaskError as error:
        return (f"nothing can be shown: {error.message}",)
    return (*found, *filter(None, [_refusing(task)]))


def _refusing(task: Task) -> str:
    if not task.is_card:
        return ""
    try:
        return refusing_bounded(task)
    except TaskError:  # not prepared, which the stages themselves tell
        return ""
