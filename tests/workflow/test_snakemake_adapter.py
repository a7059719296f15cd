"""Snakemake's internals are where the adapter looks for them, and do what it takes them for."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from biomlbench.runtime.usage import Usage
from biomlbench.workflow import snakemake_adapter
from biomlbench.workflow.snakemake_adapter import Adapter, FailedJobError
from tests.workflow.conftest import ROOT

# Tells what the adapter sees in a real run: while the file is read, when the run starts, in a job.
SNAKEFILE = """
import asyncio, json, os
from pathlib import Path
from biomlbench.workflow.snakemake_adapter import Adapter

pathvars:
    results="out",

SNAKEMAKE = Adapter(workflow, Path("."))
SEEN = {"read in": os.getpid(), "main": SNAKEMAKE.is_main, "at a time": SNAKEMAKE.jobs_at_a_time(),
        "results": SNAKEMAKE.results(), "given": SNAKEMAKE.given("a.csv")}
Path("read.json").write_text(json.dumps(SEEN))

def job(wildcards):
    SNAKEMAKE.stay_in_process()
    SNAKEMAKE.warm_up(3)
    Path("warm.json").write_text(str(len(SNAKEMAKE._pool._all)))
    return wildcards.name

rule all:
    input: "<results>/a.txt", "<results>/b.txt"

rule one:
    output: "<results>/{name}.txt"
    params: job=job
    run:
        SEEN[params.job] = os.getpid()
        Path(output[0]).touch()

onstart:
    SEEN["limited"] = workflow.scheduler.job_rate_limiter is not None
    SNAKEMAKE.no_rate_limit()
    SEEN["still limited"] = workflow.scheduler.job_rate_limiter is not None
    look = workflow.scheduler.update_input_sizes
    SEEN["looks"] = asyncio.iscoroutinefunction(look)
    SNAKEMAKE.no_input_sizes()
    SEEN["looks still"] = workflow.scheduler.update_input_sizes == look
    SEEN["any size"] = workflow.scheduler._input_sizes["whatever"]
    SNAKEMAKE.in_turns(lambda output, wildcards: 0)
    SEEN["rest is listed"] = isinstance(workflow.scheduler.remaining_jobs, list)
    SEEN["rest"] = len(workflow.scheduler.remaining_jobs)
    SEEN["planned"] = sorted((path, dict(names)) for path, names in SNAKEMAKE.to_be_done())

onsuccess:
    Path("seen.json").write_text(json.dumps(SEEN))
"""
IMPORTING = """
module inner:
    snakefile: "Snakefile"
    {}

use rule * from inner as inner_*
"""


def run(folder, *arguments):
    call = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(call, cwd=folder, env=env, capture_output=True, text=True)


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("adapter")
    (folder / "Snakefile").write_text(SNAKEFILE)
    done = run(folder)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "seen.json").read_text())


def test_the_main_process_and_its_cores_are_known(seen):
    assert seen["main"] is True
    assert seen["at a time"] == 2


@pytest.mark.parametrize("given", [("cores", 0), ("cores", -1), ("nodes", 0), ("local_cores", 0)])
def test_a_run_without_a_place_for_a_job_is_refused(given):
    at_hand = SimpleNamespace(**{"cores": 2, "nodes": None, "local_cores": 1, given[0]: given[1]})
    workflow = SimpleNamespace(
        is_main_process=True, resource_settings=at_hand, modifier=SimpleNamespace(path_modifier="")
    )
    with pytest.raises(ValueError, match=f" {given[1]}: no job could start; give 1 or more"):
        Adapter(workflow, ROOT).check_places()
    workflow.is_main_process = False  # in a cluster's job it is for others to say
    Adapter(workflow, ROOT).check_places()


def test_the_workflow_is_refused_without_a_core(tmp_path):
    done = run(tmp_path, "--cores", "0", "--snakefile", str(ROOT / "Snakefile"))
    assert done.returncode != 0
    assert "--cores 0: no job could start; give 1 or more" in done.stdout + done.stderr
    assert not (tmp_path / "results").exists()


def test_paths_are_as_snakemake_makes_them(seen):
    assert (seen["results"], seen["given"]) == ("out", "a.csv")


def test_jobs_run_in_the_main_process_though_no_profile_says_so(seen):
    assert {seen["a"], seen["b"]} == {seen["read in"]}


@pytest.mark.parametrize(("pretence", "workers"), [((), 2), (("-n",), 0), (("--touch",), 0)])
def test_workers_start_while_jobs_are_planned_that_will_really_run(tmp_path, pretence, workers):
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    done = run(tmp_path, *pretence)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "warm.json").read_text()) == workers


def test_the_rate_limiter_is_there_and_can_be_taken_away(seen):
    assert (seen["limited"], seen["still limited"]) == (True, False)


def test_the_look_at_inputs_is_there_and_can_be_taken_away(seen):
    assert (seen["looks"], seen["looks still"], seen["any size"]) == (True, False, 0)


def test_the_list_of_the_rest_is_there_and_can_wait(seen):
    assert not seen["rest is listed"]
    assert seen["rest"] == len(seen["planned"])


def test_what_is_planned_is_known_by_output_and_wildcards(seen):
    # The target rule has no output.
    assert [found for found in seen["planned"] if found[0]] == [
        ["out/a.txt", {"name": "a"}],
        ["out/b.txt", {"name": "b"}],
    ]


def test_an_importing_workflows_prefix_is_followed(tmp_path):
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    (tmp_path / "Outer.smk").write_text(IMPORTING.format('prefix: "there"'))
    done = run(tmp_path, "-s", "Outer.smk", "-n")
    assert done.returncode == 0, done.stderr
    read = json.loads((tmp_path / "read.json").read_text())
    assert read["results"] == "there/out"
    assert read["given"] == str(tmp_path / "a.csv")


def test_a_prefix_that_parts_tables_from_results_is_refused(tmp_path):
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    (tmp_path / "Outer.smk").write_text(IMPORTING.format('replace_prefix: {"out": "other"}'))
    done = run(tmp_path, "-s", "Outer.smk", "-n")
    assert done.returncode != 0
    assert "does not go with results in other" in done.stdout + done.stderr


@pytest.mark.parametrize("missing", ["execution_settings", "scheduler", "dag"])
def test_a_snakemake_that_has_moved_something_costs_no_run(missing, tmp_path):
    there = {
        "execution_settings": SimpleNamespace(use_threads=False),
        "scheduler": SimpleNamespace(job_rate_limiter=1),
        "dag": SimpleNamespace(needrun_jobs=list),
    }
    del there[missing]
    workflow = SimpleNamespace(modifier=SimpleNamespace(path_modifier=None), **there)
    adapter = Adapter(workflow, tmp_path)
    adapter.stay_in_process()
    adapter.warm_up(1)
    adapter.no_rate_limit()
    adapter.no_input_sizes()
    adapter.in_turns(lambda output, wildcards: 0)
    adapter.ask_soon()
    adapter.name_together({"a": "b"})
    adapter.make_again(lambda recorded: ["a"])
    assert list(adapter.to_be_done()) == []


class PatientExecutor:
    next_seconds_between_status_checks = 40

    async def sleep(self):
        raise AssertionError("waits as long as it likes")


def test_a_cluster_is_asked_soon_while_a_run_is_young(monkeypatch, tmp_path):
    waited, now = [], [100.0]

    async def wait(seconds):
        waited.append(seconds)

    monkeypatch.setattr(snakemake_adapter.asyncio, "sleep", wait)
    monkeypatch.setattr(snakemake_adapter.time, "monotonic", lambda: now[0])
    executor = PatientExecutor()
    workflow = SimpleNamespace(
        modifier=SimpleNamespace(path_modifier=None), scheduler=SimpleNamespace(_executor=executor)
    )
    Adapter(workflow, tmp_path).ask_soon()
    for elapsed in (0, 200, 4000):
        now[0] = 100.0 + elapsed
        asyncio.run(executor.sleep())
    assert waited == [1.0, 20.0, 40]


def test_the_slurm_plugins_waits_are_where_they_are_looked_for():
    plugin = pytest.importorskip("snakemake_executor_plugin_slurm")
    assert hasattr(plugin.Executor, snakemake_adapter._INTERVAL)
    assert inspect.iscoroutinefunction(plugin.Executor.sleep)


SCRIPT = """
def main(snakemake):
    if snakemake.fails:
        raise ValueError("said so")
    return bytearray(64 << 20).count(0)
