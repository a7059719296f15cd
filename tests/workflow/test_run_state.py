"""What a run says of itself: the state in its results, and the command that is told of its end."""

from __future__ import annotations

import fcntl
import json
import logging
import math
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from snakemake_interface_logger_plugins.common import LogEvent

import snakemake_logger_plugin_biomlbench as plugin
from biomlbench.runtime import locking
from biomlbench.runtime.locking import is_held, lock
from biomlbench.workflow import run_state
from biomlbench.workflow.notification import notify
from biomlbench.workflow.plan import Benchmark
from biomlbench.workflow.progress import Tally
from biomlbench.workflow.run_failures import with_failures
from biomlbench.workflow.run_state import FILE, LOCK, Recorder, StateError, Writer, read_state
from tests.waiting import wait_until
from tests.workflow.conftest import say


class Clock:
    now = 1_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def tally(tmp_path):
    found = Tally(results=str(tmp_path / "results"))
    (tmp_path / "results").mkdir()
    for stage in ("grade", "medal"):
        found.plan(f"{found.results}/batches/toy/line/b00001", stage, 3)
        found.plan(f"{found.results}/pairs/toy/line/alone", stage)
    return found


@pytest.fixture
def recorder(tally, clock):
    return Recorder(tally, clock)


def batch(tally, stage):
    return f"{tally.results}/batches/toy/line/b00001/{stage}.parquet"


def alone(tally, stage):
    return f"{tally.results}/pairs/toy/line/alone/{stage}.parquet"


def by_stage(state):
    keys = ("done", "running", "failed", "left")
    return {row["stage"]: tuple(row[key] for key in keys) for row in state["stages"]}


def test_pairs_are_counted_by_stage_also_those_of_a_batch(tally, recorder):
    recorder.begin(1, "grade_batch", [batch(tally, "grade")])
    recorder.begin(2, "grade", [alone(tally, "grade")])
    assert by_stage(recorder.state()) == {"grade": (0, 4, 0, 0), "medal": (0, 0, 0, 4)}
    recorder.finish(1)
    recorder.fail(2, "grade", [alone(tally, "grade")], [f"{tally.results}/logs/x.log"])
    state = recorder.state()
    assert by_stage(state) == {"grade": (3, 0, 1, 0), "medal": (0, 0, 0, 4)}
    (failed,) = state["failed_jobs"]
    assert (failed["rule"], failed["task_id"], failed["run_id"]) == ("grade", "toy/line", "alone")
    assert failed["log"] == "logs/x.log"
    recorder.begin(2, "grade", [alone(tally, "grade")])
    recorder.finish(2)
    state = recorder.state()
    assert by_stage(state)["grade"] == (4, 0, 0, 0)
    assert state["failed_jobs"] == []


def test_rate_and_time_left_are_those_of_the_clock(tally, recorder, clock):
    assert recorder.state()["left_s"] is None
    recorder.begin(1, "prepare", ["results/tasks/toy/line/prepare.parquet"])
    recorder.advance(1, 4)
    clock.now += 10
    tally.finish(alone(tally, "medal"), ["none"])
    state = recorder.state()
    assert (state["left_s"], state["pairs_per_s"], state["seconds"]) == (30.0, 0.1, 10.0)
    assert state["running"] == [{"rule": "prepare", "for_s": 10.0}]


def test_nothing_runs_in_a_run_that_has_ended(tally, recorder):
    recorder.begin(1, "grade", [alone(tally, "grade")])
    assert by_stage(recorder.state())["grade"] == (0, 1, 0, 3)
    ended = recorder.state("incomplete")
    assert by_stage(ended)["grade"] == (0, 0, 0, 4)
    assert (ended["running"], ended["running_in_all"], ended["left_s"]) == ([], 0, None)


def test_a_clock_that_was_set_back_is_no_negative_time(recorder, clock):
    clock.now -= 100
    recorder.advance(1, 2)
    assert recorder.state()["seconds"] == 0.0


def test_many_jobs_do_not_make_the_file_large(tally, recorder):
    for number in range(1000):
        recorder.begin(number, "plot", [f"{number}.png"])
        recorder.fail(number + 5000, "plot", [f"{number}.svg"], [])
    state = recorder.state()
    assert state["running_in_all"] == state["failed_jobs_in_all"] == 1000
    assert len(json.dumps(state)) < 10_000
    assert state["failed_jobs"][-1]["rule"] == "plot"


