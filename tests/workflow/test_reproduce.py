"""A benchmark run again from its provenance: equal, or what differs and why."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pyarrow as pa
import pytest
import yaml

from biomlbench.contracts import SCHEMAS, from_rows, provenance, read_table, write_table
from biomlbench.report.feedback import provenance as shown_provenance
from biomlbench.reproduce import compare
from biomlbench.reproduce import reproduce as run_again
from biomlbench.reproduce.inputs import Inputs, inside
from biomlbench.reproduce.layout import ReproduceError, lay_out
from biomlbench.reproduce.reasons import OTHERS, UNEXPLAINED
from biomlbench.reproduce.rerun import same_kernels
from biomlbench.reproduce.rows import differing_cells
from biomlbench.runtime.threads import KERNELS
from biomlbench.stages import STAGES
from biomlbench.stages.provenance import COLUMNS
from biomlbench.workflow.plan import Benchmark
from biomlbench.workflow.record import RECORD, benchmark_record, read_record
from tests.workflow.conftest import CARD, ROOT, predictions

GRADE = "pairs/toy/line/right/grade.parquet"
TABLES = {"pairs", "checks", "agents", "tasks", "telemetry", "prepare", *STAGES}


def biomlbench(folder, *arguments):
    call = [sys.executable, "-m", "biomlbench.cli", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(call, cwd=folder, env=environment, capture_output=True, text=True)


def reproduce(folder, *arguments):
    """Exit code, and what the command says to machines."""
    done = biomlbench(folder, "reproduce", *arguments, "--json")
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.fixture
def twins(finished, tmp_path):
    """The finished results, and a copy of them to be changed."""
    shutil.copytree(finished / "results", tmp_path / "results")
    return finished / "results", tmp_path / "results"


def rewrite(path, change, **record):
    """Change the first row of a table, and its provenance."""
    known = provenance(path)
    name = known.pop("table")
    known.pop("schema_version")
    table = read_table(name, path)
    rows = table.to_pylist()
    # not one of a bad line, of which nothing but the run tables tells
    next(row for row in rows if row.get("kind", True)).update(change)
    table = pa.Table.from_pylist(rows, schema=table.schema)
    write_table(name, table, path, known | record)


@pytest.mark.slow
def test_a_rerun_is_equal_in_every_table(bench, tmp_path):
    code, found = reproduce(bench.path, "results", "--into", tmp_path / "again", "--cores", 2)
    assert code == 0, found["differences"]
    assert found["equal"]
    assert set(found["tables"]) == TABLES
    assert all(count["rows"] > 2 for count in found["tables"].values())
    assert found["changed"] == found["not_again"] == []
    assert len(read_table("differences", tmp_path / "again/differences.parquet")) == 0
    # it did run: another folder, with tables of its own
    medal = "results/pairs/toy/line/program/medal.parquet"
    walls = [read_table("medal", f / medal)["wall_s"][0] for f in (bench.path, tmp_path / "again")]
    assert walls[0] != walls[1]


@pytest.mark.slow
def test_a_rerun_with_a_profile_is_equal(bench, tmp_path):
    profile = tmp_path / "batched"
    profile.mkdir()
    (profile / "config.yaml").write_text("config:\n  - pairs_per_job=3\n")
    call = ("results", "--into", tmp_path / "again", "--cores", 2, "--profile", profile)
    code, found = reproduce(bench.path, *call)
    assert code == 0, found["differences"]
    assert list((tmp_path / "again/results").glob("batches/**/medal.parquet"))


def test_a_profile_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ReproduceError, match="slrum: there is no such profile; name a folder"):
        run_again(tmp_path / "results", tmp_path / "again", profile="slrum")
    assert not (tmp_path / "again").exists()


@pytest.mark.slow
def test_what_is_gone_or_changed_is_named_with_its_consequences(bench, tmp_path):
    (bench.path / "subs/near.csv").unlink()
    (bench.path / "subs/program.py").write_text("print(1)\n")
    code, found = reproduce(bench.path, "results", "--into", tmp_path / "again", "--cores", 2)
    assert code == 1
    assert {(item["path"], *item["runs"], item["why"]) for item in found["not_again"]} == {
        ("subs/near.csv", "toy/line near", "the file is gone"),
        ("subs/program.py", "toy/line program", "the file has changed since it was graded"),
    }
    assert {change["what"] for change in found["changed"]} == {"submission"}
    rows = [row for row in found["differences"] if row["table"] in STAGES]
    assert {row["run_id"] for row in rows} == {"near", "program"}
    assert {row["why"] for row in rows} == {"submission"}
    (verdict,) = [
        row for row in found["differences"]
        if (row["table"], row["run_id"], row["column"]) == ("pairs", "program", "verdict")
    ]  # fmt: skip
    assert (verdict["task_id"], verdict["old"], verdict["new"]) == ("toy/line", "pass", "fail")
    # agents, ranked against one another, and near-duplicates follow
    assert {row["why"] for row in found["differences"] if row["table"] == "agents"} == {
        "submission"
    }


def hand_in_private_files(path):
    """Let runs hand in private files by each way that tells them, most too short to be compared."""
    home = path / "data/toy/line"
    (home / "raw").mkdir(exist_ok=True)
    (home / "raw/tiny.csv").write_text("id,y\nr00,1\n")
    os.link(home / "raw/tiny.csv", path / "subs/linked.csv")
    shutil.copy(home / "prepared/private/answers.csv", path / "subs/copied.csv")
    named = {
        "in-place": "data/toy/line/raw/tiny.csv",
        "linked": "subs/linked.csv",
        "copied": "subs/copied.csv",
        "absolute": home / "raw/tiny.csv",
        "answers": "data/toy/line/prepared/private/answers.csv",
    }
    with (path / "runs.csv").open("a") as file:
        file.writelines(f"{run},eve,line,{where},\n" for run, where in named.items())
    return set(named)


@pytest.mark.slow
def test_private_files_are_refused_again_by_the_same_words(bench, tmp_path):
    runs = hand_in_private_files(bench.path)
    bench.snakemake()
    pairs = read_table("pairs", bench.path / "results/pairs.parquet").to_pylist()
    assert {row["run_id"] for row in pairs if row["reason"] == "private_file"} == runs
    code, found = reproduce(bench.path, "results", "--into", tmp_path / "again", "--cores", 2)
    assert (code, found["differences"], found["not_again"]) == (0, [], [])
    # An archive has none of them, and they are refused all the same.
    done = biomlbench(bench.path, "archive", "--partial", "--out", tmp_path / "a.zip")
    assert done.returncode == 0, done.stderr
    call = (tmp_path / "a.zip", "--into", tmp_path / "b", "--cores", 2, "--trust-code")
    code, found = reproduce(bench.path, *call)
    assert {row["run_id"] for row in found["differences"]} <= {"absolute", ""}
    named = {item["path"] for item in found["not_again"] if "as a private file" in item["why"]}
    assert named >= {"data/toy/line/raw/tiny.csv", "subs/linked.csv", "subs/copied.csv"}


@pytest.mark.parametrize(
    ("record", "why"),
    [
        ({}, UNEXPLAINED),
        ({"submission_sha256": "0" * 64}, "submission"),
        ({"task_fingerprint": "x"}, "task"),
        ({"answers_sha256": "x"}, "answers"),
        ({"code": "x"}, "grader code"),
        ({"settings": "{}"}, "config or seed"),
        ({"environment": "x"}, "environment"),
        ({"environment": "x", "answers_sha256": "y"}, "answers, environment"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_difference_has_its_reason(twins, record, why):
    old, new = twins
    rewrite(new / GRADE, {"score": 0.5}, **record)
    found = compare(old, new)
    (row,) = found.differences
    assert row == {
        "task_id": "toy/line",
        "run_id": "right",
        "table": "grade",
        "row": "",
        "column": "score",
        "old": repr(read_table("grade", old / GRADE)["score"][0].as_py()),
        "new": "0.5",
        "why": why,
    }  # fmt: skip
    assert found.tables["grade"].differences == 1
    assert found.table().to_pylist() == [row]


def test_a_stage_is_explained_by_those_before_it(twins):
    old, new = twins
    rewrite(new / "pairs/toy/line/right/grade.parquet", {}, answers_sha256="x")
    rewrite(new / "pairs/toy/line/right/medal.parquet", {"medal": "none"}, leaderboard_sha256="y")
    (row,) = compare(old, new).differences
    assert row["why"] == "answers, leaderboard"


def test_columns_that_may_differ_do_not_count(twins):
    old, new = twins
    for path in new.glob("pairs/*/*/*/medal.parquet"):
        rewrite(path, {"wall_s": 1e3, "cpu_s": 2e3, "peak_mb": 1.0, "provider": "landlock"})
    rewrite(new / "pairs.parquet", {"wall_s": 1e3, "environment": "elsewhere"})
    found = compare(old, new)
    assert found.equal
    assert found.tables["medal"].rows == 9
    assert found.tables["validate"].rows > 9  # equal files count by their rows as well


def test_a_table_or_pair_that_is_not_there(twins):
    old, new = twins
    (new / "pairs/toy/line/right/verify.parquet").unlink()
    (new / "pairs/toy/line/near/verify.parquet").write_bytes(b"PAR1")
    pairs = read_table("pairs", new / "pairs.parquet")
    write_table("pairs", pairs.filter(pa.compute.field("run_id") != "gone"), new / "pairs.parquet")
    found = {(r["table"], r["run_id"]): r for r in compare(old, new).differences}
    assert set(found) == {("verify", "right"), ("verify", "near"), ("pairs", "gone")}
    gone, torn, left = found["verify", "right"], found["verify", "near"], found["pairs", "gone"]
    assert (gone["column"], gone["old"], gone["new"]) == ("(table)", "there", "missing")
    assert gone["why"] == "stage failed"
    assert torn["new"] == "cannot be read"
    assert (left["column"], left["old"], left["new"]) == ("(row)", "there", None)
    assert left["why"] == "run table"  # though its tables are still there


def test_what_the_run_table_alone_tells_is_explained_by_it(twins):
    old, new = twins
    rewrite(new / "pairs.parquet", {"meta_cost_usd": 0.5})
    (row,) = compare(old, new).differences
    assert (row["column"], row["why"]) == ("meta_cost_usd", "run table")


def test_a_near_duplicate_comes_of_other_agents_results(twins):
    old, new = twins
    checks = read_table("checks", old / "checks.parquet").to_pylist()
    copied = checks[0] | {"check": "not-a-duplicate", "outcome": "failed"}
    write_table("checks", from_rows("checks", [*checks, copied]), new / "checks.parquet")
    found = compare(old, new).differences
    assert found
    assert {row["why"] for row in found} == {OTHERS}


def test_changes_of_the_whole_benchmark_are_listed(twins):
    old, new = twins
    record = read_record(new)
    record["config"]["grading"]["seed"] = 4
    record["environment"]["packages"]["numpy"] = "1.0"
    record["tasks"]["toy/line"]["version"] = "other"
    record["run_tables"]["runs.csv"] += "\n"
    record["config"]["data_dir"] = "/elsewhere"
    (new / RECORD).write_text(json.dumps(record))
    found = compare(old, new)
    assert found.equal
    assert {(change.what, change.name) for change in found.changed} == {
        ("config", "grading"),
        ("environment", "numpy"),
        ("task", "toy/line"),
        ("run table", "runs.csv"),
    }


def test_rows_are_told_apart_and_values_compared():
    old = pa.table({"key": ["a", "a", "b"], "x": [1.0, float("nan"), 3.0], "l": [[1.0], [], None]})
    new = pa.table({"key": ["c", "a", "a"], "x": [3.0, 1.0, float("nan")], "l": [None, [2.0], []]})
    assert [tuple(cell) for cell in differing_cells(old, new, ["key"])] == [
        ({"key": "a"}, "l", "[1.0]", "[2.0]"),
        ({"key": "b"}, "(row)", "there", None),
        ({"key": "c"}, "(row)", None, "there"),
    ]


def test_messages_that_name_a_tasks_data_in_another_folder_are_the_same():
    def table(*messages):
        return pa.table({"task_id": ["a/b"] * len(messages), "message": messages})

    old = table("/x/data/a/b/prepared/private/answers.csv: bad", "/x/a/b/raw/t: bad", "bad")
    new = table("data/a/b/prepared/private/answers.csv: bad", "data/a/b/raw/t: worse", "worse")
    cells = differing_cells(old, new, ["task_id"])
    assert [cell.new for cell in cells] == ["data/a/b/raw/t: worse", "worse"]


def test_results_without_provenance_or_a_used_folder_end_with_a_sentence(twins, tmp_path):
    old, new = twins
    (new / RECORD).unlink()
    done = biomlbench(tmp_path, "reproduce", new, "--into", tmp_path / "again")
    assert (done.returncode, done.stdout) == (3, "")
    assert "run the workflow again" in done.stderr
    assert "Traceback" not in done.stderr
    done = biomlbench(tmp_path, "reproduce", old, "--into", tmp_path)
    assert done.returncode == 3
    assert "is not empty" in done.stderr


def test_the_provenance_names_what_is_needed_and_no_place(finished):
    record = read_record(finished / "results")
    assert set(record) == {
        *("format", "biomlbench", "config", "run_tables", "submissions", "tasks", "code"),
        *("environment", "lock_sha256"),
    }
    text = (finished / "results" / RECORD).read_text()
    assert str(finished) not in text
    assert os.uname().nodename not in text
    assert record["run_tables"]["runs.csv"] == (finished / "runs.csv").read_text()
    assert record["submissions"]["subs/gone.csv"] == {"is": "missing", "sha256": "absent"}
    assert set(record["tasks"]) == {"toy/line", "toy/circle", CARD}
    assert not any(task["built_in"] for task in record["tasks"].values())


def test_the_record_tells_built_in_tasks(tmp_path):
    task = "kernels/kabsch-rmsd"
    (tmp_path / "runs.csv").write_text(f"run_id,agent,task_id,submission\nr,a,{task},r.py\n")
    benchmark = Benchmark({"runs": [str(tmp_path / "runs.csv")], "tasks": {}}, ROOT)
    record = benchmark_record(benchmark, tmp_path, SCHEMAS["pairs"].empty_table())
    assert record["tasks"][task]["built_in"]


def test_every_table_says_what_it_was_made_from(finished):
    results = finished / "results"
    of_stage = {"submission_sha256", "task_version", "task_fingerprint", "code", "environment"}
    more = {
        "execute": {"settings"},
        "grade": {"settings", "answers_sha256"},
        "verify": {"answers_sha256"},
        "medal": {"answers_sha256", "leaderboard_sha256", "humans_sha256", "grade_settings"},
    }
    for pair in (("toy/line", "right"), (CARD, "kabsch")):
        for stage in STAGES:
            record = provenance(results / "pairs" / "/".join(pair) / f"{stage}.parquet")
            assert set(record) >= of_stage | more.get(stage, set()), stage
            assert "/" not in json.dumps(record)
    grade = provenance(results / "pairs/toy/line/right/grade.parquet")
    assert json.loads(grade["settings"]) == {"bootstrap": 200, "seed": 3, "overrides": {}}
    prepare = provenance(results / "tasks/toy/line/prepare.parquet")
    assert set(prepare) >= {"task_version", "task_fingerprint", "code", "environment"}
    for name in ("pairs", "checks", "agents", "tasks", "telemetry"):
        record = provenance(results / f"{name}.parquet")
        assert set(record) >= {"code", "config", "environment", "pairs", "runs", "tasks"}, name
    rows = read_table("pairs", results / "pairs.parquet").to_pylist()
    for row in rows:
        if row["kind"]:
            assert len(row["code"]) == len(row["environment"]) == 16
            assert len(row["answers_sha256"]) == 64
    assert {row["submission_sha256"] for row in rows if row["run_id"] == "gone"} == {"absent"}


def test_the_report_shows_what_a_run_was_made_from(finished):
    pairs = read_table("pairs", finished / "results" / "pairs.parquet").to_pandas()
    shown = shown_provenance(finished / "results", pairs)
    (row,) = pairs.index[(pairs["task_id"] == "toy/line") & (pairs["run_id"] == "right")]
    assert set(shown[row]) >= {
        *("submission_sha256", "task_version", "answers_sha256", "leaderboard_sha256"),
        *("code", "grade_code", "grade_settings", "environment"),
    }
    assert shown[row]["answers_sha256"] in (finished / "results/report.html").read_text()


def test_the_processor_and_what_chooses_its_code_are_part_of_the_environment():
    code = (
        "from biomlbench.runtime import environment as e; "
        "print(e.environment_hash(), e.environment())"
    )

    def said(**variables):
        kept = {name: text for name, text in os.environ.items() if name not in KERNELS}
        done = subprocess.run(
            [sys.executable, "-c", code], env=kept | variables, capture_output=True, text=True
        )
        return done.stdout.split(maxsplit=1)

    (plain, words), (pinned, _) = said(), said(OPENBLAS_CORETYPE="Haswell")
    assert plain != pinned
    assert f"'processor': '{os.uname().machine}" in words
    assert os.uname().nodename not in words


@pytest.mark.parametrize(
    ("then", "now", "found"),
    [
        ("x86_64-v3", "x86_64-v3", {"MKL_CBWR": "AVX2"}),
        ("x86_64-v4", "x86_64-v4", {"MKL_CBWR": "AVX2"}),
        ("x86_64-v4", "x86_64-v3", {}),
        ("x86_64-v3", "aarch64", {}),
    ],
)
def test_a_rerun_uses_the_numerical_code_of_then(then, now, found):
    recorded = {"processor": then, "kernels": {"MKL_CBWR": "AVX2"}}
    assert same_kernels(recorded, {"processor": now}) == found


def test_a_rerun_on_a_processor_that_could_do_more_holds_back():
    then = {"processor": "x86_64-v3", "kernels": {}}
    assert same_kernels(then, {"processor": "x86_64-v4"})["OPENBLAS_CORETYPE"] == "Haswell"
    assert same_kernels({}, {"processor": "x86_64-v4"}) == {}


@pytest.mark.slow
def test_provenance_follows_its_cause(bench):
    def columns():
        rows = read_table("pairs", bench.results() / "pairs.parquet").to_pylist()
        return next(r for r in rows if (r["task_id"], r["run_id"]) == ("toy/line", "right"))

    before = columns()
    bench.edit("toy/toy/line/leaderboard.csv", "0.", "0.0")
    bench.snakemake()
    after = columns()
    names = [name for name in COLUMNS if name != "task_version"]
    changed = {name for name in names if before[name] != after[name]}
    assert changed == {"leaderboard_sha256"}
    assert before["task_version"] != after["task_version"]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a/b.csv", "a/b.csv"), ("./a//b", "a/b"), ("a/../b", "b"), ("../b", None),
        ("a/../../b", None), ("/b", None), (".", None), ("a\\b", None), ("a\nb", None),
        ("a\0b", None), ("\udcff", None),
    ],
    ids=ascii,
)  # fmt: skip
def test_names_that_stay_inside(path, found):
    assert inside(path) == found


def test_what_was_no_file_is_laid_out_as_what_it_was(finished, tmp_path):
    record = read_record(finished / "results")
    kinds = {
        "subs/a.csv": "link",
        "subs/b.csv": "folder",
        "subs/c.csv": "other",
        "d.csv": "missing",
    }
    record["submissions"] |= {
        path: {"sha256": "absent", "is": kind} for path, kind in kinds.items()
    }
    long = "/".join(["x" * 250] * 16) + ".csv"
    for odd in ("../outside.csv", "a\\b.csv", long):
        record["submissions"][odd] = {"sha256": "0" * 64, "is": "file"}
    into = tmp_path / "again"
    missing = lay_out(Inputs(record, finished / "results"), into)
    assert [(item.path, item.why[:15]) for item in missing] == [
        ("../outside.csv", "lies outside th"),
        ("a\\b.csv", "has a backslash"),
        (long, "the file is gone"[:15]),
    ]
    assert (into / "subs/a.csv").is_symlink()
    assert not (into / "subs/a.csv").exists()
    assert (into / "subs/b.csv").is_dir()
    assert (into / "subs/c.csv").is_fifo()
    assert not (into / "d.csv").exists()
    assert (into / "subs/right.csv").read_text() == predictions(2.0, 0.01)
    assert not (into / "data/toy/line/prepared").exists()


def test_a_submission_replaces_nothing_of_the_benchmark(finished, tmp_path):
    """Whatever its name: the config and tasks that are run are the recorded ones."""
    base = tmp_path / "base"
    shutil.copytree(finished, base)
    record = read_record(base / "results")
    names = ("config/config.yaml", "runs.csv", "toy/toy/line/prepare.py")
    for name in names:
        record["submissions"][name] = {"sha256": None, "is": "file"}
    before = (base / "toy/toy/line/prepare.py").read_text()
    (base / "config/config.yaml").write_text("demo: hostile\n")
    (base / "runs.csv").write_text("hostile")
    record["config"]["notify"] = ["hostile", "command"]
    lay_out(Inputs(record, base / "results"), tmp_path / "again")
    assert "hostile" not in (tmp_path / "again/config/config.yaml").read_text()
    assert (tmp_path / "again/runs.csv").read_text() == record["run_tables"]["runs.csv"]
    assert (tmp_path / "again/toy/toy/line/prepare.py").read_text() == before


KINDS = ("file", "link", "folder", "other")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "path",
    [
        *("runs.csv", "runs.csv/x.csv", "group", "group/submission.jsonl", "config"),
        *("config/config.yaml", "config/config.yaml/x", "toy", "toy/toy/line/prepare.py"),
        *("toy/toy/line/planted.csv", "data", "data/toy/line/prepared/private/answers.csv"),
        *("results", "results/pairs/toy/line/right/medal.parquet", ".snakemake/x"),
        *("subs", "subs/right.csv/x.csv"),
    ],
)
def test_nothing_stands_where_the_benchmark_has_its_own(finished, tmp_path, path, kind):
    """A pipe would be waited for, a link be followed, a table be taken for the rerun's own."""
    base, into = tmp_path / "base", tmp_path / "again"
    shutil.copytree(finished, base)
    record = read_record(base / "results")
    record["submissions"][path] = {"sha256": None, "is": kind}
    missing = lay_out(Inputs(record, base / "results"), into)
    assert (into / "runs.csv").read_text() == record["run_tables"]["runs.csv"]
    assert (into / "toy/toy/line/prepare.py").is_file()
    assert (into / "subs/right.csv").is_file()
    config = yaml.safe_load((into / "config/config.yaml").read_text())
    assert config["runs"] == ["runs.csv", "group/submission.jsonl"]
    own = {"results", ".snakemake", config["data_dir"], *config["tasks_dirs"]}
    planted = [p for p in into.rglob("*") if p.is_symlink() or p.is_fifo()]
    laid = [p.relative_to(into).as_posix() for p in planted]
    assert not [p for p in laid if p.split("/")[0] in own]
    assert not (into / "toy/toy/line/planted.csv").exists()
    assert not (into / "results/pairs").exists()
    if kind in ("link", "other"):
        # where a submission would be among the data, they are elsewhere
        assert (path in [item.path for item in missing]) != (config["data_dir"] == "data_")


