"""The demo's runs: what they are, that they are the same every time, and what becomes of them."""

from __future__ import annotations

import csv
import os
import shutil
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest

from biomlbench.demo import DEMO_TASKS, make, make_runs
from biomlbench.demo.agents import AGENTS
from biomlbench.demo.spoil import NEVER_WRITTEN, SPOILT
from biomlbench.stages import Context, Pair, run_pair
from biomlbench.task.sources.archives import DataSourceError, locked
from biomlbench.workflow.runs import COLUMNS, read_runs

DEMO = Path(make.__file__).parent
ROOT = DEMO.parents[1]
QUICK = (
    "clinical/breast-cancer-wisconsin",
    "clinical/diabetes-progression",
    "kernels/masked-attention-weights",
    "kernels/kabsch-rmsd",
)


def resolve(task_id):
    return task_id, "functions" if task_id.startswith("kernels/") else "predictions"


def files_of(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Return the folder of all the demo's runs, the runs, and the prepared data."""
    folder = tmp_path_factory.mktemp("demo")
    if "PYTEST_XDIST_WORKER" in os.environ:
        # the workers' folders lie side by side; one of them makes the runs for all
        folder = tmp_path_factory.getbasetemp().parent / "demo"
        folder.mkdir(exist_ok=True)
    try:
        with locked(folder / "lock"):
            made = make_runs(folder / "runs", folder / "data")
    except DataSourceError as error:
        pytest.skip(f"raw data cannot be had: {error}")
    runs, bad = read_runs(made.tables, resolve)
    assert bad == []
    assert len(runs) == made.count
    return folder / "runs", runs, folder / "data"


@pytest.fixture(scope="module")
def expected():
    with (DEMO / "expected.csv").open(newline="") as handle:
        return {(row["task_id"], row["run_id"]): row for row in csv.DictReader(handle)}


def test_there_are_enough_of_every_kind(demo):
    _, runs, _ = demo
    assert len(runs) >= 30
    assert {run.task_id for run in runs} == set(DEMO_TASKS)
    assert {run.kind for run in runs} == {"predictions", "program", "functions"}
    seeds = Counter((run.agent, run.task_id) for run in runs if run.task_id in DEMO_TASKS[:4])
    agents = [agent.name for agent in AGENTS]
    assert len(agents) >= 4
    assert all(seeds[agent, task] >= 2 for agent in agents for task in DEMO_TASKS[:4])


def test_telemetry_has_something_to_show(demo):
    _, runs, _ = demo
    weeks = {datetime.fromisoformat(run.time).isocalendar()[:2] for run in runs}
    assert len(weeks) >= 3
    assert max(run.attempt for run in runs) >= 3
    assert {run.hint_tier for run in runs} >= {0, 1, 2}


def test_the_shipped_run_tables_list_the_same_runs(demo):
    out, runs, _ = demo
    shipped, bad = read_runs([ROOT / "config/runs.csv", ROOT / "config/demo/dune.csv"], resolve)
    assert bad == []
    assert {_listed(run, "runs/demo") for run in shipped} == {_listed(run, out) for run in runs}


def _listed(run, folder):
    path = run.submission.split(f"{folder}/")[-1]
    return (*(getattr(run, name) for name in COLUMNS if name != "submission"), path)


def test_every_submission_is_there_but_the_missing_one(demo):
    _, runs, _ = demo
    absent = [run.run_id for run in runs if not Path(run.submission).is_file()]
    assert absent == [f"spoilt-{name}" for name in NEVER_WRITTEN]


def test_second_call_makes_nothing(demo):
    out, _, data = demo
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}
    assert not make_runs(out, data).fresh
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_the_expected_table_lists_the_spoilt_lot(expected):
    from biomlbench.outcomes import fault_of

    assert set(expected) == {(item.task, f"spoilt-{item.name}") for item in SPOILT}
    assert all(fault_of(row["reason"]) == row["fault"] for row in expected.values())


def test_the_configured_run_tables_are_the_demos_own(demo, tmp_path, monkeypatch):
    """The tables in `config` list what the workflow makes."""
    _, runs, _ = demo
    monkeypatch.chdir(ROOT)
    tables = ["config/runs.csv", "config/demo/dune.csv"]
    listed, bad = read_runs(tables, resolve)
    assert bad == []

    def facts(run, parts):
        kept = Path(run.submission).resolve().parts[-parts:]
        return (run.run_id, run.agent, run.task_id, run.kind, run.attempt, run.time, kept)

    assert sorted(facts(r, 4) for r in listed) == sorted(facts(r, 4) for r in runs)


def test_runs_are_the_same_every_time(demo, tmp_path):
    _, _, data = demo
    first = make_runs(tmp_path / "one" / "runs", data, QUICK)
    second = make_runs(tmp_path / "two" / "runs", data, QUICK)
    assert first.fresh
    assert second.fresh
    one, two = files_of(tmp_path / "one" / "runs"), files_of(tmp_path / "two" / "runs")
    for files in (one, two):
        del files["demo.json"], files["runs.csv"]
    assert one == two
    assert len(one) > 30


def test_changed_and_deleted_files_are_made_again(demo, tmp_path):
    _, _, data = demo
    out = tmp_path / "runs"
    make_runs(out, data, QUICK)
    good = files_of(out)
    shutil.rmtree(out / "aurora")
    (out / "runs.csv").write_text("nonsense")
    kept = out / "birch" / QUICK[0] / "seed1.csv"
    before = kept.stat().st_mtime_ns
    assert make_runs(out, data, QUICK).fresh
    assert files_of(out) == good
    assert kept.stat().st_mtime_ns == before


def test_interrupted_move_is_taken_up_again(demo, tmp_path, monkeypatch):
    _, _, data = demo
    out = tmp_path / "runs"
    real, calls = make.os.replace, []

    def dies(source, target):
        calls.append(target)
        if len(calls) == 5:
            raise KeyboardInterrupt
        real(source, target)

    monkeypatch.setattr(make.os, "replace", dies)
    with pytest.raises(KeyboardInterrupt):
        make_runs(out, data, QUICK[2:])
    monkeypatch.undo()
    assert make_runs(out, data, QUICK[2:]).fresh
    assert not list(tmp_path.glob(".runs.*.tmp"))


def test_a_folder_of_other_files_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(FileExistsError, match="other files than demo runs"):
        make_runs(tmp_path, tmp_path / "data", QUICK[2:])
    assert (tmp_path / "thesis.txt").read_text() == "precious"


def _outcome(run, data, folder):
    context = Context(data_dir=str(data), bootstrap=0)
    pair = Pair(run.task_id, run.run_id, run.submission, run.kind, run.seed)
    return run_pair(pair, context, folder)["medal"].to_pylist()[0]


def test_spoilt_predictions_get_their_reason(demo, expected, tmp_path):
    _, runs, data = demo
    for run in runs:
        if run.agent != "spoilt" or run.kind != "predictions":
            continue
        row = _outcome(run, data, tmp_path / run.run_id)
        want = expected[run.task_id, run.run_id]
        assert (row["fault"], row["reason"]) == (want["fault"], want["reason"]), run.run_id
        # a copied column can be scored, yet is no solution
        assert row["verdict"] == ("partial" if row["valid_submission"] else "fail")
        assert not row["verified_medal"]


def test_program_runs_are_scored_like_predictions(demo, tmp_path):
    _, runs, data = demo
    run = next(r for r in runs if r.kind == "program" and r.agent == "cedar")
    row = _outcome(run, data, tmp_path)
    assert row["valid_submission"], row["message"]
    assert row["score"] > 0.9
