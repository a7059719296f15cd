"""Predictions pairs that share a job: the same rows, and finished pairs stay as they are."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from biomlbench.contracts import SCHEMAS, ContractError, compared, provenance, read_table
from biomlbench.results import Results
from biomlbench.stages import STAGES
from biomlbench.workflow.assignment import (
    AUTO,
    FEW,
    RECORD,
    SUSPECT,
    Assignment,
    batch_size,
)
from biomlbench.workflow.batch_tables import split
from biomlbench.workflow.runs import Run
from tests.docs.snippets import ROOT, blocks_of
from tests.workflow.conftest import Bench, predictions

SUMMARIES = ("pairs", "checks", "agents", "tasks", "telemetry")
IN_BATCHES = 6


def run_of(number: int, kind: str = "predictions", task: str = "toy/line") -> Run:
    names = ("seed", "attempt", "hint_tier", "label", "time")
    return Run(
        **dict.fromkeys(names),
        task_id=task,
        run_id=f"r{number:03d}",
        agent="ada",
        submission=f"{number}.csv",
        kind=kind,
        source="runs.csv:1",
    )


def runs_of(*runs: Run) -> dict[tuple[str, str], Run]:
    return {(run.task_id, run.run_id): run for run in runs}


def finish(results, assignment: Assignment) -> None:
    for task, batch in assignment.batches:
        folder = results / "batches" / task / batch
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "medal.parquet").touch()


def assert_equal_summaries(one, other):
    """Tables of all pairs are equal, wherever each pair was done."""
    for name in SUMMARIES:
        left, right = (
            compared(name, pq.read_table(path / "results" / f"{name}.parquet"))
            for path in (one, other)
        )
        assert left.equals(right), name
    assert pairs_tables(one) == pairs_tables(other)


def pairs_tables(path):
    """Rows of every stage of every pair, by task, run and stage."""
    found = {}
    for file in (
        *path.glob("results/pairs/*/*/*/*.parquet"),
        *path.glob("results/batches/*/*/*/*.parquet"),
    ):
        assert file.stem in SCHEMAS
        for run, table in split(pq.read_table(file, partitioning=None)).items():
            key = (table.column("task_id")[0].as_py(), run, file.stem)
            assert key not in found
            found[key] = compared(file.stem, table).to_pylist()
    return found


def test_only_predictions_share_a_job(tmp_path):
    runs = runs_of(*(run_of(n) for n in range(5)), run_of(7, "program"), run_of(8, "functions"))
    batches = Assignment().extend(runs, 2, tmp_path).batches
    assert [sorted(members) for members in batches.values()] == [
        ["r000", "r001"], ["r002", "r003"], ["r004"],
    ]  # fmt: skip
    assert Assignment().extend(runs, 1, tmp_path).batches == {}


def test_tasks_do_not_mix(tmp_path):
    runs = runs_of(*(run_of(n, task=f"toy/{n % 2}") for n in range(6)))
    assert {
        len(members) for members in Assignment().extend(runs, 20, tmp_path).batches.values()
    } == {3}


@pytest.mark.parametrize("size", [1, 2, 50])
def test_finished_batches_stay_when_runs_come_and_the_size_changes(tmp_path, size):
    first = Assignment().extend(runs_of(*(run_of(n) for n in range(6))), 4, tmp_path)
    finish(tmp_path, first)
    first.write(tmp_path)
    again = Assignment.read(tmp_path).extend(
        runs_of(*(run_of(n) for n in range(12))), size, tmp_path
    )
    assert {key: again.batches[key] for key in first.batches} == first.batches
    new = [run for key, runs in again.batches.items() if key not in first.batches for run in runs]
    assert sorted(new) == ([] if size == 1 else [f"r{n:03d}" for n in range(6, 12)])


@pytest.mark.parametrize("root", [None, "group"])
def test_a_run_that_leaves_changes_nothing_of_its_batch(tmp_path, root):
    """Snakemake compares what a job is about as text: keys in another order are another job."""
    runs = {key: replace(run, root=root) for key, run in runs_of(*map(run_of, range(4))).items()}
    first = Assignment().extend(runs, 4, tmp_path)
    finish(tmp_path, first)
    first.write(tmp_path)
    del runs["toy/line", "r002"]
    again = Assignment.read(tmp_path).extend(runs, 4, tmp_path)
    assert repr(again.batches) == repr(first.batches)


def test_batches_are_made_by_themselves_where_there_are_many_pairs(tmp_path):
    runs = runs_of(*(run_of(n) for n in range(FEW + 1)))
    few = dict(list(runs.items())[1:])
    assert Assignment().extend(few, AUTO, tmp_path, 2).batches == {}
    first = Assignment().extend(runs, AUTO, tmp_path, 2)
    size = batch_size(AUTO, len(runs), 2)
    *full, last = (len(members) for members in first.batches.values())
    assert set(full) == {size}
    assert sum(full) + last == len(runs)
    finish(tmp_path, first)
    more = runs | runs_of(run_of(FEW + 1))
    assert first.extend(more, AUTO, tmp_path, 2).batches == first.batches


def test_pairs_with_tables_of_their_own_stay(tmp_path):
    own = tmp_path / "pairs" / "toy" / "line" / "r001"
    own.mkdir(parents=True)
    (own / "medal.parquet").touch()
    (members,) = Assignment().extend(runs_of(run_of(1), run_of(2)), 9, tmp_path).batches.values()
    assert list(members) == ["r002"]


def test_a_pair_that_failed_its_batch_gets_a_job_of_its_own(tmp_path):
    runs = runs_of(*(run_of(n) for n in range(4)))
    first = Assignment().extend(runs, 9, tmp_path)
    ((task, batch),) = first.batches
    folder = tmp_path / "batches" / task / batch
    folder.mkdir(parents=True)
    (folder / "validate.parquet").touch()
    (folder / SUSPECT).write_text("r000\nr001\nr002\n")
    first.write(tmp_path)
    again = Assignment.read(tmp_path).extend(runs, 9, tmp_path)
    ((key, members),) = again.batches.items()
    assert key != (task, batch)
    assert sorted(members) == ["r000", "r001", "r003"]
    again.write(tmp_path)
    assert Assignment.read(tmp_path).alone == {("toy/line", "r002")}


def test_a_run_that_left_the_config_changes_nothing(tmp_path):
    first = Assignment().extend(runs_of(run_of(1), run_of(2)), 9, tmp_path)
    finish(tmp_path, first)
    assert first.extend(runs_of(run_of(1)), 9, tmp_path).batches == first.batches


def test_no_record_without_batches(tmp_path):
    Assignment().write(tmp_path)
    assert not (tmp_path / RECORD).exists()


@pytest.fixture(scope="module")
def batched(finished, tmp_path_factory):
    """The toy benchmark, its predictions in batches."""
    path = tmp_path_factory.mktemp("batched")
    shutil.copytree(finished, path, dirs_exist_ok=True)
    for name in ("results", ".snakemake", "data"):
        shutil.rmtree(path / name, ignore_errors=True)
    config = path / "config" / "config.yaml"
    config.write_text(config.read_text() + "pairs_per_job: 4\n")
    Bench(path).tables()
    return path


@pytest.fixture
def batched_bench(batched, tmp_path):
    path = tmp_path / "bench"
    shutil.copytree(batched, path)
    return Bench(path)


def test_batches_change_no_table(finished, batched):
    assert_equal_summaries(finished, batched)
    record = json.loads((batched / "results" / RECORD).read_text())
    sizes = sorted(len(b) for task in record["batches"].values() for b in task.values())
    assert sum(sizes) == IN_BATCHES


def test_the_tables_of_a_pair_and_their_origin_are_found_in_either_layout(
    finished, batched, capsys, monkeypatch
):
    """By the last example of the page that says how, whatever run is the first."""
    *_, block = blocks_of(ROOT / "docs" / "how-to" / "query-results.md")
    seen = []
    for path in (finished, batched):
        monkeypatch.chdir(path)
        exec(compile(block.text, "query-results.md", "exec"), {})
        seen.append(capsys.readouterr().out)
        assert "leaderboard_sha256" in seen[-1]
    # of a batch, the lineage is that of all its pairs
    alike = [re.sub(r"(?m)^lineage .*", "", text) for text in seen]
    assert alike[0] == alike[1]
    own, shared = (
        Results(path / "results").pair("toy/circle", "right") for path in (finished, batched)
    )
    for stage in STAGES:
        assert list(shared.stage(stage).columns) == list(own.stage(stage).columns)
        assert shared.stage(stage)["run_id"].tolist() == own.stage(stage)["run_id"].tolist()
        made_from = [pair.made_from(stage) for pair in (own, shared)]
        # of a batch, the lineage is that of all its pairs
        for found in made_from:
            found.pop("lineage", None)
        assert made_from[0] == made_from[1]


def test_a_batch_knows_where_each_pair_came_from(finished, batched):
    (table,) = (batched / "results/batches/toy/circle").glob("*/medal.parquet")
    own = provenance(finished / "results/pairs/toy/circle/right/medal.parquet")
    found = provenance(table, "right")
    # The lineage is the file's: of a batch, that of all its pairs.
    assert found.pop("lineage") != own.pop("lineage")
    assert found == own


@pytest.mark.slow
@pytest.mark.parametrize("size", [100, AUTO])
def test_tables_are_those_of_single_jobs_whatever_the_size(finished, tmp_path, size):
    bench = Bench(tmp_path / "bench")
    shutil.copytree(finished, bench.path)
    for name in ("results", ".snakemake", "data"):
        shutil.rmtree(bench.path / name, ignore_errors=True)
    config = bench.path / "config" / "config.yaml"
    config.write_text(config.read_text() + f"pairs_per_job: {size}\n")
    if size == AUTO:
        bench.at_start("from biomlbench.workflow import assignment\nassignment.FEW = 1\n")
    bench.tables()
    assert_equal_summaries(finished, bench.path)
    assert list(bench.results().glob("batches/*/*/*/medal.parquet"))


def jobs(planned, *, batch: bool):
    names = {f"{stage}_batch" if batch else stage for stage in STAGES}
    return {rule: n for rule, n in planned.items() if rule in names}


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 4, 100])
def test_a_new_run_and_another_size_rerun_nothing_that_is_finished(batched_bench, size):
    batched_bench.edit("config/config.yaml", "pairs_per_job: 4", f"pairs_per_job: {size}")
    assert not jobs(batched_bench.planned(), batch=True)
    (batched_bench.path / "subs" / "new.csv").write_text(predictions(1.5))
    with (batched_bench.path / "runs.csv").open("a") as file:
        file.write("new,cyd,line,subs/new.csv,\n")
    planned = batched_bench.planned()
    assert set(jobs(planned, batch=size > 1).values()) == {1}
    assert not jobs(planned, batch=size == 1)


def test_raising_the_size_reruns_no_pair_that_had_its_own_job(bench):
    config = bench.path / "config" / "config.yaml"
    config.write_text(config.read_text() + "pairs_per_job: 20\n")
    planned = bench.planned()
    assert not jobs(planned, batch=True)
    assert not jobs(planned, batch=False)


@pytest.mark.slow
def test_a_changed_submission_reruns_its_batch_only(batched_bench):
    (batched_bench.path / "subs" / "near.csv").write_text(predictions(2.2))
    assert set(jobs(batched_bench.planned(), batch=True).values()) == {1}
    batched_bench.snakemake()
    assert "Nothing to be done" in batched_bench.snakemake().stderr


@pytest.mark.slow
def test_who_names_a_stage_means_that_of_the_batches_as_well(batched_bench):
    def stamps():
        found = batched_bench.results().glob("*/*/*/*/*.parquet")
        return {path: path.stat().st_mtime_ns for path in found if path.stem in STAGES}

    before = stamps()
    assert {path.relative_to(batched_bench.results()).parts[0] for path in before} == {
        "pairs", "batches",
    }  # fmt: skip
    batched_bench.snakemake("--forcerun", "grade", "--until", "grade")
    changed = {path for path, stamp in stamps().items() if stamp != before[path]}
    assert changed == {path for path in before if path.stem == "grade"}
    planned = batched_bench.planned("--omit-from", "verify", "--forcerun", "execute")
    assert planned == {"execute": 3, "execute_batch": 3, "grade": 3, "grade_batch": 3}


@pytest.mark.slow
def test_a_deleted_table_of_a_batch_is_made_again(batched, batched_bench):
    (table,) = (batched_bench.results() / "batches/toy/circle").glob("*/grade.parquet")
    table.unlink()
    assert jobs(batched_bench.planned(), batch=True) == {
        "grade_batch": 1, "verify_batch": 1, "medal_batch": 1,
    }  # fmt: skip
    batched_bench.snakemake()
    assert_equal_summaries(batched, batched_bench.path)


NO_LUCK = """
import biomlbench.stages as stages

