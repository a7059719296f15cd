"""The progress line counts pairs, whether a job does one or many, here or on a cluster."""

from __future__ import annotations

import logging
import re
from collections import Counter
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from snakemake_interface_logger_plugins.common import LogEvent

import snakemake_logger_plugin_biomlbench as plugin
from biomlbench.stages.chain import FINAL
from biomlbench.workflow.progress import Tally, describe
from tests.workflow.conftest import say

LAST = re.compile(r"^ *(\d+) of (\d+) jobs · (.*)$", re.MULTILINE)


def last_line(stderr: str) -> str:
    return LAST.findall(stderr)[-1][2]


@pytest.fixture
def tally(monkeypatch):
    tally = Tally(expected=3)
    monkeypatch.setattr(plugin, "TALLY", tally)
    return tally


@pytest.fixture
def handler(tally):
    settings = SimpleNamespace(dryrun=False)
    handler = object.__new__(plugin.LogHandler)
    logging.Handler.__init__(handler)
    handler.common_settings = settings
    handler.__post_init__()
    return handler


@pytest.mark.parametrize(
    ("rows", "tables", "told"),
    [
        (1, 0, "1 row of the run tables left out"),
        (0, 1, "1 run table left out"),
        (3, 2, "3 rows of the run tables and 2 run tables left out"),
        (0, 0, ""),
    ],
)
def test_what_is_left_out_is_told_once_where_nothing_is_done(
    tally, handler, capsys, rows, tables, told
):
    tally.left_out, tally.tables_left_out = rows, tables
    assert describe(tally) == " · ".join(filter(None, ("0 of 3 pairs", told)))
    handler.close()
    handler.close()
    assert capsys.readouterr().err == (f"{told}\n" if told else "")


@pytest.mark.parametrize("said", plugin._STOPPED)
def test_an_interruption_is_told_with_the_remedy_and_once(handler, capsys, said):
    error = "WorkflowError:\nAt least one job did not complete successfully."
    for level, text in ((logging.INFO, f"{said}."), (logging.INFO, said), (logging.ERROR, error)):
        handler.emit(logging.LogRecord("snakemake", level, "", 0, text, None, None))
    told = capsys.readouterr().err
    assert told == f"{plugin._INTERRUPTED}\n"
    assert "run again, then only what is missing is done" in told


def test_an_end_that_waits_for_jobs_says_so(handler, capsys):
    for said in (plugin._TO_END, plugin._NOT_ALL):
        handler.emit(logging.LogRecord("snakemake", logging.ERROR, "", 0, said, None, None))
    assert capsys.readouterr().err == f"{plugin._ENDING}\n"


def test_jobs_that_failed_are_told_as_such(handler, capsys):
    error = "WorkflowError:\nAt least one job did not complete successfully."
    handler.emit(logging.LogRecord("snakemake", logging.ERROR, "", 0, error, None, None))
    assert "did not complete" in capsys.readouterr().err


@pytest.mark.slow
def test_an_interrupted_run_says_so_and_goes_on(fresh):
    # What runs in the background ignores interrupts, and all that it starts.
    fresh.at_start("import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n")
    fresh.before_each_stage("""
        import os, signal, time
        if stage == "grade" and not os.path.exists("interrupted"):
            open("interrupted", "w").close()
            os.kill(os.getppid(), signal.SIGINT)
            time.sleep(3600)  # the job is not waited for
    """)
    stopped = fresh.snakemake(check=False)
    assert stopped.returncode != 0
    assert plugin._INTERRUPTED in stopped.stderr
    for said in ("did not complete", "failed; see", "worker process", "Traceback"):
        assert said not in stopped.stderr
    fresh.snakemake()


@pytest.mark.slow
def test_an_interrupt_while_a_run_is_planned_or_a_second_one_ends_it_in_a_line(fresh):
    fresh.at_start("import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n")
    interrupt = "import os, signal; os.kill(os.getpid(), signal.SIGINT)\n"
    planning, reporting = (
        fresh.path / name for name in ("workflow/rules/audit.smk", "scripts/partial_report.py")
    )
    text = planning.read_text()
    planning.write_text(text + interrupt)
    stopped = fresh.snakemake(check=False)
    assert (stopped.returncode, "Traceback" in stopped.stderr) == (1, False)
    assert stopped.stderr.endswith("interrupted; run again, then what is missing is done\n")
    planning.write_text(text)
    fresh.before_each_stage("""
        import os, signal, time
        if not os.path.exists("interrupted"):
            open("interrupted", "w").close()
            os.kill(os.getppid(), signal.SIGINT)
            time.sleep(3600)
    """)
    with reporting.open("a") as file:
        file.write("import os, signal, time; os.kill(os.getppid(), signal.SIGINT); time.sleep(9)\n")
    stopped = fresh.snakemake(check=False)
    assert (stopped.returncode, "Traceback" in stopped.stderr) == (1, False)
    assert "interrupted; run again, then what is missing is done" in stopped.stderr
    fresh.tables()


