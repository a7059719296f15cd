"""The `checks` table: the checks of every pair, and the one that compares runs with one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from biomlbench.contracts import SCHEMAS
from biomlbench.stages.kinds import has_cases
from biomlbench.summary.pair_rows import tables_of

if TYPE_CHECKING:
    from pathlib import Path

    from biomlbench.workflow.pair_tables import PairTables
    from biomlbench.workflow.plan import Benchmark

__all__ = ["check_rows", "duplicate_rows"]


def check_rows(benchmark: Benchmark, results: Path, task_id: str) -> pa.Table:
    """Return the checks of all pairs of a task.

    Parameters
    ----------
    benchmark : Benchmark
    results : path
    task_id : str

    Returns
    -------
    pyarrow.Table
        Of the schema ``checks``.
    """
    read = tables_of(benchmark, results, "verify", task_id)
    tables = (table.replace_schema_metadata(None) for table in read)
    empty = SCHEMAS["checks"].empty_table().replace_schema_metadata(None)
    return pa.concat_tables([empty, *tables]).cast(SCHEMAS["checks"])


def duplicate_rows(pairs: pa.Table, tables: PairTables) -> pa.Table:
    """Return the advisory check whether a run nearly equals one of another agent.

    Its message tells too which runs of its own agent are the same file.

    This is the one check that needs to see more than one pair.

    Parameters
    ----------
    pairs : pyarrow.Table
        Of the schema ``pairs``.
    tables : PairTables
        Of the same results.

    Returns
    -------
    pyarrow.Table
        Of the schema ``checks``.
    """
    from biomlbench.verify.near_duplicates import outcomes
    from biomlbench.verify.policy import CheckOutcome

    schema = SCHEMAS["checks"]
    by_task: dict[str, list[int]] = {}
    names = ("task_id", "run_id", "agent", "kind", "valid_submission", "submission_sha256")
    task_ids, run_ids, agents, kinds, valid, digests = (
        pairs.column(name).to_pylist() for name in names
    )
    for row, task_id in enumerate(task_ids):
        if valid[row] and not has_cases(kinds[row]):
            by_task.setdefault(task_id, []).append(row)
    rows: list[int] = []
    # Nearly all have the same outcome.
    found: dict[CheckOutcome, int] = {}
    which: list[int] = []
    for task_id, members in by_task.items():
        runs = [(run_ids[row], kinds[row]) for row in members]
        prints = [text or "" for text in tables.values("grade", "fingerprint", task_id, runs)]
        groups = [agents[row] for row in members]
        called = [f"{run_ids[row]} of {agents[row]}" for row in members]
        near = outcomes(prints, groups, called, [digests[row] for row in members])
        rows += (members[place] for place in near)
        which += (found.setdefault(outcome, len(found)) for outcome in near.values())
    own = CheckOutcome._fields
    places = pa.array(which, pa.int64())
    carried = pairs.select([name for name in schema.names if name not in own])
    carried = carried.take(pa.array(rows, pa.int64()))
    columns = [
        pa.array([getattr(outcome, field.name) for outcome in found], field.type).take(places)
        if field.name in own
        else carried.column(field.name)
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)
