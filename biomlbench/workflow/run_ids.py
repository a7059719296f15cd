"""Ids of runs: what one may be, and that no two runs of a task share one."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import TYPE_CHECKING

from biomlbench.submission.cells import RowError
from biomlbench.submission.table_rows import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from biomlbench.workflow.runs import Run

__all__ = ["RUN_ID", "RunIds", "check_run_id"]

RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_LONGEST = 91
"""Letters of an id to which a dash and a digest can be added."""
_NUMBER = re.compile(r"-[0-9]+\Z")
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
    groups : mapping of str to str
        What each list of runs is called, by its path. Its runs without an id are called so, with
        a number from the second on: no other list takes such an id, whichever is read first.

    Attributes
    ----------
    renamed : list of str
        What is to be said of runs whose table gives them the id of another table's run.
    """

    def __init__(
        self, *, ignore_case: bool = False, groups: Mapping[str, str] | None = None
    ) -> None:
        self.renamed: list[str] = []
        self._ignore_case = ignore_case
        self._seen: dict[tuple[str, str], tuple[Run, bool]] = {}
        self._numbers: Counter[tuple[str, str]] = Counter()
        self._bases = _told_apart(groups or {}, self._as_seen)
        self._owned = {self._as_seen(base) for base in self._bases.values()}

    def claim(self, run: Run, *, is_given: bool = True, group: str = "") -> str:
        """Return the id that a run has from now on.

        Parameters
        ----------
        run : Run
            With the id that it asks for.
        is_given : bool
            Whether its table gives the id; otherwise :meth:`default` did.
        group : str
            Path of the list that it is of; empty for a run of another table.

        Returns
        -------
        str
            That id; or, where a run of another table has it, that id with the agent: whose table
            is read first must not decide whose run counts, nor what other runs there are how it
            is called. Where it is one of another list's own, the next of its own list's.

        Raises
        ------
        RowError
            If its own table gives the id twice, or another one has the very run.
        """
        key = self._key(run.task_id, run.run_id)
        base = self._bases.get(group, "")
        if self._is_others(run.run_id, base):
            said = f"`{run.run_id}` is what runs of another list are called"
            return self._renamed(run, self._numbered(run.task_id, base, base), said)
        if key not in self._seen:
            self._seen[key] = (run, is_given)
            return run.run_id
        other, was_given = self._seen[key]
        alike = f" as `{other.run_id}`, but for upper and lower case,"
        said = (
            f"run `{run.run_id}` of {run.task_id} is already"
            f"{alike if other.run_id != run.run_id else ''} at {other.source}"
        )
        is_same_run = (other.agent, other.submission) == (run.agent, run.submission)
        if was_given if _table(other) == _table(run) else is_same_run:
            raise RowError(f"{said}; give each run of a task its own run_id")
        return self._renamed(run, self._with_agent(run, base), said)

    def default(self, task_id: str, group: str) -> str:
        """Return the id of a list's next run of a task: the published format names no runs.

        Parameters
        ----------
        task_id : str
        group : str
            Path of the list.
        """
        base = self._bases[group]
        return self._numbered(task_id, base, base)

    def _renamed(self, run: Run, run_id: str, said: str) -> str:
        self._seen[self._key(run.task_id, run_id)] = (run, False)
        self.renamed.append(f"{run.source}: {said}; this one is called `{run_id}`")
        return run_id

    def _with_agent(self, run: Run, base: str) -> str:
        """Return a run's id with its agent, and where another run is called so, with its table."""
        name = f"{run.run_id}-{_plain(run.agent)}"
        named = (name, f"{name[:_LONGEST]}-{_digest(_table(run), run.agent, run.stated)}")
        free = (run_id for run_id in named if self._is_free(run.task_id, run_id, base))
        return next(free, None) or self._numbered(run.task_id, _plain(run.run_id), base)

    def _numbered(self, task_id: str, name: str, base: str) -> str:
        """Return an id that no run of a task has yet, nor is one of another list's own."""
        while True:
            self._numbers[task_id, name] += 1
            count = self._numbers[task_id, name]
            run_id = name if count == 1 else f"{name}-{count}"
            if self._is_free(task_id, run_id, base):
                return run_id

    def _is_free(self, task_id: str, run_id: str, base: str) -> bool:
        """Tell whether an id may be one, and is no run's of a task, nor another list's own."""
        is_id = RUN_ID.fullmatch(run_id) and not _ENDLESS.search(run_id)
        is_taken = self._key(task_id, run_id) in self._seen or self._is_others(run_id, base)
        return bool(is_id) and not is_taken

    def _is_others(self, run_id: str, base: str) -> bool:
        """Tell whether an id that a list gives is one of another list's own."""
        if not base:
            return False
        found = self._as_seen(run_id)
        if found not in self._owned:
            found = _NUMBER.sub("", found)
        return found in self._owned and found != self._as_seen(base)

    def _key(self, task_id: str, run_id: str) -> tuple[str, str]:
        return (task_id, self._as_seen(run_id))

    def _as_seen(self, run_id: str) -> str:
        return run_id.lower() if self._ignore_case else run_id


def _plain(name: str) -> str:
    """Return a name as ids of runs begin with it."""
    name = re.sub(r"[^A-Za-z0-9._-]", "-", name).lstrip("._-")[:80]
    return "group" if not name or _ENDLESS.search(name) else name


def _told_apart(groups: Mapping[str, str], as_seen: Callable[[str], str]) -> dict[str, str]:
    """Return what ids of each list begin with: what is in other lists does not matter for it."""
    plain = {path: _plain(name) for path, name in groups.items()}
    taken: set[str] = set()
    found: dict[str, str] = {}
    for path, name in plain.items():
        # By its own path, not by how many others there are: one more group renames none.
        found[path] = f"{name}_{_digest(path)}" if as_seen(name) in taken else name
        taken.add(as_seen(name))
    return found


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _table(run: Run) -> str:
    return run.source.rpartition(":")[0]