def test_a_table_is_counted_once(tally):
    tally.finish("results/pairs/a/b/medal.parquet", ["none"])
    tally.finish("results/pairs/a/b/medal.parquet", ["none"])
    assert tally.done == 1


def test_the_pairs_of_a_failed_batch_are_held_up_until_a_retry(tally):
    folder = "results/batches/toy/line/b00001"
    tally.sizes[folder] = 3
    tally.fail(f"{folder}/grade.parquet")
    tally.fail(f"{folder}/verify.parquet")
    assert describe(tally) == "0 of 3 pairs · 3 held up by a failed job"
    tally.finish(f"{folder}/medal.parquet", ["none", "submission", "none"])
    assert describe(tally) == "3 of 3 pairs · 2 sound · 1 the submission's fault"


@pytest.mark.parametrize("faults", [["none", "submission", "none"], None])
def test_runs_of_a_batch_that_left_the_config_are_not_counted(tmp_path, faults):
    tally, folder = Tally(), str(tmp_path)
    tally.plan(folder, "validate", 2, ["r1"])
    tally.plan(folder, FINAL, 2, ["r1"])
    assert describe(tally) == "0 of 2 pairs"
    table = {"run_id": ["r0", "r1", "r2"], "fault": ["none", "submission", "none"]}
    pq.write_table(pa.table(table), f"{folder}/{FINAL}.parquet")
    tally.fail(f"{folder}/{FINAL}.parquet")
    assert describe(tally) == "0 of 2 pairs · 2 held up by a failed job"
    tally.finish(f"{folder}/{FINAL}.parquet", faults)
    assert describe(tally) == "2 of 2 pairs · 2 sound"
    assert not tally.faulty


def test_what_another_machine_finished_is_read_from_its_table(finished, handler, tally, capsys):
    say(handler, LogEvent.RUN_INFO, stats={"medal": 2, "medal_batch": 1, "total": 15})
    say(handler, LogEvent.JOB_STARTED, jobs=[1])
    assert "3 pairs to do, 15 jobs in all" in capsys.readouterr().err
    for number, (task, run) in enumerate([("toy/line", "right"), ("toy/line", "gone")]):
        table = str(finished / f"results/pairs/{task}/{run}/medal.parquet")
        say(handler, LogEvent.JOB_INFO, rule_name="medal", jobid=number, output=[table])
        assert tally.done == number
        say(handler, LogEvent.JOB_FINISHED, job_id=number)
    assert tally.faults == Counter(none=1, submission=1)
    say(handler, LogEvent.PROGRESS, done=15, total=15)
    assert "15 of 15 jobs · 2 of 3 pairs · 1 sound · 1 the submission's fault" in (
        capsys.readouterr().err
    )


def test_one_pair_and_one_job_are_told_as_one(handler, tally, capsys):
    tally.expected = 1
    say(handler, LogEvent.RUN_INFO, stats={"medal": 1, "total": 1})
    say(handler, LogEvent.JOB_STARTED, jobs=[1])
    assert "1 pair to do, 1 job in all" in capsys.readouterr().err


def test_a_damaged_table_of_another_machine_is_not_counted(tmp_path, tally):
    (tmp_path / "medal.parquet").write_bytes(b"PAR1")
    tally.finish(str(tmp_path / "medal.parquet"))
    assert tally.done == 0


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 4])
def test_a_real_run_counts_pairs(fresh, size):
    config = fresh.path / "config" / "config.yaml"
    config.write_text(config.read_text() + f"pairs_per_job: {size}\n")
    done = fresh.snakemake()
    assert "9 pairs to do" in done.stderr
    assert done.stderr.strip().splitlines()[-1].endswith("results/report.html")
    line = last_line(done.stderr)
    assert line.startswith("9 of 9 pairs · 6 sound · 3 the submission's fault · ")
    assert "pairs/s, done in" in line
    assert "held up" not in line


@pytest.mark.slow
def test_pairs_that_a_failed_job_held_up_are_counted(fresh):
    config = fresh.path / "config" / "config.yaml"
    config.write_text(config.read_text() + "pairs_per_job: 5\n")
    fresh.before_each_stage(
        'if stage == "grade" and pair and pair["run_id"] == "kabsch":\n    raise OSError("no")'
    )
    done = fresh.snakemake(check=False)
    assert done.returncode != 0
    assert "· 1 held up by a failed job" in last_line(done.stderr)
