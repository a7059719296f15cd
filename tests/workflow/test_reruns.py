"""What reruns after a change: exactly what depends on it."""

from __future__ import annotations

import json
import os
import shutil

import pyarrow.parquet as pq
import pytest

from biomlbench.contracts import SCHEMAS, compared, read_table
from biomlbench.task.prepare import file_hashes
from biomlbench.workflow.replaced import RECORD
from tests.workflow.conftest import PER_PAIR, predictions

SUMMARIES = {"aggregate", "telemetry", "calibrate_telemetry", "report"}


def test_a_second_run_does_nothing_but_record_the_submissions(bench):
    """Else each run with nothing to do would read all of them again."""
    path = bench.path / "subs" / "near.csv"  # a copy, of which no run knows
    assert "Nothing to be done" in bench.snakemake().stderr
    recorded = json.loads((bench.path / "results" / RECORD).read_bytes())
    found = path.stat()
    assert found.st_ino in recorded[next(one for one in recorded if one.endswith("near.csv"))]


def test_a_changed_submission_reruns_its_pair(bench):
    path = bench.path / "subs" / "near.csv"
    path.write_text(predictions(2.2))
    assert bench.stages() == {"validate": 1, "execute": 1, "grade": 1, "verify": 1, "medal": 1}
    bench.snakemake()
    assert "Nothing to be done" in bench.snakemake().stderr


def test_a_submission_that_was_missing_is_graded_when_it_comes(bench):
    (bench.path / "subs" / "gone.csv").write_text(predictions(2.0))
    assert bench.stages()["medal"] == 1
    bench.snakemake()
    table = read_table("medal", bench.results() / "pairs/toy/line/gone/medal.parquet")
    assert table.column("valid_submission").to_pylist() == [True]


@pytest.mark.parametrize("change", ["replaced", "removed"])
def test_a_change_that_a_run_was_told_to_pass_over_is_healed_by_the_run_after_its_refusal(
    bench, change
):
    path, graded = bench.path / "subs/near.csv", "results/pairs/toy/line/near/medal.parquet"
    before = read_table("medal", bench.path / graded).column("score").to_pylist()
    path.write_text(predictions(2.2))
    if change == "removed":
        path.unlink()
    else:
        os.utime(path, (1, 1))
    passed_over = ("--rerun-triggers", "mtime")
    bench.snakemake(graded, "--forcerun", "medal", *passed_over)
    table = read_table("medal", bench.path / graded)
    assert table.column("reason").to_pylist() == ["submission_changed"]
    assert table.column("score").to_pylist() == [None]
    bench.tables()
    assert read_table("medal", bench.path / graded).column("score").to_pylist() != before
    assert bench.stages() == {}


def test_nothing_that_has_changed_is_taken_for_up_to_date(bench):
    """By `--touch`, after which no run would find it."""
    (bench.path / "subs/near.csv").write_text(predictions(2.2))
    done = bench.snakemake("--touch", check=False)
    assert done.returncode != 0
    assert "--touch would have results taken for" in done.stdout + done.stderr
    assert " sound" not in done.stderr
    assert bench.stages()["medal"] == 1


def test_a_copy_of_the_folder_reruns_nothing_whatever_times_its_files_have(bench):
    """By `cp -r` each file gets a new time, in any order: here what was made first is newest."""
    files = [path for path in bench.path.rglob("*") if path.is_file() and not path.is_symlink()]
    files.sort(key=lambda path: path.stat().st_mtime_ns, reverse=True)
    past = files[-1].stat().st_mtime_ns - 10**10 * len(files)
    for number, path in enumerate(files):
        os.utime(path, ns=(past + 10**10 * number,) * 2)
    assert "Nothing to be done" in bench.snakemake().stderr
    # in the content of what is newest there is a change
    with (bench.path / "data/toy/circle/prepared/private/answers.csv").open("a") as file:
        file.write("\n")
    assert bench.planned()["prepare"] == 1


def test_touching_a_submission_reruns_nothing(bench):
    os.utime(bench.path / "subs" / "near.csv")
    assert "aggregate" not in bench.planned()


def test_a_deleted_table_is_made_again_with_what_follows(bench):
    (bench.results() / "pairs/toy/line/right/grade.parquet").unlink()
    planned = bench.planned()
    assert {rule for rule in planned if not rule.startswith("plot_")} <= {
        "grade", "verify", "medal", *SUMMARIES,
    }  # fmt: skip
    assert {planned[rule] for rule in ("grade", "verify", "medal")} == {1}


