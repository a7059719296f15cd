"""Data that a user put in place: adopted, said once, never touched; nothing is overwritten."""

from __future__ import annotations

import json
import os
import shlex

import pytest
from click.testing import CliRunner
from test_prepare import CONFIG, PREPARER, Toy

from biomlbench.cli import _cli
from biomlbench.errors import NotPreparedError, TaskError
from biomlbench.grade import grade_csv
from biomlbench.registry import cache_dir, default_data_dir, prepare_command
from biomlbench.runtime.hashing import file_sha256
from biomlbench.stages import Context
from biomlbench.stages.prepare import compute
from biomlbench.task.adopted_data import ADOPTED, MANIFEST, PENDING, own_files
from biomlbench.task.prepare import prepare_task
from biomlbench.task.sources.archives import DataSourceError


@pytest.fixture
def toy(tmp_path, monkeypatch):
    monkeypatch.setenv("BIOMLBENCH_CACHE_DIR", str(tmp_path / "cache"))
    return Toy(tmp_path)


@pytest.fixture
def by_hand(toy):
    for name, text in {
        "public/sample_submission.csv": "id,y\n8,0\n9,0\n",
        "public/human_baselines.csv": "human_id,score\na,0.1\nb,0.3\n",
        "public/leaderboard.csv": "team,score\nx,0.5\ny,0.2\nz,0.4\n",
        "private/answers.csv": "id,y\n8,1.5\n9,2.5\n",
    }.items():
        path = toy.home / "prepared" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return toy


def state(folder):
    """Return everything that is below a folder: names, kinds, times, contents."""
    return {
        path.relative_to(folder): (
            path.stat().st_mtime_ns,
            path.stat().st_mode,
            file_sha256(path) if path.is_file() else None,
        )
        for path in [folder, *folder.rglob("*")]
    }


def api(toy):
    return prepare_task(toy.task).adopted


def prepare(toy, *words):
    options = ["--data-dir", str(toy.root / "data"), "--tasks-dir", str(toy.root / "tasks")]
    result = CliRunner().invoke(_cli, ["prepare", *words, *options])
    assert result.exit_code == 0, result.output
    return result


def command_line(toy):
    return bool(prepare(toy, "other/toy"))


def stage_message(toy):
    context = Context(data_dir=str(toy.root / "data"), tasks_dirs=(str(toy.root / "tasks"),))
    return compute("other/toy", context).column("message")[0].as_py()


def stage(toy):
    return "taken as they are" in stage_message(toy)


@pytest.mark.parametrize("door", [api, command_line, stage])
def test_every_door_adopts_says_so_once_and_touches_nothing(by_hand, door, caplog):
    before = state(by_hand.root / "data")
    assert door(by_hand)
    assert state(by_hand.root / "data") == before
    said = [r.getMessage() for r in caplog.records if "taken as they are" in r.getMessage()]
    assert len(said) == 1
    assert prepare_command(by_hand.task) + " --force" in said[0]
    assert len(list((cache_dir() / ADOPTED).iterdir())) == 1
    caplog.clear()
    assert door(by_hand)
    assert not caplog.records
    assert state(by_hand.root / "data") == before


def test_adopted_data_are_graded_with_their_leaderboard_and_humans(by_hand, tmp_path):
    prepare_task(by_hand.task)
    (tmp_path / "s.csv").write_text("id,y\n8,1.5\n9,2.5\n")
    report = grade_csv(tmp_path / "s.csv", by_hand.task)
    assert report.score == 0
    assert report.gold_threshold == 0.2
    assert report.gold_medal
    assert report.beats_human