@pytest.mark.parametrize(
    "path", ["config/config.yaml", "config", "results/pairs.parquet", "runs.csv/x.csv"]
)
def test_a_run_table_where_the_workflow_writes_is_refused(finished, tmp_path, path):
    record = read_record(finished / "results")
    record["run_tables"][path] = "run_id\n"
    with pytest.raises(ReproduceError, match=r"no run table lies where|cannot be laid out"):
        lay_out(Inputs(record, finished / "results"), tmp_path / "again")


def test_a_leaderboard_is_no_table_of_the_rerun(finished, tmp_path):
    record = read_record(finished / "results")
    planted = "results/pairs/toy/line/right/medal.parquet"
    record["config"]["tasks"] = {"toy/line": {"leaderboard": planted}}
    lay_out(Inputs(record, finished / "results"), tmp_path / "again")
    assert not (tmp_path / "again" / planted).exists()
    assert (tmp_path / "again/own-files/0-medal.parquet").is_file()


@pytest.mark.parametrize("place", ["results/pairs", "config", "subs", "toy"])
def test_data_are_where_nobody_elses_files_are(finished, tmp_path, place):
    record = read_record(finished / "results")
    record["config"]["data_dir"] = place
    lay_out(Inputs(record, finished / "results"), tmp_path / "again")
    config = yaml.safe_load((tmp_path / "again/config/config.yaml").read_text())
    assert config["data_dir"] == "data"


def test_a_name_that_no_file_can_have_costs_only_its_run(finished, tmp_path):
    record = read_record(finished / "results")
    record["submissions"]["a" * 1000] = {"sha256": None, "is": "folder"}
    missing = lay_out(Inputs(record, finished / "results"), tmp_path / "again")
    assert [(item.path, item.why[:20]) for item in missing] == [
        ("a" * 1000, "its path is too long")
    ]


def test_a_run_table_out_of_reach_is_named(finished, tmp_path):
    record = read_record(finished / "results")
    record["run_tables"] = {"/nowhere/runs.csv": "run_id\n"}
    with pytest.raises(ReproduceError, match=r"/nowhere/runs\.csv.*lies outside"):
        lay_out(Inputs(record, finished / "results"), tmp_path / "again")
