"""The pages of a published site: leaderboard, agents, tasks, data, provenance; no scripts."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench import __version__
from biomlbench.contracts import SCHEMAS
from biomlbench.export._words import table_description
from biomlbench.export.site_cells import (
    cell,
    items_of,
    moments,
    of_how_many,
    records,
    text_of,
    won,
)
from biomlbench.outcomes import SENTENCES
from biomlbench.report.agent_order import in_order
from biomlbench.report.markdown import as_html
from biomlbench.report.overview import Overview, Rate, build
from biomlbench.report.page import environment, style
from biomlbench.report.run_sums import holders
from biomlbench.report.shown import MAX_NAME, printable, shown_name
from biomlbench.runtime.shown_numbers import fixed
from biomlbench.scoring.best_runs import best_runs, standing
from biomlbench.scoring.medals import THRESHOLDS
from biomlbench.summary.task_facts import discrimination

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pandas as pd

    from biomlbench.contracts.mappings import AnyRow
    from biomlbench.report.inputs import Tables

__all__ = ["FEED", "Pages", "slug"]

FEED = "feed.xml"
"""Place of the feed, which a site has once results have been kept."""

MAX_RUNS = 1_000
"""Runs that a page lists; what is beyond is in the downloads."""

_OF_AGENTS = (
    *(("model", "meta_model"), ("US$ a run", "meta_cost_usd")),
    *(("US$ in all", "meta_cost_usd_total"), ("tokens a run", "meta_tokens")),
    *(("steps a run", "meta_steps"), ("seconds a run", "meta_wall_time_s")),
    *(("runs", "runs"), ("fair runs", "runs_fair"), ("tasks", "tasks")),
)
_OF_TASKS = (
    *(("task", "task_id"), ("metric", "metric"), ("direction", "direction")),
    *(("difficulty", "difficulty"), ("kind", "kind"), ("verifier", "verifier")),
    *(("gold from", "gold_threshold"), ("silver from", "silver_threshold")),
    *(("bronze from", "bronze_threshold"), ("median", "median_threshold")),
    *(("leaderboard entries", "leaderboard_size"), ("leaderboard", "leaderboard_note")),
    ("audit", "audit"),
)


def slug(name: str) -> str:
    """Return the name of a page's file: lower case, of plain letters, and of this name alone.

    Examples
    --------
    >>> slug("Agent/One") == slug("agent one"), slug("Agent/One").startswith("agent-one-")
    (False, True)
    """
    words = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60].strip("-") or "page"
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{words}-{digest[:16]}"


@dataclass(frozen=True)
class Pages:
    """The pages of a site.

    Attributes
    ----------
    tables : Tables
        As they may be published.
    made_from : mapping
        Provenance: names and values by section.
    sizes : mapping of str to int
        Rows of the tables that can be downloaded, by name.
    title, date : str
    """

    tables: Tables
    made_from: Mapping[str, Mapping[str, Any]]
    sizes: Mapping[str, int]
    title: str
    date: str = ""
    _styled: str = field(default_factory=style)

    @property
    def count(self) -> int:
        """Number of pages."""
        return len(self._tasks) + len(self._overview.ranking) + 4

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield each page: its place in the site, and its text."""
        overview = self._overview
        yield (
            "index.html",
            self._page(
                "index", "index.html", "Leaderboard", overview=overview, link=self._agent_link("")
            ),
        )
        yield (
            "tasks/index.html",
            self._page(
                "tasks", "tasks/index.html", "Tasks", rows=[self._summary(t) for t in self._tasks]
            ),
        )
        for task in self._tasks:
            yield f"tasks/{slug(task)}.html", self._task(task)
        raw = in_order(self.tables).to_dict("records")
        for row, facts in zip(overview.ranking, raw, strict=True):
            place = f"agents/{slug(facts['agent'])}.html"
            told = [
                (name, cell(facts[column], 3) + of_how_many(facts, column))
                for name, column in _OF_AGENTS
            ]
            runs = self._of("agent", facts["agent"])
            runs = runs.sort_values(["task_id", "run_id"], kind="stable")
            yield (
                place,
                self._page(
                    "agent",
                    place,
                    row.agent,
                    row=row,
                    told=told,
                    agents=len(overview.ranking),
                    rows=self._shown(runs, lambda run: self._title(run["task_id"])),
                    left_out=len(runs) - MAX_RUNS,
                    history=self._history(facts["agent"]),
                    link=_task_link,
                ),
            )
        yield (
            "data/index.html",
            self._page(
                "data", "data/index.html", "Data", tables=[*map(self._dictionary, self.sizes)]
            ),
        )
        sections = [(name, [*items.items()]) for name, items in self.made_from.items()]
        yield (
            "provenance.html",
            self._page("provenance", "provenance.html", "Provenance", sections=sections),
        )

    @cached_property
    def _overview(self) -> Overview:
        return build(self.tables)

    @cached_property
    def _runs(self) -> pd.DataFrame:
        return self.tables.runs

    @cached_property
    def _rows(self) -> dict[str, dict[Any, Any]]:
        """Places of the runs of each agent and of each task, found once for all pages."""
        columns = ("agent", "task_id")
        return {name: dict(self._runs.groupby(name, sort=False).indices) for name in columns}

    def _of(self, column: str, name: str) -> pd.DataFrame:
        found: pd.DataFrame = self._runs.iloc[self._rows[column].get(name, [])]
        return found

    @cached_property
    def _tasks(self) -> list[str]:
        return sorted({*self.tables.tasks["task_id"], *self._runs["task_id"]})

    @cached_property
    def _of_task(self) -> dict[str, AnyRow]:
        return {row["task_id"]: row for row in records(self.tables.tasks)}

    def _page(self, kind: str, place: str, heading: str, **more: Any) -> str:
        return (
            environment()
            .get_template(f"site_{kind}.html.j2")
            .render(
                title=printable(self.title),
                heading=printable(heading, 200),
                here=kind,
                root="../" * place.count("/"),
                style=self._styled,
                version=__version__,
                date=self.date,
                feed=FEED if len(self.tables.history) else "",
                **more,
            )
        )

    def _agent_link(self, root: str) -> Any:
        return lambda name: f"{root}agents/{slug(name)}.html"

    def _title(self, task: str) -> str:
        return shown_name(self.tables.task_name(task), 200)

    def _best_first(self, task: str) -> pd.DataFrame:
        """Return the runs of a task, the best first: passes, the others, those without a score."""
        runs = self._of("task_id", task)
        runs = runs.assign(_standing=standing(runs))
        ordered = runs.sort_values(["_standing", "run_id"], ascending=[False, True], kind="stable")
        return ordered.drop(columns="_standing")

    def _task(self, task: str) -> str:
        runs = self._best_first(task)
        known = self._of_task.get(task, {"task_id": task})
        cuts = {name: runs[name].max() if len(runs) else None for name in THRESHOLDS}
        sizes = {"leaderboard_size": runs["leaderboard_size"].max() if len(runs) else None}
        facts = {**known, **cuts, **sizes}
        missing, findings = known.get("evidence_missing"), known.get("audit_findings")
        place = f"tasks/{slug(task)}.html"
        return self._page(
            "task",
            place,
            self._title(task),
            told=[(name, cell(facts.get(column))) for name, column in _OF_TASKS],
            description=as_html(text_of(known.get("description"))),
            files=[printable(one) for one in items_of(known.get("public_files"))],
            separates=_separation(self._separates.get(task)),
            missing="" if missing is None else printable(", ".join(missing)),
            data_note=printable(text_of(known.get("data_note"))),
            findings=[] if findings is None else [printable(one) for one in findings],
            rows=self._shown(runs, lambda row: shown_name(row["agent"], MAX_NAME)),
            left_out=len(runs) - MAX_RUNS,
            won=next(filter(None, map(won, runs["medal_note"])), ""),
            link=lambda row: f"../agents/{slug(row['agent'])}.html",
        )

    @cached_property
    def _separates(self) -> dict[str, float]:
        return discrimination(self._runs)

    def _summary(self, task: str) -> AnyRow:
        runs = self._best_first(task)
        best = runs[best_runs(runs)]
        known = self._of_task.get(task, {})
        return {
            "task_id": task,
            "name": self._title(task),
            "link": f"{slug(task)}.html",
            "metric": known.get("metric", ""),
            "direction": known.get("direction", ""),
            "runs": len(runs),
            "passed": int((runs["verdict"] == "pass").sum()),
            "medals": int(runs["verified_medal"].sum()),
            "best": cell(best["score"].iloc[0]) if len(best) else "–",
            "unpassed": bool(len(best)) and not best["verdict"].eq("pass").any(),
            "agent": holders(shown_name(name, MAX_NAME) for name in best["agent"]) or "–",
        }

    def _history(self, agent: str) -> list[AnyRow]:
        """Return what was kept of an agent, the newest first; one result is no history."""
        kept = self.tables.history[self.tables.history["agent"] == agent]
        if len(kept) < 2:
            return []
        return [
            {
                "kept": moment,
                "place": row["place"],
                "rates": [Rate.of(row, "verified_medal_rate"), Rate.of(row, "pass_rate")],
                "percentile": Rate.of(row, "leaderboard_percentile", 1.0),
                "tasks": row["tasks"],
                "runs": row["runs"],
            }
            for moment, (_, row) in zip(
                moments(kept["kept"].iloc[::-1]), kept.iloc[::-1].iterrows(), strict=True
            )
        ]

    def _shown(self, runs: pd.DataFrame, label: Callable[[AnyRow], str]) -> list[AnyRow]:
        return [self._run(row, label(row)) for row in records(runs.head(MAX_RUNS))]

    def _run(self, row: AnyRow, label: str) -> AnyRow:
        ends = [row["score_low"], row["score_high"]]
        reason = row["reason"]
        return {
            **{name: row[name] for name in ("agent", "task_id", "verdict", "medal")},
            "verified_medal": bool(row["verified_medal"]),
            "won": won(row["medal_note"]),
            "label": label,
            "run_id": shown_name(row["run_id"], 100),
            "score": cell(row["score"]) or "–",
            "interval": "–" if any(cell(e) == "" for e in ends) else " to ".join(map(cell, ends)),
            "percentile": fixed(row["leaderboard_percentile"]),
            "why": "" if reason == "ok" else SENTENCES.get(reason, printable(reason)),
        }

    def _dictionary(self, name: str) -> AnyRow:
        columns = [
            (column.name, str(column.type).replace("double", "float"),
             (column.metadata or {}).get(b"doc", b"").decode())
            for column in SCHEMAS[name]
        ]  # fmt: skip
        about = table_description(name)
        return {"name": name, "about": about, "rows": self.sizes[name], "columns": columns}


def _task_link(row: Mapping[str, Any]) -> str:
    return f"../tasks/{slug(row['task_id'])}.html"


def _separation(correlation: float | None) -> str:
    if correlation is None or not np.isfinite(correlation):
        return ""
    return f"{correlation + 0.0:.2f} (correlation of pass rates here with those on all other tasks)"
