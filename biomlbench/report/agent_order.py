"""The one order that agents have wherever a report, a figure or a site lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.summary.agents import ALL, RANKED_BY
from biomlbench.summary.agents import in_order as ranked

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from biomlbench.report.inputs import Tables

__all__ = ["by_place", "compared", "in_order", "ranked_by", "with_places"]


def ranked_by(tables: Tables) -> str:
    """Return the measure that agents are ranked by, one of :data:`compare.MEASURES`.

    Verified medals where any task has a leaderboard, else the verdict pass.
    """
    return "verified_medal" if tables.runs["gold_threshold"].notna().any() else "pass"


def in_order(tables: Tables) -> pd.DataFrame:
    """Return the rows of `agents` over all domains, in the order of the ranking."""
    names = (f"{ranked_by(tables)}_rate", *RANKED_BY[1:])
    return ranked(tables.agents, list(dict.fromkeys(names)))


def by_place(tables: Tables, agents: Iterable[str]) -> list[str]:
    """Return agents in the order of the ranking; those that it lacks come last, by name."""
    places = {agent: place for place, agent in enumerate(in_order(tables)["agent"])}
    return sorted(agents, key=lambda agent: (places.get(agent, len(places)), agent))


def with_places(tables: Tables) -> pd.DataFrame:
    """Return `agents` with a column `place`, in the order of the ranking.

    The row over all domains comes before those of an agent's domains, which have its place.
    """
    places = {agent: place for place, agent in enumerate(in_order(tables)["agent"], 1)}
    agents = tables.agents
    placed = agents.assign(
        place=agents["agent"].map(places).astype("Int64"), _part=agents["domain"] != ALL
    )
    return placed.sort_values(["place", "_part", "domain"], kind="stable").drop(columns="_part")


def compared(tables: Tables) -> pd.DataFrame:
    """Return :func:`compare.compare_agents` in the order of the ranking.

    Of two agents that are level, the one with the better place is the first.
    """
    from biomlbench.report.compare import compare_agents

    found = compare_agents(tables.runs)
    places = {agent: place for place, agent in enumerate(in_order(tables)["agent"])}
    turned = found["difference"].eq(0) & (found["agent"].map(places) > found["other"].map(places))
    swapped = found.assign(
        agent=found["other"], other=found["agent"], low=-found["high"], high=-found["low"]
    )
    found = found.where(~turned, swapped)
    order = found.assign(_agent=found["agent"].map(places), _other=found["other"].map(places))
    by_measure = order.groupby("measure", sort=False).ngroup()
    order = order.assign(_measure=by_measure).sort_values(
        ["_measure", "_agent", "_other"], kind="stable"
    )
    return found.loc[order.index]
