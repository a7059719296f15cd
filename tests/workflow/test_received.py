"""An archive of somebody else's: nothing outside it is touched, and its code is not run unasked."""

from __future__ import annotations

import copy
import json

import pytest

from biomlbench.reproduce import rerun
from biomlbench.reproduce.layout import ReproduceError
from biomlbench.reproduce.received import check_record, restricted
from biomlbench.reproduce.rerun import same_kernels

RECORD = {
    "format": 1,
    "biomlbench": "0.1.0",
    "config": {
        "title": "x",
        "runs": ["runs.csv"],
        "tasks_dirs": ["mine"],
        "tasks": {"toy/line": {"leaderboard": "board.csv"}},
        "sandbox": {"provider": "unsafe"},
        "data_dir": "/etc",
        "results_dir": "../../results",
    },
    "run_tables": {"runs.csv": "run_id\n"},
    "submissions": {"subs/a.csv": {"sha256": None, "is": "file"}},
    "tasks": {"toy/line": {}},
    "code": {},
    "environment": {},
}


def changed(*path, value):
    record = copy.deepcopy(RECORD)
    place = record
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    return record


def test_an_untrusted_archive_brings_no_code_and_no_weaker_sandbox():
    check_record(RECORD)
    record, left_out = restricted(RECORD)
    assert record["config"]["tasks_dirs"] == []
    assert record["config"]["sandbox"]["provider"] == "auto"
    assert record["config"]["data_dir"] == "data"
    assert [(item.path, "--trust-code" in item.why) for item in left_out] == [("mine", True)]
    assert RECORD["config"]["tasks_dirs"] == ["mine"]
    assert restricted(RECORD, trust_code=True) == (RECORD, [])


def test_a_run_that_has_left_nothing_names_nothing_outside():
    record = changed("submissions", "", value={"sha256": None, "is": "missing"})
    assert "" in restricted(record)[0]["submissions"]


OUTSIDE = ["/etc/passwd.csv", "../x.csv", "a/../../x.csv", "x\x1b[31m.csv", "a\\b.csv"]


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize(
    "place",
    [
        lambda p: changed("config", "runs", value=[p]),
        lambda p: changed("run_tables", p, value=""),
        lambda p: changed("submissions", p, value={"sha256": None, "is": "file"}),
        lambda p: changed("config", "tasks_dirs", value=[p]),
        lambda p: changed("config", "tasks", "toy/line", "leaderboard", value=p),
        lambda p: changed("config", "calibration", value={"adjudications": p}),
    ],
)
def test_what_it_names_outside_is_refused(path, place):
    record = place(path)
    check_record(record)
    with pytest.raises(ReproduceError, match="outside the archive") as caught:
        restricted(record)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "record",
    [
        [],
        {},
        changed("tasks", "../../tmp/x", value={}),
        changed("tasks", "toy/..", value={}),
        changed("tasks", "/abs/x", value={}),
        changed("tasks", "toy/line\n", value={}),
        changed("tasks", "a/b/c", value={}),
        changed("config", "tasks", value=[]),
        changed("config", "tasks_dirs", value="x"),
        changed("config", "tasks_dirs", value=[1]),
        changed("config", "runs", value=None),
        changed("config", "data_dir", value=3),
        changed("run_tables", "runs.csv", value=1),
        changed("submissions", "a.csv", value="x"),
        changed("submissions", "a.csv", value={"sha256": None, "is": "socket\x1b"}),
        changed("environment", value={"kernels": {"LD_PRELOAD": 1}}),
        changed("code", value=None),
    ],
)
def test_a_record_that_is_none_is_refused_before_anything_is_touched(record):
    with pytest.raises(ReproduceError, match=r"provenance\.json"):
        check_record(record)


def test_nothing_is_written_for_a_record_that_leads_out(tmp_path, monkeypatch):
    results = tmp_path / "benchmark" / "results"
    results.mkdir(parents=True)
    record = changed("tasks", "../../../escaped", value={})
    (results / "provenance.json").write_text(json.dumps(record))
    monkeypatch.setattr(rerun, "run", lambda *_: pytest.fail("nothing is to be run"))
    with pytest.raises(ReproduceError):
        rerun.reproduce(results, tmp_path / "again", archived=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["benchmark"]


def test_a_workflow_that_lies_in_an_archive_is_not_run(tmp_path, monkeypatch):
    base = tmp_path / "benchmark"
    (base / "results").mkdir(parents=True)
    (base / "Snakefile").write_text("raise SystemExit('run')\n")
    (base / "workflow" / "rules").mkdir(parents=True)
    record = changed("submissions", value={})
    record["config"]["tasks"] = {}
    (base / "results" / "provenance.json").write_text(json.dumps(record))
    roots = []

    class StopHereError(Exception):
        pass

    def run(root, *_):
        roots.append(root)
        raise StopHereError

    monkeypatch.setattr(rerun, "run", run)
    monkeypatch.setattr(rerun, "lay_out", lambda *_, **__: [])
    with pytest.raises(StopHereError):
        rerun.reproduce(base / "results", tmp_path / "again", archived=True)
    assert len(roots) == 1
    assert base not in (roots[0], *roots[0].parents)


def test_a_record_sets_no_other_variables_than_those_of_kernels():
    from biomlbench.stages.provenance import environment

    now = environment()
    kernels = {"LD_PRELOAD": "/x.so", "PYTHONPATH": "/x", "MKL_CBWR": "AVX2"}
    assert same_kernels({"processor": now["processor"], "kernels": kernels}, now) == {
        "MKL_CBWR": "AVX2"
    }
