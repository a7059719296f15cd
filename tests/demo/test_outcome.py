"""What came of the demo where it has been run as a whole: `make demo`.

``BIOMLBENCH_DEMO_RESULTS`` names the folder of its results.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from biomlbench.contracts import read_table
from biomlbench.demo import DEMO_TASKS, agents
from biomlbench.registry import Registry

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = "BIOMLBENCH_DEMO_RESULTS"


@pytest.fixture(scope="module")
def results():
    if not (folder := os.environ.get(VARIABLE)):
        pytest.skip(f"{VARIABLE} names no folder of the demo's results")
    return ROOT / folder


@pytest.fixture(scope="module")
def rows(results):
    return read_table("pairs", results / "pairs.parquet").to_pylist()


def test_every_pair_of_the_demo_is_graded(results, rows):
    assert len(rows) == 68
    assert not [row for row in rows if row["fault"] == "infrastructure"]
    assert (results / "report.html").is_file()


def test_what_the_demo_spoils_gets_its_reason(rows):
    with (Path(agents.__file__).parent / "expected.csv").open(newline="") as file:
        wanted = {
            (row["task_id"], row["run_id"]): (row["fault"], row["reason"])
            for row in csv.DictReader(file)
        }
    spoilt = [row for row in rows if row["agent"] == "spoilt"]
    assert {(r["task_id"], r["run_id"]): (r["fault"], r["reason"]) for r in spoilt} == wanted
    assert {row["verdict"] for row in spoilt if row["kind"] == "functions"} == {"fail"}


def test_what_the_demo_calls_right_passes_and_what_it_calls_wrong_does_not(rows):
    code = {
        (agent.name, task): names
        for agent in agents.AGENTS
        for task, names in agent.functions.items()
    }
    judged = [row for row in rows if row["kind"] == "functions" and row["agent"] != "spoilt"]
    assert judged
    for row in judged:
        right = "_right" in code[row["agent"], row["task_id"]][row["attempt"] - 1]
        assert (row["verdict"] == "pass") == right, row


def test_the_demos_strong_agent_beats_the_weak_one(rows):
    for task_id in DEMO_TASKS[:4]:
        strong, weak = (
            sum(r["score"] for r in rows if (r["task_id"], r["agent"]) == (task_id, agent))
            for agent in ("aurora", "dune")
        )
        lower = Registry().get_task(task_id).is_lower_better
        assert strong < weak if lower else strong > weak, task_id
