"""Which runs a page carries that cannot carry all: those first that matter most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from biomlbench.outcomes import Fault
from biomlbench.report.agent_order import in_order
from biomlbench.report.inputs import is_run
from biomlbench.scoring.best_runs import standing
from biomlbench.scoring.lost_runs import FAIR

if TYPE_CHECKING:
    from biomlbench.report.inputs import Tables

__all__ = ["ORDER", "by_importance"]

ORDER = (
    "the best run of each agent on each task, then runs that a warning on the first page is about, "
    "then further runs in turns over agents and tasks, the better ones first, and controls"
)
"""What :func:`by_importance` does, in words."""
_BEST, _WARNED, _FURTHER, _CONTROL = range(4)


def by_importance(tables: Tables) -> np.ndarray:
    """Return the rows of `pairs`, those first that a reader asks for first.

    Parameters
    ----------
    tables : Tables

    Returns
    -------
    ndarray of int, shape (pairs,)
        Positions. First of each agent and task the best run (:mod:`biomlbench.scoring.best_runs`).
        Then the runs that a warning of the overview is about: lost to others' faults, rows of run
        tables that could not be used, without a full sandbox, with a medal and no pass. Then the
        further runs, of each agent and task the second before any third. Controls come last. Of
        one step, agents of better places come first, then the table's own order decides.
    """
    pairs = tables.pairs
    real = is_run(pairs).to_numpy(bool)
    how_well = standing(pairs).fillna(-1.0).to_numpy(float)
    places = {agent: place for place, agent in enumerate(in_order(tables)["agent"])}
    place = pairs["agent"].map(places).fillna(len(places)).to_numpy(int)
    agent, task = (pd.factorize(pairs[name])[0] for name in ("agent", "task_id"))
    turn = _turns(np.lexsort((-how_well, task, agent, ~real)), real, agent, task)
    fault = pairs["fault"]
    warned = (
        ~fault.isin(FAIR)
        | pairs["level"].isin(["unsafe", "reduced"])
        | (pairs["any_medal"].astype(bool) & ~pairs["verified_medal"].astype(bool))
    ).to_numpy(bool) & (real | fault.eq(Fault.RUN_TABLE).to_numpy(bool))
    step = np.select(
        [real & (turn == 0), warned, real], [_BEST, _WARNED, _FURTHER], default=_CONTROL
    )
    order: np.ndarray = np.lexsort((place, turn, step))
    return order


def _turns(order: np.ndarray, *groups: np.ndarray) -> np.ndarray:
    """Return how many rows of the same group come before each in an order that keeps groups."""
    starts = np.ones(len(order), bool)
    if len(order):
        starts[1:] = np.any([np.diff(group[order]) != 0 for group in groups], axis=0)
    number = np.arange(len(order))
    turns = np.empty(len(order), int)
    turns[order] = number - np.maximum.accumulate(np.where(starts, number, 0))
    return turns