"""


@pytest.fixture
def adapter(tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "work.py").write_text(SCRIPT)
    return Adapter(SimpleNamespace(modifier=SimpleNamespace(path_modifier=None)), tmp_path)


def test_the_log_of_a_job_is_always_written(adapter, tmp_path):
    log = tmp_path / "logs" / "work.log"
    with pytest.raises(FailedJobError, match="said so"):
        adapter.run("work", {"fails": True}, log)
    assert "Traceback" in log.read_text()
    adapter.run("work", {"fails": False}, log)
    assert log.read_text().startswith("done in ")


def test_time_and_memory_of_a_job_are_kept(adapter, tmp_path):
    kept = tmp_path / "work.tsv"
    assert adapter.run("work", {"fails": False}, tmp_path / "log", kept) == 64 << 20
    names, values = (line.split("\t") for line in kept.read_text().splitlines())
    assert names == ["s", "max_rss", "cpu_time"]
    assert float(values[1]) > 64


def test_an_unknown_peak_is_told_as_such():
    assert Usage(1.0, 0.5, None).table().splitlines()[1] == "1.0000\tNA\t0.50"
    assert str(Usage(1.0, 0.5, None)) == "1.000 s, CPU time 0.50 s"


IN_TURNS = """
from pathlib import Path
from biomlbench.workflow.snakemake_adapter import Adapter

SNAKEMAKE = Adapter(workflow, Path("."))
TURNS = {name: place for place, name in enumerate("d a c e b f".split())}
DONE = []

rule all:
    input: expand("{name}.second", name=TURNS), "z.first"

for number, (name, reads) in enumerate({"first": [], "second": "{name}.first"}.items()):
    rule:
        name: name
        input: reads
        output: "{name}." + name
        priority: number
        run:
            DONE.append(output[0])
            Path(output[0]).touch()

def turn_of(output, wildcards):
    turn = TURNS.get(wildcards["name"]) if wildcards else None
    return None if turn is None else turn + 0.5 * output.endswith("first")

onstart:
    SNAKEMAKE.no_rate_limit()
    SNAKEMAKE.in_turns(turn_of)

onsuccess:
    Path("done").write_text(" ".join(DONE))
"""


@pytest.mark.parametrize(
    "options", [(), ("--scheduler-subsample", "1"), ("--prioritize", "b.first")]
)
def test_jobs_are_done_in_their_turn_however_many_are_ready(tmp_path, options):
    (tmp_path / "Snakefile").write_text(IN_TURNS)
    greedy = ("--scheduler", "greedy", "--scheduler-greedy-omit-prioritize-by-temp-and-input")
    done = run(tmp_path, "--cores", "1", "--force-use-threads", *greedy, *options)
    assert done.returncode == 0, done.stderr
    found = (tmp_path / "done").read_text().split()
    usual = ["z.first", *(f"{name}.{part}" for name in "dacebf" for part in ("first", "second"))]
    if "--prioritize" in options:
        usual.remove("b.first")
        usual.insert(0, "b.first")
    assert found == usual
