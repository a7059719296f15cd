"""Which pairs share a job: batches of predictions, recorded so that they stay as they are.

A pair that is finished is never moved: one that had a job of its own keeps its tables, one that
was done in a batch stays there, whatever `pairs_per_job` says later. Only pairs that nothing has
been done for are put into new batches.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict, cast

from biomlbench.contracts import ContractError
from biomlbench.runtime.json_lines import write_json
from biomlbench.stages.kinds import shares_jobs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from biomlbench.workflow.runs import Run

__all__ = [
    "AUTO",
    "RECORD",
    "SUSPECT",
    "Assignment",
    "Member",
    "Members",
    "batch_folder",
    "batch_size",
    "pair_folder",
]

RECORD = "batches.json"
"""The recorded assignment, in the folder of the results."""
SUSPECT = "at-work"
"""File in a batch's folder that names the runs whose turn it has been; the last is at work."""
_Key = tuple[str, str]


AUTO = "auto"
"""Value of `pairs_per_job` that lets :func:`batch_size` choose."""
FEW = 200
"""New pairs up to which each has jobs of its own, which a change then reruns alone. That takes ten
seconds: beside its work, 1 ms a stage and pair of predictions, a job costs about 10 ms."""
LEAST, MOST = 20, 200
"""Pairs of a batch: with fewer, jobs cost more than their work; with more, a change reruns many."""
BATCHES_A_CORE = 4
"""So many batches a core at least, so that all cores work until the end."""


class Member(TypedDict):
    """What is recorded of a run in a batch; `root` where it has one."""

    submission: str
    seed: int | None
    kind: str
    root: NotRequired[str]


_FIELDS: tuple[Literal["submission", "seed", "kind", "root"], ...]
_FIELDS = ("submission", "seed", "kind", "root")

Members = dict[str, Member]
"""The runs of a batch, by run id."""


def batch_size(pairs_per_job: int | str, n_new: int, cores: int) -> int:
    """Return how many pairs of a task share a job.

    Parameters
    ----------
    pairs_per_job : int or str
        The number that the config asks for, or :data:`AUTO`.
    n_new : int
        Pairs that may share jobs and for which nothing has been done yet.
    cores : int
        Jobs that run at a time.

    Returns
    -------
    int
        1: each has its own.

    Examples
    --------
    >>> batch_size("auto", 200, 2), batch_size("auto", 1000, 2), batch_size("auto", 1000, 32)
    (1, 125, 20)
    >>> batch_size("auto", 100_000, 2), batch_size(7, 100_000, 2)
    (200, 7)
    """
    if not isinstance(pairs_per_job, str):
        return pairs_per_job
    if n_new <= FEW:
        return 1
    return max(LEAST, min(MOST, math.ceil(n_new / (cores * BATCHES_A_CORE))))


def batch_folder(task: str, batch: str) -> str:
    """Return the folder of a batch's tables, relative to the results."""
    return f"batches/{task}/{batch}"


def pair_folder(task: str, run: str, batch: str | None = None) -> str:
    """Return the folder of a pair's tables, its own or its batch's, relative to the results."""
    return f"pairs/{task}/{run}" if batch is None else batch_folder(task, batch)


