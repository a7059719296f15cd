"""Leaderboards of built-in tasks: the zoo's models scored by the task's own metric."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from biomlbench.errors import TaskError
from biomlbench.outcomes import Fault

from .models import entries
from .problem import describe, fit_predict, load_problem

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from biomlbench.task.task import Task

__all__ = ["SEED", "make_leaderboard"]

logger = logging.getLogger(__name__)

#: Seed of every model on a leaderboard.
SEED = 0


def make_leaderboard(
    task: Task, progress: Callable[[int, int, str, float | None], None] | None = None
) -> pd.DataFrame:
    """Fit the zoo on a task's public training data and score it on the private answers.

    Parameters
    ----------
    task : Task
        Prepared, with a `baseline.py`.
    progress : callable, optional
        Called after each model with its number from 1, how many there are, its name and its
        score (None: it gave no valid submission, and has no place).

    Returns
    -------
    DataFrame
        Columns ``name``, ``model``, ``settings``, ``score``; best first. Entries whose settings
        have no room in the training data (eight components of three features) are left out.

    Raises
    ------
    TaskError
        If the task has no `baseline.py`, or its answers cannot be used.
    """
    import pandas as pd

    from biomlbench.scoring.score import score_submission

    problem = load_problem(task.folder, task.public_dir)
    zoo = [entry for entry in entries(problem.kind) if entry.suits(*problem.x_train.shape)]
    rows = []
    for number, entry in enumerate(zoo, start=1):
        submission = problem.submit(fit_predict(problem, entry, SEED))
        data = submission.to_csv(index=False, lineterminator="\n").encode()
        result = score_submission(data, task, name="submission.csv")
        if result.fault not in (Fault.NONE, Fault.SUBMISSION):
            raise TaskError(f"{task.id}: {entry.name} cannot be scored: {result.message}")
        if result.score is None:
            # a constant prediction has no rank to speak of, so it gets no place
            logger.info("%s: %s has no score: %s", task.id, entry.name, result.message)
        else:
            rows.append((entry.name, entry.model, describe(entry.settings), result.score))
        if progress is not None:
            progress(number, len(zoo), entry.name, result.score)
    board = pd.DataFrame(rows, columns=["name", "model", "settings", "score"])
    return board.sort_values(
        ["score", "name"], ascending=[task.is_lower_better, True], ignore_index=True
    )