def test_the_state_is_there_from_the_start_and_says_how_it_ended(tally, recorder):
    held = lock(f"{tally.results}/{LOCK}")
    writer = Writer(recorder, tally.results)
    wait_until(lambda: os.path.exists(f"{tally.results}/{FILE}"))
    assert read_state(tally.results)["state"] == "running"
    recorder.advance(1, 2)
    assert writer.end()["state"] == "incomplete"
    held.close()
    assert read_state(tally.results)["state"] == "incomplete"
    recorder.advance(2, 2)
    Writer(recorder, tally.results).end()
    assert read_state(tally.results)["state"] == "finished"


def test_a_folder_that_is_gone_does_not_stop_the_run(tally, recorder, monkeypatch):
    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(run_state, "write_json", full)
    assert Writer(recorder, tally.results).end()["state"] == "incomplete"


def put(results, **changes):
    state = Recorder(Tally(results=str(results))).state()
    (results / FILE).write_text(json.dumps(state | changes))


def test_a_killed_run_is_told_as_such(tmp_path):
    put(tmp_path)
    (tmp_path / LOCK).touch()
    assert read_state(tmp_path)["state"] == "killed"
    held = lock(tmp_path / LOCK)
    assert read_state(tmp_path)["state"] == "running"
    held.close()
    (tmp_path / LOCK).unlink()
    assert read_state(tmp_path)["state"] == "killed"


def test_a_machine_that_shares_no_locks_is_believed_while_it_writes(tmp_path):
    put(tmp_path, host="elsewhere.invalid")
    assert read_state(tmp_path)["state"] == "running"
    put(tmp_path, host="elsewhere.invalid", updated="2025-01-01T00:00:00+00:00")
    assert read_state(tmp_path)["state"] == "killed"


def test_a_run_that_ends_while_it_is_asked_was_not_killed(tmp_path, monkeypatch):
    put(tmp_path)

    def ends(_):
        put(tmp_path, state="finished")
        return False

    monkeypatch.setattr(run_state, "is_held", ends)
    assert read_state(tmp_path)["state"] == "finished"


@pytest.mark.parametrize("text", [None, "{", "[]", '{"version": 0}', "\xff"])
def test_a_state_that_cannot_be_read_is_refused_with_words(tmp_path, text):
    if text is not None:
        (tmp_path / FILE).write_text(text, encoding="latin-1")
    with pytest.raises(StateError):
        read_state(tmp_path)


def damaged(path, value):
    """A state of which one value is another; `path` are the keys that lead to it."""
    recorder = Recorder(Tally(results="results"))
    recorder.begin(1, "grade", ["results/pairs/toy/line/r/grade.parquet"])
    recorder.begin(2, "report", ["results/report.html"])
    recorder.fail(2, "report", ["results/report.html"], ["results/logs/report.log"])
    state = recorder.state()
    state["stages"] = [{"stage": "grade", "done": 1, "running": 0, "failed": 0, "left": 0}]
    place = state
    for key in path[:-1]:
        place = place[key]
    assert path[-1] in place or isinstance(place, list)
    place[path[-1]] = value
    return json.dumps(state)


NUMBERS = [
    ("seconds",),
    ("jobs", "total"),
    ("pairs", "expected"),
    ("stages", 0, "done"),
    ("pairs_per_s",),
    ("left_s",),
    ("running", 0, "for_s"),
    ("running_in_all",),
    ("failed_jobs_in_all",),
]
TEXTS = [("updated",), ("started",), ("summary",), ("stages", 0, "stage"), ("running", 0, "rule")]


@pytest.mark.parametrize("path", NUMBERS, ids=str)
@pytest.mark.parametrize(
    "value", ["9", "{0.__class__}", [], math.nan, math.inf, -1, 1e308, 10**400], ids=str
)
def test_a_number_that_is_none_is_told_as_damage(tmp_path, path, value):
    (tmp_path / FILE).write_text(damaged(path, value))
    with pytest.raises(StateError, match="is damaged"):
        read_state(tmp_path)


@pytest.mark.parametrize("path", [*TEXTS, ("state",), ("failed_jobs", 0, "log")], ids=str)
def test_a_text_that_is_none_is_told_as_damage(tmp_path, path):
    (tmp_path / FILE).write_text(damaged(path, 3))
    with pytest.raises(StateError, match="is damaged"):
        read_state(tmp_path)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("updated",), "x"),
        (("updated",), "0001-01-01T00:00:00"),
        (("state",), "weird"),
        (("pid",), "\x1b[2J"),
        (("pairs",), None),
        (("running",), {}),
        (("faulty_tables",), [1]),
    ],
)
def test_what_no_run_writes_is_told_as_damage(tmp_path, path, value):
    (tmp_path / FILE).write_text(damaged(path, value))
    with pytest.raises(StateError, match="is damaged") as caught:
        read_state(tmp_path)
    assert str(caught.value).isprintable()


