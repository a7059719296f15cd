"""An archive of somebody else's: nothing outside it is touched, and its code is not run unasked."""

from __future__ import annotations

import copy
import json
import math
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from biomlbench import contracts
from biomlbench.errors import UserError
from biomlbench.reproduce import rerun
from biomlbench.reproduce.layout import ReproduceError
from biomlbench.reproduce.left_out_rows import leave_out_outside
from biomlbench.reproduce.received import check_record, restricted
from biomlbench.reproduce.rerun import same_kernels
from biomlbench.workflow.runs import stated_submissions

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


def test_texts_of_files_and_titles_stay_as_they_are():
    record = changed("run_tables", "runs.csv", value="run_id\0\udcff\n")
    record["config"]["title"] = "Two lines\nof a block\n"
    record["submissions"]["x\x1b[2J"] = {"sha256": None, "is": "missing"}
    check_record(record)


HUGE = {
    "memory_mb": 16777216,
    "wall_s": 2592000,
    "cpu_s": 2592000,
    "processes": 1000000,
    "file_mb": 16777216,
    "output_mb": 65536,
    "open_files": 1000000,
    "total_wall_s": 1e9,
    "total_cpu_s": 1e9,
    "total_output_mb": 10**6,
    "restarts": 10**6,
}


@pytest.mark.parametrize("value", ["huge", math.nan, math.inf, -1])
def test_an_untrusted_archive_raises_no_limit(value):
    huge = HUGE if value == "huge" else dict.fromkeys(HUGE, value)
    record = changed("config", "execution", value={"limits": huge, "repeats": 2})
    record["config"]["tasks"]["toy/line"]["limits"] = {**huge, "memory_mb": 512, "restarts": 0}
    check_record(record)
    found, left_out = restricted(record)
    assert found["config"]["execution"] == {"limits": {}, "repeats": 2}
    assert found["config"]["tasks"]["toy/line"]["limits"] == {"memory_mb": 512, "restarts": 0}
    told = {item.path: item.why for item in left_out if item.path.startswith("limits")}
    assert set(told) == {"limits of execution", "limits of toy/line"}
    assert all(name in told["limits of execution"] for name in HUGE)
    assert restricted(record, trust_code=True)[0]["config"] == record["config"]


def test_limits_that_ask_for_no_more_than_usual_are_kept():
    limits = {"wall_s": 10, "total_wall_s": 1800, "cpu_s": 5.5, "total_output_mb": 64}
    record = changed("config", "execution", value={"limits": dict(limits)})
    found, left_out = restricted(record)
    assert found["config"]["execution"]["limits"] == limits
    assert [item.path for item in left_out] == ["mine"]


def test_a_run_that_has_left_nothing_names_nothing_outside():
    record = changed("submissions", "", value={"sha256": None, "is": "missing"})
    assert "" in restricted(record)[0]["submissions"]


def received(record):
    check_record(record)
    return restricted(record)


LEADS_OUT = ["/etc/passwd.csv", "../x.csv", "a/../../x.csv"]
ODD = ["x\x1b[31m.csv", "a\\b.csv"]
OUTSIDE = LEADS_OUT + ODD


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize(
    "place",
    [
        lambda p: changed("config", "runs", value=[p]),
        lambda p: changed("run_tables", p, value=""),
        lambda p: changed("config", "tasks_dirs", value=[p]),
        lambda p: changed("config", "tasks", "toy/line", "leaderboard", value=p),
        lambda p: changed("config", "calibration", value={"adjudications": p}),
    ],
)
def test_what_it_names_outside_is_refused(path, place):
    with pytest.raises(ReproduceError, match=r"outside the archive|control characters") as caught:
        received(place(path))
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("path", [*LEADS_OUT, "/dev/fd/0"])
def test_a_submission_outside_costs_only_its_run(path):
    found, left_out = received(changed("submissions", path, value={"sha256": None, "is": "file"}))
    assert path not in found["submissions"]
    (told,) = [item for item in left_out if item.path == path]
    assert "outside the archive" in told.why
    assert "--trust-code" not in told.why


HEADER = "run_id,agent,task_id,submission"
NAMED = [
    "subs/a.csv",
    "/etc/passwd.csv",
    "sub/../../x.csv",
    " /dev/fd/0",
    '"/q.csv"',
    "/subs/b.csv",
]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_rows_that_name_files_outside_are_left_out_and_no_others(tmp_path, encoding, end):
    lines = [HEADER, *(f"r{n},a,line,{path}" for n, path in enumerate(NAMED)), "z,a,line,é.csv"]
    table = tmp_path / "runs.csv"
    table.write_bytes(end.join(lines).encode(encoding))
    leave_out_outside(["runs.csv", "gone.csv", "../runs.csv"], tmp_path)
    assert dict(stated_submissions(table)) == {2: "subs/a.csv", 8: "é.csv"}