@dataclass
class Assignment:
    """Batches of pairs.

    Attributes
    ----------
    batches : dict of (str, str) to dict of str to dict
        By task id and batch id: submission, seed and kind by run id.
    alone : set of (str, str)
        Task and run id of pairs that made a batch fail: they get a job of their own.
    new : int
        How many of the batches have been put together by :meth:`extend`.
    """

    batches: dict[_Key, Members] = field(default_factory=dict)
    alone: set[_Key] = field(default_factory=set)
    new: int = 0

    @classmethod
    def read(cls, results: str | Path) -> Assignment:
        """Read the record of a results folder; an empty one where there is none.

        Raises
        ------
        biomlbench.contracts.ContractError
            If it is damaged.
        """
        path = Path(results) / RECORD
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            batches = {
                (task, batch): {run: _in_order(member) for run, member in members.items()}
                for task, of_task in record["batches"].items()
                for batch, members in of_task.items()
            }
            return cls(batches, {(task, run) for task, run in record["alone"]})
        except FileNotFoundError:
            return cls()
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ContractError(
                f"{path}: cannot be read ({type(error).__name__}: {error}); delete it, and the "
                "workflow plans all batches again"
            ) from error

    def write(self, results: str | Path) -> None:
        """Write the record, all or nothing; a results folder without batches gets none."""
        path = Path(results) / RECORD
        if not self.batches and not path.exists():
            return
        by_task: dict[str, dict[str, Members]] = {}
        for (task, batch), members in self.batches.items():
            by_task.setdefault(task, {})[batch] = members
        record = {"batches": by_task, "alone": sorted(self.alone)}
        write_json(path, record)

    def batch_of(self) -> dict[_Key, str]:
        """Return every pair's batch, by task and run id."""
        return {(task, run): batch for (task, batch), runs in self.batches.items() for run in runs}

    def extend(
        self,
        runs: Mapping[_Key, Run],
        pairs_per_job: int | str,
        results: str | Path,
        cores: int = 1,
    ) -> Assignment:
        """Return the assignment for a run of the workflow.

        Parameters
        ----------
        runs : mapping
            Configured runs, by task and run id.
        pairs_per_job : int or str
            Size of new batches, 1 for none; or :data:`AUTO`.
        results : path
        cores : int
            Jobs that run at a time.

        Returns
        -------
        Assignment
            Batches that have got somewhere stay. One whose job failed is given up: the pair
            whose turn it was gets a job of its own, the others come into new batches.
        """
        results = Path(results)
        kept, alone = {}, set(self.alone)
        for (task, batch), members in self.batches.items():
            folder = results / batch_folder(task, batch)
            there = set(os.listdir(folder)) if folder.is_dir() else set()
            if "medal.parquet" not in there and (suspect := _suspect(folder)):
                alone.add((task, suspect))
            elif any(name.endswith(".parquet") for name in there):
                kept[task, batch] = _renewed(task, members, runs)
        new = Assignment(dict(kept), alone)
        if pairs_per_job != 1:
            self._assign(new, runs, pairs_per_job, results, cores)
            new.new = len(new.batches) - len(kept)
        return new

    def _assign(
        self,
        new: Assignment,
        runs: Mapping[_Key, Run],
        pairs_per_job: int | str,
        results: Path,
        cores: int,
    ) -> None:
        taken = new.batch_of()
        waiting: dict[str, list[Run]] = {}
        for key, run in runs.items():
            if not shares_jobs(run.kind) or key in taken or key in new.alone:
                continue
            if not (results / pair_folder(run.task_id, run.run_id) / "medal.parquet").exists():
                waiting.setdefault(run.task_id, []).append(run)
        size = batch_size(pairs_per_job, sum(map(len, waiting.values())), cores)
        for task, of_task in waiting.items() if size > 1 else ():
            numbers = _numbers(task, (*self.batches, *new.batches), results)
            of_task.sort(key=lambda run: run.run_id)
            for first in range(0, len(of_task), size):
                members = of_task[first : first + size]
                batch = f"b{max(numbers) + 1 + first // size:05d}"
                new.batches[task, batch] = {run.run_id: _member(run) for run in members}


def _suspect(folder: Path) -> str | None:
    """Return the run whose turn it was when a batch's job ended before its end."""
    try:
        turns = (folder / SUSPECT).read_text(encoding="utf-8").split()
    except FileNotFoundError:
        return None
    return turns[-1] if turns else None


def _member(run: Run) -> Member:
    member: Member = {"submission": run.submission, "seed": run.seed, "kind": run.kind}
    if run.root is not None:
        member["root"] = run.root
    return member


def _in_order(member: Member) -> Member:
    """Return a recorded member as :func:`_member` makes it: Snakemake compares the keys' order."""
    return cast("Member", {name: member[name] for name in _FIELDS if name in member})


def _renewed(task: str, members: Members, runs: Mapping[_Key, Run]) -> Members:
    """Return a batch's members as configured now; one that left the config stays as it was."""
    renewed = {}
    for run_id, member in members.items():
        run = runs.get((task, run_id))
        renewed[run_id] = _member(run) if run and shares_jobs(run.kind) else member
    return renewed


def _numbers(task: str, batches: Iterable[_Key], results: Path) -> set[int]:
    """Return the numbers that batches of a task have had: none is used for two."""
    folder = results / "batches" / task
    names = {batch for of_task, batch in batches if of_task == task}
    names |= set(os.listdir(folder)) if folder.is_dir() else set()
    return {0, *(int(name[1:]) for name in names if name[1:].isdecimal())}
