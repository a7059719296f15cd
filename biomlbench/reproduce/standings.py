"""Two results folders side by side: ranks, medals, verdicts and scores that changed, and why.

Rerunning one benchmark must give equal tables, which :mod:`biomlbench.reproduce.compare` checks
cell by cell. Here the two may well differ, and the question is what of it shows, and what made it.
Nothing but the tables over all pairs is read, so that exported tables will do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from biomlbench.contracts import RUN_METADATA
from biomlbench.outcomes import Fault
from biomlbench.report.agent_order import in_order, places
from biomlbench.report.inputs import Tables
from biomlbench.reproduce.reasons import OF_RUN_TABLE, OTHERS, UNEXPLAINED, changed_words
from biomlbench.scoring.medals import THRESHOLDS
from biomlbench.stages.provenance import COLUMNS
from biomlbench.summary.agents import METADATA
from biomlbench.summary.history import KEPT, emptied_in
from biomlbench.summary.made_tables import require

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping
    from pathlib import Path

    from biomlbench.contracts.mappings import AnyRow

__all__ = ["Standings", "standings"]

SHOWN = (
    *("agent", "score", "leaderboard_percentile", "leaderboard_position"),
    *("medal", "verified_medal", "verdict", "reason", "above_median", "beats_human"),
    *("p_gold", "p_silver", "p_bronze", "p_above_median"),
    *(field.name for field in RUN_METADATA if field.name != "meta_note"),
)
"""Columns of a pair that count as changed, in the order in which they are told."""
OF_AGENTS = (
    *("verified_medal_rate", "any_medal_rate", "pass_rate", "leaderboard_percentile"),
    *METADATA,
)
OF_TASKS = (
    *("metric", "direction", "verifier", "calibrated"),
    *THRESHOLDS,
)
NEW, GONE, CHANGED = "new", "gone", "changed"
RUNS = "runs"
"""Followed by what became of them: an agent's rates follow from runs that are new or gone."""
_NOT_OF_TASKS = frozenset({"run table", "submission", OTHERS})
"""Reasons that change a pair, and nothing of a task that both have."""
_NAMED = 3
UNRECORDED = "one of the two does not say what it was made from"
# Why a row of `pairs` has no provenance, by whose fault it is.
_WITHOUT_RECORD = {
    str(Fault.INFRASTRUCTURE): "stage failed",
    str(Fault.TASK): "stage failed",
    str(Fault.RUN_TABLE): "run table",
}


class Both(TypedDict):
    """A value then and now, as JSON has it."""

    old: Any
    new: Any


class Entry(TypedDict):
    """What changed of something, and why; `state` is ``new``, ``gone`` or ``changed``."""

    state: str
    changes: dict[str, Both]
    why: list[str]


class AgentEntry(Entry):
    """What changed of an agent."""

    agent: str


class TaskEntry(Entry):
    """What changed of a task."""

    task_id: str


class _Names(TypedDict):
    task_id: str
    run_id: str
    agent: str


class PairEntry(_Names, Entry):
    """What changed of a pair."""


@dataclass
class Standings:
    """What changed from one results folder to another.

    Attributes
    ----------
    agents : list of dict
        Each with `agent`, `state` (``new``, ``gone``, ``changed``), `changes` (old and new value
        by column, the place among them) and `why`.
    tasks : list of dict
        Likewise, with `task_id`.
    pairs : list of dict
        Likewise, with `task_id`, `run_id` and `agent`.
    same : int
        Pairs that both have and in which nothing that counts changed.
    anew : int
        Those of them that were made from something else all the same.
    anew_why : dict
        From what was not the same to how many of those it applies to.
    """

    agents: list[AgentEntry] = field(default_factory=list)
    tasks: list[TaskEntry] = field(default_factory=list)
    pairs: list[PairEntry] = field(default_factory=list)
    same: int = 0
    anew: int = 0
    anew_why: dict[str, int] = field(default_factory=dict)

    @property
    def equal(self) -> bool:
        """Whether nothing changed."""
        return not (self.agents or self.tasks or self.pairs)


def standings(old: str | Path, new: str | Path) -> Standings:
    """Compare two results folders.

    Parameters
    ----------
    old, new : path
        Each with its tables of pairs, agents and tasks.

    Returns
    -------
    Standings
        Sorted by task and run, and agents by their new place.

    Raises
    ------
    biomlbench.contracts.ContractError
        If a table is missing or cannot be read.
    """
    sides = [_whole(folder) for folder in (old, new)]
    # what one of the two has not kept tells no change
    lost = emptied_in(old) | emptied_in(new)
    found = Standings()
    # Of a task everything counts that its pairs were made from, whether or not it shows in them.
    by_task: dict[str, dict[str, None]] = {}
    pairs = [_by_key(side.pairs.to_dict("records"), "task_id", "run_id") for side in sides]
    for key in sorted({*pairs[0], *pairs[1]}):
        one, other = (side.get(key) for side in pairs)
        names: _Names = {
            "task_id": key[0],
            "run_id": key[1],
            "agent": (other or one or {})["agent"],
        }
        changes = _changes(one, other, [name for name in SHOWN if name not in lost])
        if one is None or other is None:
            found.pairs.append({**names, **_entry(one, other, changes, ["run table"])})
            continue
        why = _why(one, other, lost)
        by_task.setdefault(key[0], {}).update(dict.fromkeys(why))
        if changes:
            found.pairs.append({**names, **_entry(one, other, changes, why or [UNEXPLAINED])})
        else:
            found.same += 1
            found.anew += bool(why)
            for word in why:
                found.anew_why[word] = found.anew_why.get(word, 0) + 1
    tasks = [_tasks(side) for side in sides]
    for task in sorted({*tasks[0], *tasks[1]}):
        one, other = (side.get(task) for side in tasks)
        changes = _changes(one, other, OF_TASKS)
        if changes or one is None or other is None:
            words = [word for word in by_task.get(task, {}) if word not in _NOT_OF_TASKS]
            why = words or [UNEXPLAINED] if one and other else ["run table"]
            found.tasks.append({"task_id": task, **_entry(one, other, changes, why)})
    _agents(found, sides)
    return found