def test_a_table_that_names_nothing_outside_stays_as_it_is(tmp_path):
    text = f'{HEADER}\nr,a,line,"x\n.csv"\ns,a,line,a\xff'.encode("latin-1")
    (tmp_path / "runs.csv").write_bytes(text)
    leave_out_outside(["runs.csv"], tmp_path)
    assert (tmp_path / "runs.csv").read_bytes() == text


def test_rows_of_parquet_that_name_files_outside_name_none(tmp_path):
    rows = [
        {"run_id": "r", "agent": "a", "task_id": "line", "submission": path}
        for path in ("a.csv", "/x.csv", None, "../x.csv")
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "runs.parquet")
    leave_out_outside(["runs.parquet"], tmp_path)
    found = [path for _, path in stated_submissions(tmp_path / "runs.parquet")]
    assert found == ["a.csv", "null", "null", "null"]


def test_a_row_of_several_lines_that_names_a_file_outside_is_refused(tmp_path):
    (tmp_path / "runs.csv").write_text(f'{HEADER}\n"r\n",a,line,/x.csv\n')
    with pytest.raises(UserError, match=r"runs\.csv:2: .* outside the archive"):
        leave_out_outside(["runs.csv"], tmp_path)


@pytest.mark.parametrize("path", ODD)
def test_a_submission_with_an_odd_name_costs_only_its_run(path):
    received(changed("submissions", path, value={"sha256": None, "is": "file"}))


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
        changed("environment", value={"kernels": {"OPENBLAS_CORETYPE": "x\0y"}}),
        changed("environment", value={"kernels": {"x\0y": "x"}}),
        changed("environment", value={"packages": {"numpy": "2\x1b[2J"}}),
        changed("environment", value={"packages": 1}),
        changed("biomlbench", value="0\0"),
        changed("config", "title", value="\x1b[2J"),
        changed("config", "title", value="\ud800"),
        changed("config", "demo", value="x\0"),
        changed("config", "notify", value=[["x\0"]]),
        changed("config", "x\0", value=""),
        changed("code", value={"grade": ["\x9b"]}),
        changed("lock_sha256", value=1),
        changed("x\x1b[2J", value={}),
        changed("tasks", "toy/line", value={"version": "\x7f"}),
        changed("run_tables", "runs.csv", value="\ud800"),
        changed("run_tables", "x\0.csv", value=""),
        changed("config", "execution", value=[]),
        changed("config", "execution", value={"limits": {"wall_s": "10"}}),
        changed("config", "execution", value={"limits": {"seconds": 10}}),
        changed("config", "tasks", "toy/line", "limits", value={"wall_s": None}),
    ],
)
def test_a_record_that_is_none_is_refused_before_anything_is_touched(record):
    with pytest.raises(ReproduceError, match=r"provenance\.json") as caught:
        check_record(record)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("section", ["code", "environment", "config"])
def test_a_record_is_no_deeper_than_what_goes_through_it(section):
    for levels in (40, 100, 900):
        deep = json.loads('{"a":' * levels + "0" + "}" * levels)
        record = {**RECORD, section: {**RECORD[section], "sandbox": deep}}
        if levels < 60:
            check_record(record)
        else:
            with pytest.raises(ReproduceError, match="more than 60 levels"):
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
    pairs = contracts.from_rows("pairs", [])
    contracts.write_table("pairs", pairs, base / "results" / "pairs.parquet")
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


SNAKEFILE = """\
rule all:
    input: "results/provenance.json"

rule made:
    output: "results/provenance.json"
    run:
        import json, shutil, yaml
        open(output[0], "w").write("{}")
"""


@pytest.mark.skipif(
    " " in sys.executable, reason="Snakemake starts jobs of `run:` without quoting Python's path"
)
def test_a_submission_is_not_imported_by_the_jobs_that_run_beside_it(tmp_path):
    """Snakemake starts a job of `run:` in the folder of the rerun, with Python's own path."""
    root, into = tmp_path / "root", tmp_path / "into"
    (root / "profiles/default").mkdir(parents=True)
    (root / "profiles/default/config.yaml").write_text("printshellcmds: false\n")
    (root / "Snakefile").write_text(SNAKEFILE)
    into.mkdir()
    for name in ("json", "shutil", "snakemake", "yaml", "sitecustomize"):
        mark = tmp_path / f"imported-{name}"
        (into / f"{name}.py").write_text(f"open({str(mark)!r}, 'w')\nraise ImportError\n")
    rerun.run(root, into, 1, {})
    assert (into / "results/provenance.json").read_text() == "{}"
    assert not list(tmp_path.glob("imported-*"))
