"""The report's data within a number of bytes: all of it where it fits, else a share a table.

A page that cannot carry every row says so beside the table, carries those first that matter most,
and has sums over all rows where its own are not enough to count.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from biomlbench.report.agent_order import in_order
from biomlbench.report.feedback import ORDER as ORDER_READ
from biomlbench.report.fitting import LeftOut, most_that_fit, weight
from biomlbench.report.payload import (
    build,
    columns,
    described,
    dumps,
    run_columns,
    small_tables,
    task_records,
    written,
)  # fmt: skip
from biomlbench.report.payload_checks import checks_of
from biomlbench.report.run_order import ORDER, by_importance
from biomlbench.report.run_sums import RunSums
from biomlbench.report.shown import printable
from biomlbench.report.table_budgets import BYTES, TABLES

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.report.feedback import ShownCase
    from biomlbench.report.inputs import Tables
    from biomlbench.report.payload import Columns
    from biomlbench.report.predicted_rows import PredictedRows

__all__ = ["OfRuns", "payload_within"]

LEAST_OF_A_RUN = 30
"""Bytes that a run has at least: where so many times the runs do not fit, all are not tried."""
USUAL_OF_A_RUN, USUAL_OF_A_CELL, USUAL_OF_A_TASK = 150, 45, 700
"""Bytes from which the first guess is made of how many fit."""
_SLACK = 2000  # numbers in the notes that are not known yet, and what joins the parts


@dataclass(frozen=True)
class OfRuns:
    """What a report has of runs beside its tables; see :func:`payload.build`."""

    feedback: dict[int, list[ShownCase]]
    provenance: dict[int, dict[str, str]]
    rows: dict[str, PredictedRows] | None = None
    there: dict[str, int] = field(default_factory=dict)
    """Of how many runs there is more than was read; see :func:`feedback.of_runs`."""

    def all_of(self, name: str) -> int:
        """Return of how many runs there is feedback or provenance."""
        read: dict[str, dict[int, Any]] = {
            "feedback": self.feedback, "provenance": self.provenance
        }  # fmt: skip
        return self.there.get(name, len(read[name]))


def payload_within(tables: Tables, room: int, of_runs: OfRuns, place: str = "") -> str:
    """Return the report's data as JSON of at most so many bytes.

    Parameters
    ----------
    tables : Tables
    room : int
        Bytes. Below the sum of :data:`table_budgets.BYTES` no run may be left.
    of_runs : OfRuns
    place : str
        The results folder, as commands name it; empty on a site.

    Returns
    -------
    str
        :func:`payload.build` where that fits. Else each table beside runs has at most its budget,
        runs and their checks have what is left, and `cut` says what was left out and has the sums
        of :class:`run_sums.RunSums` over all runs.
    """
    small = small_tables(tables)
    if LEAST_OF_A_RUN * len(tables.pairs) <= room:
        told = (of_runs.feedback, of_runs.provenance, of_runs.rows)
        data = build(tables, *told, place, small)
        if of_runs.there:
            data["notes"] = {name: _note_of_read(name, of_runs, place) for name in of_runs.there}
        whole = dumps(data)
        if len(whole.encode("utf-8")) <= room:
            return whole
    return dumps(_Cut(tables, of_runs, place).made(room, small))


class _Cut:
    """The data of a report that cannot carry every row."""

    def __init__(self, tables: Tables, of_runs: OfRuns, place: str) -> None:
        self.tables, self.of_runs, self.place = tables, of_runs, place
        self.folder = place or "data"  # of a site's downloads, beside its report
        self.notes: dict[str, LeftOut] = {}
        self.agents = list(in_order(tables)["agent"])

    def made(self, room: int, small: dict[str, pd.DataFrame]) -> JsonObject:
        """Return everything, within so many bytes."""
        tables, sums = self.tables, RunSums(self.tables)
        of_tasks = sums.tasks()
        made: JsonObject = {name: self._small(name, frame) for name, frame in small.items()}
        made["tasks"] = tasks = self._tasks(of_tasks)
        shown_tasks = {task["task_id"] for task in tasks}
        rows = self.of_runs.rows
        made["rows"] = rows if rows is None else _kept(rows, BYTES["rows"])
        of_tasks["task_id"] = of_tasks["task_id"].map(printable)
        cells = sums.cells()
        cells["task_id"] = cells["task_id"].map(printable)
        totals = {
            "runs": len(tables.runs), "agents": len(self.agents), "tasks": len(of_tasks),
        }  # fmt: skip
        cut: JsonObject = {
            "totals": totals,
            "tasks": columns(of_tasks[of_tasks["task_id"].isin(shown_tasks)]),
            "cells": self._of_agents("cells", cells[cells["task_id"].isin(shown_tasks)]),
            "reasons": columns(sums.reasons()),
            "agent_reasons": self._of_agents("agent_reasons", sums.agent_reasons()),
            "notes": self.notes,
            "query": TABLES["tasks"].query(self.folder, local=bool(self.place)),
        }
        made["cut"] = cut
        del cells
        self._runs(made, room)
        return made

    def _note(self, name: str, shown: int, of: int, order: str = "") -> None:
        budget = TABLES[name]
        self.notes[name] = {
            "shown": shown, "of": of, "what": budget.what, "order": order or budget.order,
            "query": budget.query(self.folder, local=bool(self.place)),
        }  # fmt: skip

    def _small(self, name: str, frame: pd.DataFrame) -> Columns:
        """Return the rows of a table that come first by its budget's order, in the table's."""
        order = TABLES[name].first(frame, self.agents)
        shown, made = most_that_fit(
            len(frame), BYTES[name], lambda most: columns(frame.iloc[np.sort(order[:most])])
        )
        if shown < len(frame):
            self._note(name, shown, len(frame))
        return made

    def _tasks(self, of_tasks: pd.DataFrame) -> list[JsonObject]:
        """Return tasks, those with most runs first, then by name; sorted by name."""
        tables = self.tables
        texts = dict(zip(tables.tasks["task_id"], tables.tasks["description"], strict=True))
        bare = replace(tables, tasks=tables.tasks.assign(description=None))
        runs = dict(zip(of_tasks["task_id"].map(printable), of_tasks["runs"], strict=True))
        records = sorted(
            task_records(bare), key=lambda task: (-runs.get(task["task_id"], 0), task["task_id"])
        )
        slim = [task | {"leaderboard": [], "humans": [],
                        "teams": task.get("teams", len(task["leaderboard"])),
                        "left_out": ["leaderboard", "description"]}
                for task in records]  # fmt: skip
        usual = BYTES["tasks"] // USUAL_OF_A_TASK
        shown, _ = most_that_fit(len(slim), BYTES["tasks"], lambda most: slim[:most], usual)
        left = {"leaderboard": BYTES["leaderboards"], "description": BYTES["descriptions"]}
        raw = {printable(task): text for task, text in texts.items()}
        for made, whole in zip(slim[:shown], records, strict=False):
            parts = {
                "leaderboard": {name: whole[name] for name in ("leaderboard", "humans")},
                "description": {"description": written(raw.get(made["task_id"]))},
            }
            for name, part in parts.items():
                size = weight(part)
                if size <= left[name]:
                    left[name] -= size
                    made |= part
                    made["left_out"].remove(name)
        if shown < len(slim):
            self._note("tasks", shown, len(slim))
        return sorted(slim[:shown], key=lambda task: task["task_id"])

    def _of_agents(self, name: str, frame: pd.DataFrame) -> Columns:
        """Return the rows of the first agents, of each all."""
        place = frame["agent"].map({agent: at for at, agent in enumerate(self.agents)})
        each = max(1.0, len(frame) / max(len(self.agents), 1))
        shown, made = most_that_fit(
            len(self.agents), BYTES[name], lambda most: columns(frame[place < most]),
            int(BYTES[name] / USUAL_OF_A_CELL / each) + 1,
        )  # fmt: skip
        if shown < len(self.agents):
            self._note(name, shown, len(self.agents))
        return made

    def _runs(self, made: JsonObject, room: int) -> None:
        """Fill what is left with runs and their checks, and with what is known of these."""
        whole, order = self.tables.pairs, by_importance(self.tables)
        pairs = run_columns(self.tables)
        at = _places_of_checks(self.tables, order)
        feedback, provenance = self.of_runs.feedback, self.of_runs.provenance
        left = room - weight(made | described({}, {}, self.place)) - _SLACK
        left -= BYTES["feedback"] * bool(feedback) + BYTES["provenance"] * bool(provenance)

        def of(most: int) -> JsonObject:
            rows = np.sort(order[:most])
            some = replace(
                self.tables, pairs=whole.iloc[rows], checks=self.tables.checks[at < most]
            )
            return {"pairs": columns(pairs.iloc[rows]), "checks": checks_of(some)}

        shown, parts = most_that_fit(len(whole), left, of, max(left, 0) // USUAL_OF_A_RUN)
        made |= parts
        numbers = {int(row): new for new, row in enumerate(np.sort(order[:shown]))}
        first = order[:shown].tolist()
        made |= described(
            {numbers[row]: feedback[row] for row in first if row in feedback},
            {numbers[row]: provenance[row] for row in first if row in provenance},
            self.place,
        )
        for name in ("feedback", "provenance"):
            made[name] = _kept(made[name], BYTES[name])
            if len(made[name]) < (some := self.of_runs.all_of(name)):
                self._note(name, len(made[name]), some)
        if shown < len(whole):
            self._note("runs", shown, len(whole), ORDER)


def _note_of_read(name: str, of_runs: OfRuns, place: str) -> LeftOut:
    """Return what a page says that carries all runs, but not of all what was read of some."""
    read = len(of_runs.feedback if name == "feedback" else of_runs.provenance)
    query = TABLES[name].query(place, local=bool(place))
    what = TABLES[name].what
    return {
        "shown": read, "of": of_runs.there[name], "what": what, "order": ORDER_READ, "query": query,
    }  # fmt: skip


def _kept(some: dict[str, Any], most: int) -> dict[str, Any]:
    """Return the entries, in their order, that fit a number of bytes."""
    kept = {}
    for name, entry in some.items():
        size = weight({name: entry})
        if size <= most:
            most -= size
            kept[name] = entry
    return kept


def _places_of_checks(tables: Tables, order: np.ndarray) -> np.ndarray:
    """Return for each row of `checks` how many runs come before its own in an order."""
    pairs, checks = tables.pairs, tables.checks
    runs, names = pd.factorize(pairs["run_id"])
    tasks, task_names = pd.factorize(pairs["task_id"])
    keys = tasks.astype(np.int64) * len(names) + runs
    found = [
        pd.Index(known).get_indexer(pd.Index(there))[code]
        for known, (code, there) in (
            (task_names, pd.factorize(checks["task_id"])),
            (names, pd.factorize(checks["run_id"])),
        )
    ]
    wanted = found[0].astype(np.int64) * len(names) + found[1]
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    by_key = np.argsort(keys, kind="stable")
    at = np.searchsorted(keys[by_key], wanted).clip(max=max(len(keys) - 1, 0))
    if not len(keys):
        return np.zeros(len(checks), np.int64)
    rows = by_key[at]
    known = (keys[rows] == wanted) & (found[0] >= 0) & (found[1] >= 0)
    result: np.ndarray = np.where(known, places[rows], len(order))
    return result
