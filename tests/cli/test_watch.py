"""`biomlbench watch`: what it says of runs that go on, have ended or are gone; its exit code."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from biomlbench.cli import TROUBLE, _cli, main, watch
from biomlbench.runtime.locking import lock, mark
from biomlbench.workflow.progress import Tally
from biomlbench.workflow.run_state import FILE, LOCK, PLANNING, Recorder


def left_by(results, name, *, host=None):
    """Write the state of a run that has one pair done, one failed and one running."""
    tally = Tally(results=str(results))
    for run in ("done", "failed", "going"):
        tally.plan(f"{results}/pairs/toy/line/{run}", "grade")
        tally.plan(f"{results}/pairs/toy/line/{run}", "medal")
    recorder = Recorder(tally)
    tables = {run: f"{results}/pairs/toy/line/{run}/grade.parquet" for run in ("done", "going")}
    recorder.begin(1, "grade", [tables["done"]])
    recorder.finish(1)
    recorder.begin(2, "grade", [tables["going"]])
    (results / "bad.log").write_text("OSError: \x1b[31mno room\n")
    recorder.fail(3, "gr\x1bade", ["x\x1b.png"], [f"{results}/bad.log"])
    recorder.advance(1, 6)
    state = recorder.state(name) | ({"host": host} if host else {})
    (results / FILE).write_text(json.dumps(state))


def watched(*words):
    result = CliRunner().invoke(_cli, ["watch", *map(str, words)])
    assert "Traceback" not in result.output
    return result


@pytest.mark.parametrize(
    ("state", "code", "said"),
    [
        ("running", 1, "was killed"),
        ("incomplete", 1, "3 of 3 pairs are missing"),
        ("finished", 0, "has ended well"),
    ],
)
def test_what_has_ended_is_told_with_its_exit_code(tmp_path, state, code, said):
    left_by(tmp_path, state)
    result = watched(tmp_path)
    assert result.exit_code == code
    assert said in result.output
    assert "OSError" in result.output
    assert "remedy: see" in result.output
    assert "\x1b" not in result.output
    assert result.output.startswith("This run ")
    assert "those that earlier runs have finished are not among them" in result.output
    assert "failed jobs of this run (1)" in result.output


def test_one_look_at_a_run_that_goes_on(tmp_path):
    left_by(tmp_path, "running")
    held = lock(tmp_path / LOCK)
    result = watched(tmp_path, "--once")
    assert result.exit_code == 0
    assert "1 of 6 jobs" in result.output
    assert "grade toy/line going" in result.output
    rows = [line.split() for line in result.output.splitlines()]
    assert ["grade", "1", "1", "0", "1"] in rows
    told = json.loads(watched(tmp_path, "--once", "--json").output)
    assert told["state"] == "running"
    assert told["failures"][0]["reason"] == "OSError: \x1b[31mno room"
    held.close()


@pytest.mark.parametrize("terminal", [False, True])
def test_it_goes_on_until_the_run_ends(tmp_path, monkeypatch, terminal):
    left_by(tmp_path, "running")
    held = lock(tmp_path / LOCK)
    looks = []

    def sleep(seconds):
        looks.append(seconds)
        if len(looks) == 3:
            left_by(tmp_path, "finished")

    monkeypatch.setattr(watch.time, "sleep", sleep)
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    if terminal:
        monkeypatch.setenv("TTY_COMPATIBLE", "1")
    result = watched(tmp_path, "--interval", "0.5")
    assert looks == [0.5] * 3
    assert result.exit_code == 0
    assert "has ended well" in result.output
    assert ("\x1b[" in result.output) == terminal
    held.close()


def test_as_json_each_look_is_a_line(tmp_path, monkeypatch):
    left_by(tmp_path, "running")
    held = lock(tmp_path / LOCK)
    monkeypatch.setattr(watch.time, "sleep", lambda _: left_by(tmp_path, "incomplete"))
    result = watched(tmp_path, "--json")
    states = [json.loads(line)["state"] for line in result.output.splitlines()]
    assert states == ["running", "incomplete"]
    assert result.exit_code == watch.LOST
    held.close()


def test_a_run_that_is_being_planned_is_not_the_one_before(tmp_path):
    left_by(tmp_path, "finished")
    planning = mark(tmp_path / PLANNING)
    result = watched(tmp_path, "--once")
    assert result.exit_code == 0
    assert "works out what is to be done" in result.output
    assert "ended" not in result.output
    assert json.loads(watched(tmp_path, "--once", "--json").output)["state"] == "planning"
    assert mark(tmp_path / PLANNING) is None
    held = lock(tmp_path / LOCK)  # its first job starts; its first state is not written yet
    assert "works out what is to be done" in watched(tmp_path, "--once").output
    left_by(tmp_path, "running")
    assert "has gone on for" in watched(tmp_path, "--once").output
    left_by(tmp_path, "finished")
    held.close()
    planning.close()
    assert "has ended well" in watched(tmp_path, "--once").output


def test_it_follows_a_first_run_from_its_planning_on(tmp_path, monkeypatch):
    planning = mark(tmp_path / "new" / PLANNING)
    looks = []

    def sleep(_):
        looks.append(planning.close())
        left_by(tmp_path / "new", "finished")

    monkeypatch.setattr(watch.time, "sleep", sleep)
    result = watched(tmp_path / "new")
    assert len(looks) == 1
    assert "works out what is to be done" in result.output
    assert "has ended well" in result.output


@pytest.mark.parametrize("folder", ["", "not-there"])
def test_a_folder_without_a_state_says_what_helps(tmp_path, capsys, folder):
    with pytest.raises(SystemExit) as stop:
        main(["watch", str(tmp_path / folder)])
    assert stop.value.code == TROUBLE
    assert "biomlbench run" in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["--once"], ["--json"]])
def test_a_damaged_state_ends_with_a_sentence(tmp_path, capsys, words):
    left_by(tmp_path, "finished")
    state = json.loads((tmp_path / FILE).read_text())
    (tmp_path / FILE).write_text(json.dumps(state | {"seconds": float("inf")}))
    with pytest.raises(SystemExit) as stop:
        main(["watch", str(tmp_path), *words])
    assert stop.value.code == TROUBLE
    assert "the next run writes it again" in capsys.readouterr().err