def test_a_number_beyond_all_floats_is_told_as_damage(tmp_path):
    text = damaged(("seconds",), 1e30).replace("1e+30", "1e999")
    (tmp_path / FILE).write_text(text)
    with pytest.raises(StateError, match="a number is not finite"):
        read_state(tmp_path)


def test_a_pipe_in_the_place_of_a_state_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / FILE)
    with pytest.raises(StateError, match="a pipe"):
        read_state(tmp_path)


def test_asking_for_a_lock_neither_makes_nor_takes_it(tmp_path):
    assert not is_held(tmp_path / LOCK)
    assert not (tmp_path / LOCK).exists()
    held = lock(tmp_path / LOCK)
    assert is_held(tmp_path / LOCK)
    held.close()
    assert not is_held(tmp_path / LOCK)


def test_who_asks_does_not_keep_a_run_from_starting(tmp_path, monkeypatch):
    """Who asks has the lock for an instant, in which a run may begin."""
    asking = (tmp_path / LOCK).open("w")
    fcntl.flock(asking, fcntl.LOCK_SH)
    monkeypatch.setattr(locking.time, "sleep", lambda pause: pause and asking.close())
    lock(tmp_path / LOCK).close()


def test_failures_have_reason_and_remedy(tmp_path, tally, recorder):
    rows = [
        {"run_id": "a", "fault": "none", "reason": "ok", "message": ""},
        {"run_id": "b", "fault": "submission", "reason": "missing_ids", "message": "2 missing"},
        {"run_id": "c", "fault": "task", "reason": "broken_answers", "message": ""},
    ]
    table = batch(tally, "medal")
    os.makedirs(os.path.dirname(table))
    pq.write_table(pa.Table.from_pylist([{"task_id": "toy/line", **row} for row in rows]), table)
    log = tmp_path / "results" / "job.log"
    log.write_text("Traceback\nOSError: disk is full\n\n")
    tally.finish(table)
    recorder.fail(1, "grade", [alone(tally, "grade")], [str(log)])
    recorder.fail(2, "report", ["results/report.html"], [])
    recorder.fail(3, "verify", [alone(tally, "verify")], [str(log.parent / "gone.log")])
    found = with_failures(recorder.state(), tally.results)["failures"]
    assert [item.get("reason") for item in found] == [
        "OSError: disk is full",
        *["it left no log"] * 2,
        "missing_ids",
        "broken_answers",
    ]
    assert str(log) in found[0]["remedy"]
    assert found[3]["remedy"] != found[4]["remedy"]
    assert found[4]["meaning"] == "The task's answers cannot be used."


def test_the_remedy_fits_reason_and_verdict(tally, recorder):
    common = {"task_id": "toy/line", "fault": "submission", "message": ""}
    rows = [
        *(("nondeterministic", "partial", True), ("wrong_output", "fail", True)),
        *(("missing_ids", "fail", False), ("missing_file", "fail", False)),
    ]
    table = batch(tally, "medal")
    os.makedirs(os.path.dirname(table))
    told = [
        {
            **common,
            "run_id": reason,
            "reason": reason,
            "verdict": verdict,
            "valid_submission": valid,
        }
        for reason, verdict, valid in rows
    ]
    pq.write_table(pa.Table.from_pylist(told), table)
    tally.finish(table)
    found = with_failures(recorder.state(), tally.results)["failures"]
    unstable, wrong, refused, absent = (item["remedy"] for item in found)
    assert all({"verdict", "valid_submission"}.isdisjoint(item) for item in found)
    assert "keeps its score, with the verdict `partial`" in unstable
    assert "fixed seed" in unstable
    assert "keeps its score, with the verdict `fail`" in wrong
    assert "failed run" not in unstable + wrong + absent
    assert "failed run" in refused
    assert "put the file in its place" in absent


def test_a_job_that_ended_well_fails_with_its_group(tally, recorder):
    log = f"{tally.results}/job.log"
    with open(log, "w") as file:
        file.write("done in 1 s\n")
    recorder.fail(1, "validate", [alone(tally, "validate")], [log])
    (found,) = with_failures(recorder.state(), tally.results)["failures"]
    assert found["reason"] == "a job of its group failed"


def test_a_damaged_table_is_no_failure_of_the_watcher(tally, recorder):
    os.makedirs(os.path.dirname(alone(tally, "medal")))
    with open(alone(tally, "medal"), "wb") as file:
        file.write(b"PAR1")
    tally.finish(alone(tally, "medal"), ["submission"])
    assert with_failures(recorder.state(), tally.results)["failures"] == []


