"""A problem card with its plan and its oracle, loaded once a process."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from biomlbench.errors import NotPreparedError, TaskError
from biomlbench.outcomes import Reason
from biomlbench.task.registry import prepare_command
from biomlbench.verify import card, oracle
from biomlbench.verify.candidate import for_candidate

if TYPE_CHECKING:
    from pathlib import Path

    from biomlbench.task.registry import Task
    from biomlbench.verify import Plan
    from biomlbench.verify.candidate import Own

__all__ = ["LoadedCard", "load_card", "loaded_from", "oracle_path"]

_KEPT = 64


class LoadedCard(NamedTuple):
    """A card, every call that the sandbox makes for it, and what the reference gives."""

    card: card.Card
    plan: Plan
    oracle: oracle.Oracle

    def with_own(self, own: Own) -> LoadedCard:
        """Return the card with the cases that are made for one candidate.

        Parameters
        ----------
        own : Own
        """
        return LoadedCard(self.card, *for_candidate(*self, own))


def oracle_path(task: Task) -> Path:
    """Return where a card's oracle is kept."""
    return task.private_dir / "oracle.bin"


def load_card(task: Task) -> LoadedCard:
    """Load a prepared card.

    Parameters
    ----------
    task : Task
        Of kind ``functions``.

    Returns
    -------
    LoadedCard

    Raises
    ------
    TaskError
        If the card is broken, is not prepared, or was prepared from another state.
    """
    try:
        return loaded_from(task.folder, oracle_path(task))
    except TaskError as error:
        if error.reason != Reason.NOT_PREPARED:
            raise
        raise NotPreparedError(f"{error}, with: {prepare_command(task)}") from error


def loaded_from(folder: Path, path: Path) -> LoadedCard:
    """Load the card of a folder, with its oracle from a file, once a process.

    Raises
    ------
    TaskError
        As for :func:`load_card`.
    """
    return _load(folder, path, _stamp(path))


def _stamp(path: Path) -> int:
    return path.stat().st_mtime_ns if path.exists() else 0


@lru_cache(maxsize=_KEPT)
def _load(folder: Path, path: Path, stamp: int) -> LoadedCard:
    problem = card.load(folder)
    # before the plan, which may take many seconds
    reference = oracle.load(path)
    plan = problem.plan()
    if not reference.belongs_to(problem, plan):
        raise TaskError(
            f"{path}: made for another state of {folder}; prepare the task again", "not_prepared"
        )
    return LoadedCard(problem, plan, reference)
