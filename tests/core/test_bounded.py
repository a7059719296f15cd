"""Calls in a process with limits: what becomes of them is a result, whatever they do."""

from __future__ import annotations

import faulthandler
import os
import signal
import subprocess
import sys
import threading

import pytest

from biomlbench.runtime import bounded
from biomlbench.runtime.bounded import Allowance, OverdrawnError, call_bounded
from biomlbench.sandbox import accounting

HERE = f"{__name__}:act"


def act(job):
    """Do what a job says."""
    what = job["what"]
    if what == "memory":
        return len(bytearray(job["mb"] << 20))
    if what == "spin":
        while True:
            pass
    if what == "raise":
        raise ValueError("\x1b[31m")
    if what == "crash":
        faulthandler.disable()  # it would tell of the crash in the midst of the test run's output
        os.kill(os.getpid(), signal.SIGSEGV)
    if what == "exit":
        os._exit(0)
    if what == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "large":
        return "x" * 3_000_000
    if what == "print":
        print("noise")
        return [os.getpid(), "\ud800", float("inf")]
    return None


FAULTS = {
    "memory": "used more memory than it was allowed",
    "spin": "took longer than 1 s of CPU time",
    "raise": "raised ValueError",
    "crash": "ended the process that it ran in",
    "exit": "ended the process that it ran in",
}


@pytest.fixture(params=["alone", "beside a thread"], autouse=True)
def company(request, monkeypatch):
    """Whether this process may fork: what earlier tests left running must not decide that."""
    monkeypatch.setattr(bounded, "is_alone", lambda: request.param == "alone")
    return request.param


@pytest.mark.parametrize("what", FAULTS)
def test_what_a_call_does_is_told_in_words(what):
    job = {"what": what, "mb": 300}
    with pytest.raises(OverdrawnError) as caught:
        call_bounded(HERE, job, Allowance(cpu_s=1, memory_mb=200))
    assert str(caught.value) == FAULTS[what]


def test_the_allowance_is_for_what_the_call_needs_beyond_this_process():
    held = bytearray(400 << 20)
    job = {"what": "memory", "mb": 100}
    assert call_bounded(HERE, job, Allowance(memory_mb=200)) == 100 << 20
    assert held


def test_values_come_back_and_nothing_is_printed_between(capfd):
    pid, text, number = call_bounded(HERE, {"what": "print"})
    assert pid != os.getpid()
    assert (text, number) == ("\ud800", float("inf"))
    assert len(call_bounded(HERE, {"what": "large"})) == 3_000_000
    assert capfd.readouterr().out == ""


def test_a_kill_from_outside_is_nobodys_fault():
    with pytest.raises(OSError, match="killed from outside"):
        call_bounded(HERE, {"what": "kill"})


@pytest.mark.parametrize("company", ["alone"], indirect=True)
def test_an_interruption_leaves_no_process(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(bounded, "_all_of", interrupted)
    descriptors, processes = os.listdir("/proc/self/fd"), set(accounting.tree(os.getpid()))
    with pytest.raises(KeyboardInterrupt):
        call_bounded(HERE, {"what": "spin"})
    assert set(accounting.tree(os.getpid())) <= processes
    assert os.listdir("/proc/self/fd") == descriptors


@pytest.mark.parametrize("company", ["beside a thread"], indirect=True)
def test_a_process_with_threads_does_not_fork(monkeypatch):
    def never(*_):
        raise AssertionError

    monkeypatch.undo()
    monkeypatch.setattr(bounded, "call_in_fork", never)
    end = threading.Event()
    beside = threading.Thread(target=end.wait)
    beside.start()
    try:
        assert call_bounded(HERE, {"what": "print"})[0] != os.getpid()
        with pytest.raises(OverdrawnError, match="raised ValueError"):
            call_bounded(HERE, {"what": "raise"})
    finally:
        end.set()
        beside.join()


@pytest.mark.parametrize("company", ["beside a thread"], indirect=True)
def test_a_thread_in_each_process_of_python_starts_one_worker_only(tmp_path, monkeypatch):
    """Profilers and tracers load one by ``sitecustomize``: the worker has it, too. Some print."""
    (tmp_path / "sitecustomize.py").write_text(
        "import threading, time\n"
        "print('printed by each process')\n"
        "open(f'{__file__}.log', 'a').write('started\\n')\n"
        "threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n"
    )
    code = (
        "from biomlbench.runtime.bounded import call_bounded\n"
        "print([call_bounded('builtins:len', {'a': 1}), call_bounded('builtins:len', {})])\n"
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "printed by each process\n[1, 0]\n", done.stderr
    assert (tmp_path / "sitecustomize.py.log").read_text().count("started") == 2
