"""Pairs are done in an order in which nobody's many or slow runs hold up another's quick ones."""

from __future__ import annotations

import dataclasses
import json

from hypothesis import given
from hypothesis import strategies as st

from biomlbench.workflow.plan import Benchmark
from biomlbench.workflow.turns import turns_of
from tests.workflow.conftest import ROOT
from tests.workflow.test_batches import run_of

DRAWN = st.lists(
    st.tuples(
        st.sampled_from(["predictions", "program", "functions"]),
        st.sampled_from("abc"),
        st.sampled_from([None, "group"]),
    ),
    max_size=25,
)


@given(DRAWN)
def test_quick_runs_of_tables_come_first_and_agents_in_turns(drawn):
    runs = [
        dataclasses.replace(run_of(number, kind), agent=agent, root=root)
        for number, (kind, agent, root) in enumerate(drawn)
    ]
    turns = turns_of(runs)
    assert sorted(turns.values()) == list(range(len(runs)))
    order = sorted(runs, key=lambda run: turns[run.task_id, run.run_id])
    classes = [(run.kind != "predictions", run.root is not None) for run in order]
    assert classes == sorted(classes)
    for found in set(classes):
        agents = [run.agent for run, one in zip(order, classes, strict=True) if one == found]
        for end in range(len(agents)):
            for agent in set(agents[end:]):
                others = (agents[:end].count(other) for other in set(agents))
                assert agents[:end].count(agent) >= max(others) - 1


def test_a_batch_has_the_turn_of_its_first_pair(bench):
    folder = bench.path / "eve"
    folder.mkdir()
    lines = [{"task_id": "line", "submission_path": None}] * 3
    (folder / "submission.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    config = {
        "runs": [str(folder / "submission.jsonl"), str(bench.path / "runs.csv")],
        "tasks_dirs": [str(bench.path / "toy")], "pairs_per_job": 3,
    }  # fmt: skip
    found = Benchmark(config, ROOT, plan=True, results=bench.path / "r")
    batches = [batch for task, batch in found.assignment.batches if task == "toy/line"]
    turns = [found.turn({"task": "toy/line", "batch": batch}) for batch in batches]
    members = [found.assignment.batches["toy/line", batch] for batch in batches]
    own = [[found.turn({"task": "toy/line", "run": run}) for run in some] for some in members]
    assert turns == [min(some) for some in own]
    assert found.turn({"task": "toy/line", "run": "program"}) == len(found.runs) - 3
    assert found.turn({"task": "toy/line"}) is None
