"""The feed of a published site: an entry for each result that was kept."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from biomlbench.report.headline import headline
from biomlbench.report.overview import Rate
from biomlbench.report.page import environment
from biomlbench.report.shown import MAX_NAME, printable, shown_name
from biomlbench.runtime.words import counted

if TYPE_CHECKING:
    import pandas as pd

    from biomlbench.contracts.mappings import JsonObject

__all__ = ["MOST", "feed"]

MOST = 50
"""Entries of a feed, the newest."""


def feed(history: pd.DataFrame, title: str) -> str:
    """Return an Atom feed of results that were kept.

    Parameters
    ----------
    history : pandas.DataFrame
        As the contract `history` declares it, of one result at least.
    title : str
        Of the site.

    Returns
    -------
    str
        The newest first. Links are relative to the site; an entry's id is a hash of its title and
        time, so that a site that moves keeps its entries.
    """
    times = sorted(history["kept"].unique(), reverse=True)[:MOST]
    kept = [_entry(time, history[history["kept"] == time], title) for time in times]
    template = environment().get_template("site_feed.xml.j2")
    return template.render(title=printable(title), id=_id(title), entries=kept)


def _entry(time: str, agents: pd.DataFrame, title: str) -> JsonObject:
    boards = agents["verified_medal_rate"].notna().any()
    measure, what = ("verified_medal", "verified medals") if boards else ("pass", "verdict pass")
    ranked = agents.sort_values("place", kind="stable")
    names = [shown_name(agent, MAX_NAME) for agent in ranked["agent"]]
    rates = [Rate.of(row, f"{measure}_rate") for _, row in ranked.iterrows()]
    lines = [
        f"{place}. {name}: {what} {rate}, {counted(tasks, 'task')}"
        for place, name, rate, tasks in zip(
            ranked["place"], names, rates, ranked["tasks"], strict=True
        )
    ]
    told = headline(names, [rate.value for rate in rates], measure)
    tried, most = int(ranked["tasks"].iloc[0]), int(ranked["tasks"].max())
    few = f", tried on {tried} of {counted(most, 'task')}" if tried < most else ""
    heading = told.text or f"{names[0]} is first of {len(ranked)}{few}"
    return {"time": time, "id": _id(f"{title}\0{time}"), "heading": heading, "lines": lines}


def _id(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
