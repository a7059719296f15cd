"""Real runs whose label is known: given in the run table, or by a person afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.calibrate.batch import add_deviations, good_by_leaderboard
from biomlbench.calibrate.summary import Graded, gather
from biomlbench.outcomes import Verdict
from biomlbench.scoring.lost_runs import is_lost
from biomlbench.stages.kinds import has_cases
from biomlbench.workflow.pair_tables import PairTables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from biomlbench.calibrate.labels import Labelled
    from biomlbench.contracts.rows import MedalRow
    from biomlbench.stages import Context

__all__ = ["labelled_runs"]

FAMILY = "run"


def labelled_runs(results: str | Path, runs: Iterable[Labelled], context: Context) -> list[Graded]:
    """Return how runs whose true label is known came out.

    Parameters
    ----------
    results : path
        Results folder, in which the runs have been graded.
    runs : iterable of Labelled
    context : Context

    Returns
    -------
    list of Graded
        Of the family ``run``, named ``run/<run id>``. A run that was lost to a fault that is
        not its own says nothing about the grader and is left out.

    Raises
    ------
    ContractError
        If the tables of a run are missing.
    """
    tables = PairTables(Path(results))
    rows = []
    for run in runs:
        where = (run.task_id, run.run_id, run.kind)
        (medal,) = tables.read("medal", *where).to_pylist()
        if is_lost(medal["fault"], medal["verdict"]):
            continue
        common = {
            "task_id": run.task_id,
            "control": f"run/{run.run_id}",
            "family": FAMILY,
            "label": run.label,
            "credited": _credited(run.kind, medal),
            "patterns": (),
            "claims": (),
        }
        checks = tables.read("verify", *where).to_pylist()
        if has_cases(run.kind) and any(row["margin"] is not None for row in checks):
            add_deviations(context.task(run.task_id), tables.read("execute", *where), checks)
        rows += [
            {**row, **common, "check": "gate" if row["mode"] == "gate" else row["check"]}
            for row in checks
        ]
    return gather(rows)


def _credited(kind: str, medal: MedalRow) -> bool:
    """Tell whether the grader took a run for right work; see :mod:`biomlbench.calibrate.batch`."""
    passed = bool(medal["verdict"] == Verdict.PASS)
    return passed and (has_cases(kind) or good_by_leaderboard(medal) is not False)
