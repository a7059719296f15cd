"""The one order that agents have wherever a report, a figure or a site lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.scoring.lost_runs import lost_runs
from biomlbench.summary.agent_ranks import RANKED_BY
from biomlbench.summary.agent_ranks import in_order as ranked
from biomlbench.summary.agent_ranks import places as placed_by
from biomlbench.summary.level_means import level_mean
from biomlbench.task.task import ALL_DOMAINS

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from biomlbench.report.inputs import Tables

__all__ = ["by_place", "compared", "in_order", "places", "ranked_by", "settled_by", "with_places"]


def ranked_by(tables: Tables) -> str:
    """Return the measure that agents are ranked by, one of :data:`compare.MEASURES`.

    Verified medals where a run of any agent counts for them, else the verdict pass.
    """
    runs = tables.runs
    counts = runs["gold_threshold"].notna() & ~lost_runs(runs)
    return "verified_medal" if counts.any() else "pass"


def in_order(tables: Tables) -> pd.DataFrame:
    """Return the rows of `agents` over all domains, in the order of the ranking."""
    return ranked(tables.agents, _columns(tables))


def places(tables: Tables) -> pd.Series:
    """Return each place in the ranking, by the rows of :func:`in_order`; who ties shares one."""
    return placed_by(tables.agents, _columns(tables))


def settled_by(tables: Tables) -> str:
    """Return the column of `agents` that puts the first agent before the second; empty for none."""
    first = in_order(tables)[:2]
    for name in _columns(tables) if len(first) > 1 else ():
        if name in first and len({level_mean(value) for value in first[name].fillna(0.0)}) > 1:
            return name
    return ""


def _columns(tables: Tables) -> list[str]:
    return list(dict.fromkeys((f"{ranked_by(tables)}_rate", *RANKED_BY[1:])))


def by_place(tables: Tables, agents: Iterable[str]) -> list[str]:
    """Return agents in the order of the ranking; those that it lacks come last, by name."""
    turns = {agent: turn for turn, agent in enumerate(in_order(tables)["agent"])}
    return sorted(agents, key=lambda agent: (turns.get(agent, len(turns)), agent))


def with_places(tables: Tables) -> pd.DataFrame:
    """Return `agents` with a column `place`, in the order of the ranking.

    The row over all domains comes before those of an agent's domains, which have its place.
    """
    ordered, agents = in_order(tables)["agent"], tables.agents
    place = dict(zip(ordered, places(tables), strict=True))
    turn = {agent: number for number, agent in enumerate(ordered)}
    placed = agents.assign(
        place=agents["agent"].map(place).astype("Int64"),
        _turn=agents["agent"].map(turn),
        _part=agents["domain"] != ALL_DOMAINS,
    )
    placed = placed.sort_values(["_turn", "_part", "domain"], kind="stable")
    return placed.drop(columns=["_turn", "_part"])


def compared(tables: Tables) -> pd.DataFrame:
    """Return :func:`compare.compare_agents` in the order of the ranking.

    Of two agents that are level, the one with the better place is the first.
    """
    from biomlbench.report.compare import compare_agents

    found = compare_agents(tables.runs)
    turns = {agent: turn for turn, agent in enumerate(in_order(tables)["agent"])}
    turned = found["difference"].eq(0) & (found["agent"].map(turns) > found["other"].map(turns))
    swapped = found.assign(
        agent=found["other"], other=found["agent"], low=-found["high"], high=-found["low"]
    )
    found = found.where(~turned, swapped)
    order = found.assign(_agent=found["agent"].map(turns), _other=found["other"].map(turns))
    by_measure = order.groupby("measure", sort=False).ngroup()
    order = order.assign(_measure=by_measure).sort_values(
        ["_measure", "_agent", "_other"], kind="stable"
    )
    return found.loc[order.index]