def test_a_cache_that_cannot_be_written_stops_nothing(by_hand, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("BIOMLBENCH_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert prepare_task(by_hand.task).adopted


def test_a_gold_that_edited_answers_make_wrong_is_told_with_the_edit(toy):
    made = prepare_task(toy.task)
    (made.folder / "private/answers.csv").write_text("id,y\n1,0\n2,0\n")
    options = ["--data-dir", str(toy.root / "data"), "--tasks-dir", str(toy.root / "tasks")]
    done = CliRunner().invoke(_cli, ["prepare", "other/toy", *options])
    assert done.exit_code
    assert "worse than the sample submission" in str(done.exception)
    assert "(prepared data changed since it was prepared: private/answers.csv)" in str(
        done.exception
    )


def test_what_was_prepared_and_then_edited_is_kept(toy, caplog):
    made = prepare_task(toy.task)
    answers = made.folder / "private/answers.csv"
    answers.write_text("id,y\n1,5.5\n2,7.5\n")
    again = prepare_task(toy.task)
    assert again.adopted
    assert "changed since it was prepared: private/answers.csv" in caplog.text
    told = "prepared data changed since it was prepared: private/answers.csv"
    assert stage_message(toy) == told
    remedy = f"To prepare it anew: {prepare_command(toy.task)} --force"
    assert f"other/toy: {told}. {remedy}" in prepare(toy, "other/toy").stderr
    assert (
        "private/answers.csv" in json.loads(prepare(toy, "other/toy", "--json").stdout)[0]["note"]
    )
    assert answers.read_text() == "id,y\n1,5.5\n2,7.5\n"
    answers.write_text("id,y\n1,0\n3,0\n")
    # what is broken, in the words of every other door
    assert "give both the same ids" in stage_message(toy)
    assert told not in stage_message(toy)
    answers.write_text("id,y\n1,5.5\n2,7.5\n")
    toy.write(extra='(public / "more.csv").write_text("x")')
    assert prepare_task(toy.task).adopted
    forced = prepare_task(toy.task, force=True)
    assert (forced.fresh, forced.adopted) == (True, False)
    assert answers.read_text() == "id,y\n1,5.5\n2,7.25\n"
    assert stage_message(toy) == ""
    assert "To prepare it anew" not in prepare(toy, "other/toy").stderr


def test_earlier_data_of_a_changed_task_are_kept_where_they_differ(toy, caplog):
    made = prepare_task(toy.task)
    toy.write(extra="pass  # nothing else")
    assert prepare_task(toy.task).fresh
    assert not list(toy.home.glob("prepared-*"))
    toy.write(extra='(public / "test.csv").write_text("other")')
    assert prepare_task(toy.task).fresh
    (kept,) = toy.home.glob("prepared-*")
    assert (kept / "public/test.csv").read_text() == "id\n1\n2\n"
    assert (made.folder / "public/test.csv").read_text() == "other"
    assert str(kept) in caplog.text


def test_part_of_the_data_is_not_overwritten(by_hand):
    (by_hand.home / "prepared/private/answers.csv").unlink()
    before = state(by_hand.home / "prepared")
    with pytest.raises(TaskError, match=r"answers\.csv is missing, and .* nothing is written"):
        prepare_task(by_hand.task)
    assert state(by_hand.home / "prepared") == before
    assert prepare_task(by_hand.task, force=True).fresh


def test_a_task_without_a_preparer_lives_on_adopted_data(by_hand):
    by_hand.write(CONFIG.replace("preparer: prepare:prepare\n", ""))
    assert prepare_task(by_hand.task).adopted
    told = prepare(by_hand, "other/toy").output
    assert "taken as they are" in told
    assert "--force" not in told  # nothing would make them anew


def test_a_process_that_died_while_publishing_leaves_no_doubt(toy):
    prepare_task(toy.task)
    os.replace(toy.home / MANIFEST, toy.home / PENDING)
    done = prepare_task(toy.task)
    assert (done.fresh, done.adopted) == (False, False)


def test_own_files_are_those_that_were_not_made_here(toy, by_hand):
    names = {path.name for path in own_files(by_hand.task)}
    expected = {"answers.csv", "sample_submission.csv", "human_baselines.csv", "leaderboard.csv"}
    assert names == expected
    prepare_task(toy.task, force=True)
    assert own_files(toy.task) == []
    answers = toy.home / "prepared/private/answers.csv"
    later = answers.stat().st_mtime_ns + 10**10
    os.utime(answers, ns=(later, later))
    assert own_files(toy.task) == []
    answers.write_text(answers.read_text() + "\n")
    os.utime(answers, ns=(later, later))
    assert answers in own_files(toy.task)


@pytest.mark.parametrize("where", ["--data-dir", "default"])
def test_the_command_that_is_printed_prepares_it(tmp_path, monkeypatch, where):
    """Typed as it stands, also with blanks in the paths and a task that lies in no domain."""
    monkeypatch.setenv("BIOMLBENCH_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "my tasks" / "toy"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(CONFIG + "domain: Drug design\n")
    (folder / "prepare.py").write_text(PREPARER.format(extra="pass"))
    data = default_data_dir() if where == "default" else tmp_path / "my data"
    from biomlbench.registry import Registry

    task = Registry([tmp_path / "my tasks"], data).get_task("toy")
    (tmp_path / "s.csv").write_text("id,y\n1,0\n2,0\n")
    with pytest.raises(NotPreparedError) as refused:
        grade_csv(tmp_path / "s.csv", task)
    command = str(refused.value).partition("with: ")[2]
    assert ("--data-dir" in command) == (where == "--data-dir")
    result = CliRunner().invoke(_cli, shlex.split(command)[1:])
    assert result.exit_code == 0, result.output
    assert grade_csv(tmp_path / "s.csv", task).valid_submission


def test_data_that_cannot_be_written_say_what_to_set(toy):
    (toy.root / "data").write_text("a file")
    with pytest.raises(DataSourceError, match=r"data.*--data-dir, or `data_dir` in the config"):
        prepare_task(toy.task)