COPY = "import sys; open(sys.argv[1], 'wb').write(sys.stdin.buffer.read())"


def test_a_command_is_told_the_state_without_a_shell(tmp_path):
    place = tmp_path / "$(touch x) é.json"
    assert notify([sys.executable, "-c", COPY, str(place)], {"state": "finished"}) == ""
    assert json.loads(place.read_text()) == {"state": "finished"}


@pytest.mark.parametrize(
    ("command", "limit_s", "told"),
    [
        pytest.param([], 60, "", id="none"),
        pytest.param(["/no/such/command"], 60, "cannot be run", id="missing"),
        pytest.param([sys.executable, "-c", "raise SystemExit(3)"], 60, "exit code 3", id="fails"),
        pytest.param(
            [sys.executable, "-c", "import time; time.sleep(9e5)"],
            0.1,
            "more than 0.1 s",
            id="slow",
        ),
    ],
)
def test_a_command_that_fails_is_told_and_no_more(command, limit_s, told):
    found = notify(command, {"text": "x" * 1_000_000}, limit_s)
    assert told in found
    assert bool(found) == bool(told)


def handler_of(monkeypatch, tally):
    monkeypatch.setattr(plugin, "TALLY", tally)
    handler = object.__new__(plugin.LogHandler)
    logging.Handler.__init__(handler)
    handler.common_settings = SimpleNamespace(dryrun=False)
    handler.__post_init__()
    return handler


def test_the_logger_keeps_the_state_and_tells_the_command(tmp_path, tally, monkeypatch, capsys):
    told = tmp_path / "told.json"
    tally.notify = [sys.executable, "-c", COPY, str(told)]
    handler = handler_of(monkeypatch, tally)
    say(handler, LogEvent.RUN_INFO, stats={"total": 2})
    say(handler, LogEvent.JOB_INFO, jobid=1, rule_name="grade", output=[alone(tally, "grade")])
    say(handler, LogEvent.JOB_FINISHED, job_id=1)
    say(handler, LogEvent.PROGRESS, done=1, total=2)
    handler.close()
    handler.close()
    left = read_state(tmp_path / "results")
    assert left["state"] == "incomplete"
    assert left["jobs"] == {"done": 1, "total": 2}
    assert by_stage(left)["grade"] == (1, 0, 0, 3)
    assert json.loads(told.read_text())["state"] == "incomplete"
    capsys.readouterr()


def test_a_run_without_results_of_its_own_keeps_no_state(tmp_path, monkeypatch, capsys):
    """So it is in a dry run, and in a cluster's job."""
    monkeypatch.chdir(tmp_path)
    handler = handler_of(monkeypatch, Tally(notify=[sys.executable, "-c", COPY, "told.json"]))
    say(handler, LogEvent.RUN_INFO, stats={"total": 2})
    handler.close()
    assert list(tmp_path.iterdir()) == []
    capsys.readouterr()


def test_a_finished_run_has_left_its_state(finished):
    state = read_state(finished / "results")
    assert state["state"] == "finished"
    assert state["pairs"]["done"] == state["pairs"]["expected"] == 9
    assert all(row["done"] == 9 and row["left"] == 0 for row in state["stages"])
    shown = with_failures(state, finished / "results")["failures"]
    assert {row["run_id"] for row in shown} == {"short", "gone", "broken"}


def test_nothing_is_made_from_the_command_that_is_told(finished, monkeypatch):
    """So that a change of it makes nothing anew, and no record or archive has it."""
    monkeypatch.chdir(finished)
    config = yaml.safe_load((finished / "config" / "config.yaml").read_text())
    with_it = Benchmark({**config, "notify": ["tell", "token"]}, finished)
    assert with_it.notify == ["tell", "token"]
    assert with_it.config == Benchmark(config, finished).config


@pytest.mark.slow
def test_a_run_that_is_killed_is_told_as_such(fresh):
    fresh.before_each_stage('import time\nif stage == "grade":\n    time.sleep(1e6)')
    with (fresh.path / "log").open("w") as log:
        run = subprocess.Popen(fresh.command(), cwd=fresh.path, env=fresh.env(), stderr=log)
        try:
            wait_until(lambda: (fresh.results() / FILE).is_file() and _grades(fresh), by=run)
            assert read_state(fresh.results())["state"] == "running"
        finally:
            run.send_signal(signal.SIGKILL)
            run.wait()
    assert read_state(fresh.results())["state"] == "killed"


def _grades(fresh):
    return any(job["rule"] == "grade" for job in read_state(fresh.results())["running"])