def _whole(folder: str | Path) -> Tables:
    require(folder, KEPT)
    return Tables.load(folder)


def _by_key(rows: Iterable[Mapping[Any, Any]], *key: str) -> dict[tuple[str, ...], AnyRow]:
    return {tuple(row[name] for name in key): _named(row) for row in rows}


def _named(row: Mapping[Any, Any]) -> AnyRow:
    return {str(name): value for name, value in row.items()}


def _tasks(side: Tables) -> dict[str, AnyRow]:
    """Return tasks with their medal thresholds, which the pairs know."""
    tasks = {row["task_id"]: _named(row) for row in side.tasks.to_dict("records")}
    cuts = side.pairs.groupby("task_id")[[n for n in OF_TASKS if n.endswith("threshold")]].max()
    for task, row in cuts.to_dict("index").items():
        tasks.setdefault(str(task), {}).update(_named(row))
    return tasks


def _agents(found: Standings, sides: list[Tables]) -> None:
    rows = [
        {
            row["agent"]: {**_named(row), "place": place}
            for row, place in zip(
                in_order(side).to_dict("records"), places(side).tolist(), strict=True
            )
        }
        for side in sides
    ]
    of_agent: dict[str, list[PairEntry]] = {}
    for pair in found.pairs:
        for agent in _agents_of(pair):
            of_agent.setdefault(agent, []).append(pair)
    for agent in dict.fromkeys((*rows[1], *rows[0])):
        one, other = (side.get(agent) for side in rows)
        changes = _changes(one, other, ("place", *OF_AGENTS, "runs"))
        if not changes and one is not None and other is not None:
            continue
        own = of_agent.get(agent, [])
        why = list(dict.fromkeys(word for pair in own for word in pair["why"]))
        moved = dict.fromkeys(pair["state"] for pair in own if pair["state"] != CHANGED)
        if one is not None and other is not None and moved:
            why = [word for word in why if word != "run table"]
            why += [f"{RUNS} {state}" for state in moved]
        if one is not None and other is not None:
            why += _newcomers(rows, one["place"], other["place"])
        found.agents.append({"agent": agent, **_entry(one, other, changes, why or [OTHERS])})


def _agents_of(pair: PairEntry) -> set[str]:
    """Return whose run a pair is, and whose it was: a run table may give it to another agent."""
    changed = pair["changes"].get("agent")
    return {pair["agent"], *(name for name in (changed or {}).values() if isinstance(name, str))}


def _newcomers(rows: list[dict[str, AnyRow]], old: int, new: int) -> list[str]:
    """Name the agents that only one side has and that made an agent's place another one."""
    if new == old:
        return []
    word, here, there = ("new", rows[1], rows[0]) if new > old else ("gone", rows[0], rows[1])
    above = max(old, new)
    names = [name for name, row in here.items() if name not in there and row["place"] < above]
    more = [f"{len(names) - _NAMED} more {word}"] if len(names) > _NAMED else []
    return [f"agent {name} {word}" for name in names[:_NAMED]] + more


def _entry(one: Any, other: Any, changes: dict[str, Both], why: list[str]) -> Entry:
    state = NEW if one is None else GONE if other is None else CHANGED
    return {"state": state, "changes": changes, "why": why}


def _changes(
    one: Mapping[str, Any] | None, other: Mapping[str, Any] | None, columns: Iterable[str]
) -> dict[str, Both]:
    values = {name: [_plain((row or {}).get(name)) for row in (one, other)] for name in columns}
    return {name: {"old": old, "new": new} for name, (old, new) in values.items() if old != new}


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; what is not there, as None."""
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _why(one: Mapping[str, Any], other: Mapping[str, Any], lost: Container[str]) -> list[str]:
    """Return what two rows of a pair were made from that is not the same."""
    named = [name for name in OF_RUN_TABLE if name not in lost]
    told = ["run table"] if any(_differ(one, other, name) for name in named) else []
    made = [any(_plain(row[name]) is not None for name in COLUMNS) for row in (one, other)]
    if made[0] != made[1]:
        told.append(_WITHOUT_RECORD.get((one, other)[made[0]]["fault"], UNRECORDED))
    else:
        told += changed_words(_made_from(one), _made_from(other))
    return list(dict.fromkeys(told))


def _made_from(row: Mapping[str, Any]) -> dict[str, object]:
    """Return the provenance of a pair, the version of its task under the name that stages have."""
    found = {name: _plain(row[name]) for name in COLUMNS}
    return {**found, "task_fingerprint": found["task_version"]}


def _differ(one: Mapping[str, Any], other: Mapping[str, Any], name: str) -> bool:
    return bool(_plain(one[name]) != _plain(other[name]))