rows_and_digest = stages.rows_and_digest

def failing(stage, pair, *rest):
    if stage == "grade" and pair.run_id == "near":
        raise OSError("no luck")
    return rows_and_digest(stage, pair, *rest)

stages.rows_and_digest = failing
"""


@pytest.mark.slow
def test_a_failing_pair_is_named_and_costs_the_others_one_rerun(batched, batched_bench):
    results = batched_bench.results()
    shutil.rmtree(results / "batches")
    (results / RECORD).unlink()
    batched_bench.at_start(NO_LUCK)
    done = batched_bench.snakemake(check=False)
    assert "toy/line near: no luck" in done.stderr
    rows = read_table("pairs", results / "pairs.parquet").to_pylist()
    lost = [row for row in rows if row["reason"] == "stage_failed"]
    assert {"near"} < {row["run_id"] for row in lost}
    assert all("near: no luck" in row["message"] for row in lost)
    batched_bench.snakemake(check=False)
    rows = read_table("pairs", results / "pairs.parquet").to_pylist()
    assert [row["run_id"] for row in rows if row["reason"] == "stage_failed"] == ["near"]


@pytest.mark.parametrize("text", ["", "[]", '{"batches": []}', '{"batches": {"a": {"b": 1}}}'])
def test_a_damaged_record_of_batches_is_named(tmp_path, text):
    (tmp_path / RECORD).write_text(text)
    with pytest.raises(ContractError, match=r"batches\.json: cannot be read .* delete it"):
        Assignment.read(tmp_path)
