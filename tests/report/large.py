"""Results of many tasks, agents and runs, made from a few graded ones."""

import dataclasses

import numpy as np

from biomlbench import contracts
from biomlbench.summary.agents import summarize_agents
from tests.report import fixtures

GRADED = 220


def large(tasks: int, agents: int, runs: int):
    """Return tables of that many tasks, agents, and runs of each agent on each task."""
    few = fixtures.frames(GRADED)
    kinds = sorted(few.pairs["task_id"].unique())
    number = np.arange(tasks * agents * runs)
    task, agent = number // (agents * runs), number // runs % agents
    source = np.empty(len(number), int)
    for place, kind in enumerate(kinds):
        own, mine = np.flatnonzero(few.pairs["task_id"] == kind), task % len(kinds) == place
        source[mine] = own[number[mine] % (agents * runs) % len(own)]
    ids = np.array([f"{kinds[n % len(kinds)]}-{n:05d}" for n in range(tasks)], object)
    names = np.array([f"agent-{n:05d}" for n in range(agents)], object)
    run_ids = np.array([f"run-{n}" for n in number], object)
    pairs = few.pairs.iloc[source].reset_index(drop=True)
    pairs = pairs.assign(task_id=ids[task], agent=names[agent], run_id=run_ids)
    pairs["score"] += number % 97 * 1e-9
    found = few.checks.groupby(["task_id", "run_id"], sort=False).indices
    keys = zip(few.pairs["task_id"], few.pairs["run_id"], strict=True)
    rows = [found.get(key, np.zeros(0, int)) for key in keys]
    of_run = np.repeat(number, [len(rows[place]) for place in source])
    checks = few.checks.iloc[np.concatenate([rows[place] for place in source])]
    checks = checks.assign(task_id=ids[task[of_run]], run_id=run_ids[of_run])
    texts = few.tasks.set_index("task_id").loc[[kinds[n % len(kinds)] for n in range(tasks)]]
    summary = summarize_agents(pairs)
    columns = [name for name in contracts.SCHEMAS["agents"].names if name in summary]
    return dataclasses.replace(
        few,
        pairs=pairs,
        checks=checks.reset_index(drop=True),
        tasks=texts.reset_index().assign(task_id=ids, description="## Data\n\nOf patients."),
        agents=summary[columns],
    )
