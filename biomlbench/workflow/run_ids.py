"""Ids of runs: what one may be, and that no two runs of a task share one."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from biomlbench.submission.cells import RowError
from biomlbench.submission.table_rows import shown

if TYPE_CHECKING:
    from biomlbench.workflow.runs import Run

__all__ = ["RUN_ID", "RunIds", "check_run_id"]

RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_MOST_REPEATS = 20
_ENDLESS = re.compile(rf"(.+)\1{{{_MOST_REPEATS - 1}}}\Z")
"""What Snakemake's detector of rules that make their own input stops the workflow for."""


def check_run_id(run_id: str) -> None:
    """Refuse what is no id of a run.

    Raises
    ------
    RowError
    """
    if not RUN_ID.fullmatch(run_id):
        raise RowError(
            f"run_id {shown(run_id)}: use up to 100 letters, digits, dots, dashes and "
            "underscores, with a letter or digit first"
        )
    if _ENDLESS.search(run_id):
        raise RowError(
            f"run_id {shown(run_id)}: its end repeats itself {_MOST_REPEATS} times, which "
            "Snakemake takes for a rule without end; shorten it"
        )


class RunIds:
    """The ids that the runs of the tables so far have.

    Parameters
    ----------
    ignore_case : bool
        Whether ids that differ only by upper and lower case are the same.

    Attributes
    ----------
    renamed : list of str
        What is to be said of runs whose table gives them the id of another table's run.
    """

    def __init__(self, *, ignore_case: bool = False) -> None:
        self.renamed: list[str] = []
        self._ignore_case = ignore_case
        self._seen: dict[tuple[str, str], tuple[Run, bool]] = {}
        self._numbers: Counter[tuple[str, str]] = Counter()

    def claim(self, run: Run, *, is_given: bool = True) -> str:
        """Return the id that a run has from now on.

        Parameters
        ----------
        run : Run
            With the id that it asks for.
        is_given : bool
            Whether its table gives the id; otherwise :meth:`numbered` did.

        Returns
        -------
        str
            That id; or, where a run of another table has it, that id with a number: whose table
            is read first must not decide whose run counts.

        Raises
        ------
        RowError
            If its own table gives the id twice, or another one has the very run.
        """
        key = self._key(run.task_id, run.run_id)
        if key not in self._seen:
            self._seen[key] = (run, is_given)
            return run.run_id
        other, was_given = self._seen[key]
        alike = f" as `{other.run_id}`, but for upper and lower case,"
        said = (
            f"run `{run.run_id}` of {run.task_id} is already"
            f"{alike if other.run_id != run.run_id else ''} at {other.source}; "
        )
        is_same_run = (other.agent, other.submission) == (run.agent, run.submission)
        if was_given if _table(other) == _table(run) else is_same_run:
            raise RowError(f"{said}give each run of a task its own run_id")
        run_id = self.numbered(run.task_id, run.run_id)
        self._seen[self._key(run.task_id, run_id)] = (run, False)
        self.renamed.append(f"{run.source}: {said}this one is called `{run_id}`")
        return run_id

    def numbered(self, task_id: str, name: str) -> str:
        """Return an id that no run of a task has yet: the published format names no runs."""
        name = re.sub(r"[^A-Za-z0-9._-]", "-", name).lstrip("._-")[:80]
        if not name or _ENDLESS.search(name):
            name = "group"
        while True:
            self._numbers[task_id, name] += 1
            count = self._numbers[task_id, name]
            run_id = name if count == 1 else f"{name}-{count}"
            if self._key(task_id, run_id) not in self._seen and not _ENDLESS.search(run_id):
                return run_id

    def _key(self, task_id: str, run_id: str) -> tuple[str, str]:
        return (task_id, run_id.lower() if self._ignore_case else run_id)


def _table(run: Run) -> str:
    return run.source.rpartition(":")[0]