def test_a_summary_that_is_not_what_its_job_wrote_is_made_again(bench):
    """Whatever its time says; and one that is gone."""
    names = ("checks.parquet", "plots/agent_rates.svg", "report.html")
    before = {name: (bench.results() / name).read_bytes() for name in names}
    for name, whole in before.items():
        path = bench.results() / name
        time = path.stat().st_mtime_ns
        path.write_bytes(whole[: len(whole) // 2])
        os.utime(path, ns=(time, time))
    (bench.results() / "provenance.json").unlink()
    done = bench.snakemake()
    for name in names:
        assert f"{name}: is not what its job has written" in done.stderr
        assert len((bench.results() / name).read_bytes()) > len(before[name]) / 2
    assert (bench.results() / "provenance.json").is_file()
    assert "Nothing to be done" in bench.snakemake().stderr


def test_another_leaderboard_reruns_the_medals_of_its_task(bench):
    bench.edit("toy/toy/line/leaderboard.csv", "team3,0.160", "team3,0.165")
    assert bench.stages() == {"medal": 6}


def test_the_content_of_files_that_the_config_names_counts(bench):
    """Whatever their times say: a copy may keep the time of its origin."""
    board, humans = bench.path / "board.csv", bench.path / "toy/toy/line/people/all.csv"
    board.write_text("score\n0.1\n0.2\n")
    humans.parent.mkdir()
    humans.write_text("score\n0.3\n")
    config = bench.path / "config" / "config.yaml"
    config.write_text(config.read_text() + "tasks: {line: {leaderboard: board.csv}}\n")
    with (bench.path / "toy/toy/line/config.yaml").open("a") as file:
        file.write("human_baselines: people/all.csv\n")
    bench.tables()
    assert bench.stages() == {}
    for path in (board, humans):
        path.write_text("score\n0.1\n0.2\n0.25\n")
        os.utime(path, (1, 1))
        assert bench.stages() == {"medal": 6}
        bench.tables()
        assert bench.stages() == {}
    table = read_table("medal", bench.results() / "pairs/toy/line/right/medal.parquet")
    assert table.column("leaderboard_size").to_pylist() == [3]


def test_the_config_of_one_task_reruns_that_task(bench):
    config = bench.path / "config" / "config.yaml"
    config.write_text(config.read_text() + "tasks:\n  toy/circle: {limits: {wall_s: 5}}\n")
    assert bench.stages() == {"execute": 1, "grade": 1, "verify": 1, "medal": 1}


def test_other_prepared_data_are_graded_anew_whatever_made_them(bench):
    """A preparation by hand leaves files that are older than its record."""
    graded = bench.results() / "pairs/toy/circle/right/medal.parquet"
    before = read_table("medal", graded).column("score").to_pylist()
    home = bench.path / "data/toy/circle"
    manifest = home / "prepared.json"
    now = manifest.stat().st_mtime_ns

    def prepare(answers):
        for name in ("answers.csv", "gold_submission.csv"):
            path = home / "prepared/private" / name
            path.unlink()
            path.write_text(answers)
            os.utime(path, ns=(now, now))
        record = json.loads(manifest.read_text())
        record["files"] = file_hashes(home / "prepared")
        manifest.write_text(json.dumps(record))

    answers = (home / "prepared/private/answers.csv").read_text()
    prepare(answers)
    assert "aggregate" not in bench.planned()
    header, *rows = answers.splitlines()
    ids = [row.partition(",")[0] for row in rows]
    prepare("\n".join([header, *(f"{i},{n}" for n, i in enumerate(ids))]) + "\n")
    assert bench.planned()["prepare"] == 1
    bench.tables()
    assert read_table("medal", graded).column("score").to_pylist() != before
    assert bench.stages() == {}
    shutil.rmtree(home)
    assert bench.stages() == {}


def test_answers_changed_by_hand_are_told_until_they_are_as_prepared(bench):
    answers = bench.path / "data/toy/circle/prepared/private/answers.csv"
    before = answers.read_text()
    header, *rows = before.splitlines()
    other = "\n".join([header, *(f"{row.partition(',')[0]},{n}" for n, row in enumerate(rows))])
    for content in (other, before):
        answers.write_text(content)
        bench.snakemake()
        changed = "private/answers.csv" if content != before else ""
        record = json.loads((bench.results() / "provenance.json").read_text())
        told = record["tasks"]["toy/circle"]["data_note"]
        assert told.endswith(changed)
        assert bool(told) == bool(changed)
        rows = read_table("tasks", bench.results() / "tasks.parquet").to_pylist()
        notes = {row["task_id"]: row["data_note"] for row in rows}
        assert {task for task, note in notes.items() if note} == ({"toy/circle"} if told else set())
        report = (bench.results() / "report.html").read_text("utf-8")
        assert ("changed since it was prepared" in report) == bool(changed)


def test_files_that_a_tasks_code_reads_count_and_its_texts_do_not(bench):
    """Of data beside the task's code nobody says whether preparer or grader reads them."""
    folder, raw = bench.path / "toy/toy/circle", bench.path / "data/toy/circle/raw"
    (folder / "weights.json").write_text("{}")
    (raw / "by-hand.csv").write_text("id\n")
    planned = bench.planned()
    assert (planned["prepare"], planned["grade"], planned["medal"]) == (1, 1, 1)
    bench.tables()
    assert bench.stages() == {}
    (folder / "README.md").write_text("Of the toy.\n")
    assert "aggregate" not in bench.planned()
    (folder / "description.md").write_bytes(b"Predict y, bitte sch\xf6n.\n")
    planned = bench.planned()
    assert planned["aggregate"] == 1
    assert not {"prepare", *PER_PAIR} & {*planned}
    done = bench.tables()
    told = [
        row["description"]
        for row in read_table("tasks", bench.results() / "tasks.parquet").to_pylist()
    ]
    assert "Predict y, bitte sch\ufffdn.\n" in told
    assert "`biomlbench prepare toy/circle` puts the new one there" in done.stderr
    (folder / "weights.json").write_text("[]")
    planned = bench.planned()
    assert (planned["prepare"], planned["grade"], planned["medal"]) == (1, 1, 1)
    (folder / "weights.json").write_text("{}")
    assert "prepare" not in bench.planned()
    (raw / "by-hand.csv").write_text("name\n")
    assert bench.planned()["prepare"] == 1


def test_a_task_may_hold_code_in_another_encoding_and_folders_named_as_code(bench):
    folder = bench.path / "toy/toy/circle"
    (folder / "old.py").write_bytes(b"# -*- coding: latin-1 -*-\nTOLD = 'Gr\xfc\xdfe'\n")
    (folder / "none.py").mkdir()
    planned = bench.planned()
    assert (planned["prepare"], planned["grade"]) == (1, 1)


@pytest.mark.slow
def test_changed_preparation_reruns_its_task(bench):
    bench.edit("toy/toy/circle/prepare.py", "/ 100", "/ 50")
    planned = bench.planned()
    assert planned["prepare"] == 1
    assert planned["medal"] == 1


@pytest.mark.parametrize(
    ("module", "stages"),
    [
        ("scoring/medals.py", {"medal": 9}),
        ("stages/chain/grade.py", {"grade": 9, "verify": 9, "medal": 9}),
        ("report/html.py", {}),
    ],
)
def test_changed_library_code_reruns_the_stages_that_use_it(bench, module, stages):
    path = bench.path / "biomlbench" / module
    path.write_text(path.read_text() + "\n# changed\n")
    assert bench.stages() == stages


def test_a_new_run_reruns_only_itself(bench):
    (bench.path / "subs" / "new.csv").write_text(predictions(1.5))
    with (bench.path / "runs.csv").open("a") as file:
        file.write("new,cyd,line,subs/new.csv,\n")
    assert bench.stages() == {"validate": 1, "execute": 1, "grade": 1, "verify": 1, "medal": 1}


@pytest.mark.slow
def test_renaming_an_agent_reruns_no_pair(bench):
    bench.edit("runs.csv", "right,ada,line", "right,eve,line")
    assert bench.stages() == {}
    assert bench.planned()["aggregate"] == 1


@pytest.mark.slow
def test_two_fresh_runs_give_equal_tables(finished, fresh):
    fresh.snakemake()
    assert_equal_results(finished, fresh.path)


def tables_of(path):
    """Files of all tables but the logs of every run, results/telemetry and results/history."""
    found = (file.relative_to(path) for file in (path / "results").rglob("*.parquet"))
    return sorted(name for name in found if name.parts[1] not in ("telemetry", "history"))


def assert_equal_results(one, other):
    names = tables_of(one)
    assert names == tables_of(other)
    for name in names:
        tables = [pq.read_table(path / name, partitioning=None) for path in (one, other)]
        assert name.stem in SCHEMAS
        left, right = (compared(name.stem, table) for table in tables)
        assert left.equals(right), name
