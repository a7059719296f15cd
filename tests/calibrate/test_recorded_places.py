"""Commands that read results find the benchmark's own tasks and data where they were."""

import json
import re

import pytest
from click.testing import CliRunner

from biomlbench.cli import _cli
from biomlbench.contracts import from_rows, write_table
from biomlbench.workflow.record import FORMAT, RECORD
from biomlbench.workflow.recorded_places import PLACES

CARD = "kernels/shares"
CONFIG = {"tasks_dirs": ["tasks"], "data_dir": "data", "results_dir": "results", "tasks": {}}
CALLS = {
    "flakes": (["flakes", "shares", "none"], f"neither a file nor a run of {CARD}"),
    "propose": (["propose"], f"biomlbench prepare {CARD} .*{{root}}/data"),
    "regrade": (["regrade", "shares"], "0 pairs would have another result"),
    "apply": (["apply"], "there is no check `none`"),
}


def by_provenance(results):
    names = ("run_tables", "submissions", "tasks", "code", "environment")
    record = {"format": FORMAT, **{name: {} for name in names}, "config": CONFIG}
    (results / RECORD).write_text(json.dumps(record))
    return {}


def by_calibration(results):
    return {PLACES: json.dumps({key: CONFIG[key] for key in CONFIG if key != "tasks"})}


@pytest.fixture(params=[by_provenance, by_calibration, None])
def results(request, planted):
    found = planted.parent / "results"
    week = found / "calibration" / "2025-W14"
    week.mkdir(parents=True)
    made_from = request.param(found) if request.param else {}
    rate = {"task_id": CARD, "scope": "card", "name": CARD, "kind": "false_pass", "errors": 0,
            "n": 1, "low": 0.0, "high": 1.0, "week": week.name}  # fmt: skip
    kill = {"task_id": CARD, "solution": "bad/x", "label": "wrong", "check": "range",
            "killed": True, "family": "bad"}  # fmt: skip
    tables = {"rates": [rate], "kills": [kill], "margins": [], "flakes": []}
    for name, rows in tables.items():
        path = found / "calibration" / f"{name}.parquet"
        write_table(name, from_rows(name, rows), path, made_from)
    write_table("pairs", from_rows("pairs", []), found / "pairs.parquet")
    change = {"task_id": CARD, "check": "none", "proposed": {"rtol": 1}}
    (week / "proposal.yaml").write_text(json.dumps({"week": week.name, "changes": [change]}))
    return found, request.param is not None


@pytest.mark.parametrize("name", CALLS)
def test_tasks_and_data_of_the_results_are_found(results, name, monkeypatch, tmp_path):
    results, is_recorded = results
    # data that the environment names are a default, too
    monkeypatch.setenv("BIOMLBENCH_DATA_DIR", str(tmp_path / "elsewhere"))
    (results.parent / "data").mkdir()
    words, expected = CALLS[name]
    options = ["--results", str(results)]
    if name == "apply":
        options = [str(results / "calibration" / "2025-W14" / "proposal.yaml")]

    def said(*more):
        done = CliRunner().invoke(_cli, ["calibrate", *words, *options, *more])
        return done.output + done.stderr + str(done.exception)

    expected = expected.replace("{root}", re.escape(str(results.parent)))
    if is_recorded:
        assert re.search(expected, said())
    else:
        assert "there is no task" in said()
        assert "--tasks-dir" in said()
    (results.parent / "none").mkdir()
    named = said("--tasks-dir", str(results.parent / "none"))
    assert "there is no task" in named
