"""Whatever stands in a run table, reading, planning and the tables over all pairs hold."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from snakemake.io import regex_from_filepattern

from biomlbench.contracts import read_table
from biomlbench.stages import STAGES
from biomlbench.summary.aggregate import aggregate
from biomlbench.summary.telemetry import telemetry
from biomlbench.task.task import TASK_ID
from biomlbench.workflow.plan import Benchmark
from biomlbench.workflow.replaced import Replaced
from biomlbench.workflow.runs import COLUMNS, RUN_ID
from tests.workflow.conftest import HERE, ROOT
from tests.workflow.run_table_rows import BAD_CELLS, GOOD, csv_line

CONFIG = {"data_dir": "data", "tasks_dirs": ["toy"], "grading": {"bootstrap": 0}}
PAIR = re.compile(
    regex_from_filepattern(
        f"results/pairs/{{task,{TASK_ID.pattern}}}/{{run,{RUN_ID.pattern}}}/medal.parquet"
    )
)
NASTY = sorted({str(value) for _, value in BAD_CELLS})
letters = st.characters(exclude_categories=())
values = (
    st.sampled_from([*map(str, GOOD.values()), "toy/circle", "null", "2", "2025-03-31", *NASTY])
    | st.text(letters, max_size=20)
    | st.none() | st.booleans() | st.integers() | st.floats()
    | st.lists(st.text(letters), max_size=2)
)  # fmt: skip
changes = st.dictionaries(st.sampled_from(COLUMNS), values, max_size=3)


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(HERE / "toy", "toy")
    shutil.copytree(HERE / "toy" / "toy" / "line", "toy/kaggle_big/line-2.0")
    Path("subs").mkdir()
    Path("subs/right.csv").write_text("id,y\n")


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
    max_examples=40,
)
@given(st.lists(changes, min_size=1, max_size=6), st.integers(1, 3))
def test_any_rows_are_read_planned_and_summed_up(place, rows, size):
    shutil.rmtree("results", ignore_errors=True)
    rows = [{**GOOD, "run_id": f"r{n}", **change} for n, change in enumerate(rows)]
    Path("g_run-group_aide").mkdir(exist_ok=True)
    Path("g_run-group_aide/submission.jsonl").write_text(
        "".join(json.dumps({{"submission": "submission_path"}.get(k, k): v
                            for k, v in row.items()}) + "\n" for row in rows)
    )  # fmt: skip
    text = ",".join(COLUMNS) + "\n" + "".join(csv_line(row, COLUMNS) for row in rows)
    Path("runs.csv").write_bytes(text.encode("utf-8", "surrogatepass"))
    tables = ["runs.csv", "g_run-group_aide/submission.jsonl"]
    benchmark = Benchmark({**CONFIG, "runs": tables, "pairs_per_job": size}, ROOT, plan=True)
    assert len(benchmark.runs) + len(benchmark.bad_rows) >= 2 * len(rows)
    plan(benchmark)
    aggregate(benchmark, "results")
    telemetry(benchmark, "results")
    pairs = read_table("pairs", Path("results/pairs.parquet")).to_pylist()
    keys = {(row["task_id"], row["run_id"]) for row in pairs}
    assert len(keys) == len(pairs) == len(benchmark.runs) + len(benchmark.bad_rows)
    agents = {
        row["agent"] for row in read_table("agents", Path("results/agents.parquet")).to_pylist()
    }
    assert agents == {run.agent for run in benchmark.runs.values() if run.label is None}


def test_of_many_bad_rows_each_table_has_its_own_line(place, caplog):
    bad = csv_line({**GOOD, "task_id": "absent"}, COLUMNS)
    for name in "ab":
        Path(f"{name}.csv").write_text(",".join(COLUMNS) + "\n" + bad * 300)
    Path("c.csv").write_bytes(b"\0\1\2")
    Path("d.csv").write_text(",".join(COLUMNS) + "\n" + csv_line(GOOD, COLUMNS) + bad)
    Benchmark({**CONFIG, "runs": ["a.csv", "b.csv", "c.csv", "d.csv"]}, ROOT, plan=True)
    told = [line for line in caplog.messages if line.startswith("left out: ")]
    named = [line.removeprefix("left out: ").partition(".csv")[0] for line in told]
    assert {name: named.count(name) for name in "abcd"} == {"a": 197, "b": 1, "c": 1, "d": 1}
    assert told[-1] == "left out: 402 more; results/pairs.parquet has them all"


def test_what_run_tables_say_of_runs_reaches_the_tables_over_all_pairs(place):
    columns = (*COLUMNS, "meta_model", "meta_cost_usd", "meta_tokens")
    rows = [{**GOOD, "run_id": "a", "meta_model": "m", "meta_cost_usd": 0.5, "meta_tokens": "x"},
            {**GOOD, "run_id": "b", "meta_cost_usd": 1.5}]  # fmt: skip
    text = "".join(csv_line(row, columns) for row in rows)
    Path("runs.csv").write_text(",".join(columns) + "\n" + text)
    benchmark = Benchmark({**CONFIG, "runs": ["runs.csv"]}, ROOT)
    os.makedirs("results")
    aggregate(benchmark, "results")
    pairs = read_table("pairs", Path("results/pairs.parquet")).to_pylist()
    assert [(row["meta_model"], row["meta_cost_usd"]) for row in pairs] == [("m", 0.5), (None, 1.5)]
    assert pairs[0]["meta_note"] == "meta_tokens: 'x' is not a number"
    agent = read_table("agents", Path("results/agents.parquet")).to_pylist()[0]
    assert (agent["meta_model"], agent["meta_cost_usd"], agent["meta_tokens"]) == ("m", 1.0, None)


def plan(benchmark):
    """Ask what the rules ask of every pair."""
    os.makedirs("results", exist_ok=True)
    replaced = Replaced("results")
    assert replaced.look(benchmark.runs.values(), benchmark.place) == []
    replaced.write()
    benchmark.assignment.write("results")
    assert len(benchmark.tables("medal")) <= len(benchmark.runs)
    benchmark.gaps()
    for task, run in benchmark.runs:
        found = PAIR.match(f"results/pairs/{task}/{run}/medal.parquet")
        assert (found["task"], found["run"]) == (task, run)
        assert benchmark.submission(task, run) == []
        for stage in STAGES:
            assert benchmark.job(stage, task, run)["pair"]["run_id"] == run
    for task, batch in benchmark.assignment.batches:
        assert benchmark.batch_submissions(task, batch) == []
        assert benchmark.batch_job("grade", task, batch)["pairs"]


def test_changes_to_a_task_hold_whichever_id_names_it(place):
    Path("runs.csv").write_text(",".join(COLUMNS) + "\n" + csv_line(GOOD, COLUMNS))
    limits = {"limits": {"wall_s": 3}}
    jobs = []
    for name in ("line", "toy/line"):
        config = {**CONFIG, "runs": ["runs.csv"], "tasks": {name: limits}}
        benchmark = Benchmark(config, ROOT)
        jobs.append(benchmark.job("execute", "toy/line", "r")["context"])
    assert jobs[0] == jobs[1]
    assert jobs[0]["overrides"] == limits


@pytest.mark.parametrize(
    "given", ["subs/right.csv", "./subs//./right.csv", "subs/gone.csv", "subs", "/dev/zero"]
)
def test_snakemake_is_given_no_submitted_file(place, given):
    """Who handed it in could remove it under way, or give it a time in the future."""
    Path("runs.csv").write_text(
        ",".join(COLUMNS) + "\n" + csv_line({**GOOD, "submission": given}, COLUMNS)
    )
    benchmark = Benchmark({**CONFIG, "runs": ["runs.csv"]}, ROOT)
    ((task, run),) = benchmark.runs
    assert benchmark.submission(task, run) == []
    assert benchmark.job("validate", task, run)["pair"]["submission"] == given
