"""Time limits: what a busy machine takes from a candidate is not booked on it."""

from __future__ import annotations

import multiprocessing
import os

import pytest

from biomlbench.sandbox import Case, Limits, run_functions, run_program
from biomlbench.sandbox.inside import clock

CODE = b"""
import os
import time


def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return "done"


def sleep(seconds):
    time.sleep(seconds)


def crowd(seconds):
    for _ in range(6):
        if not os.fork():
            break
    while True:
        pass
"""
NS = 1_000_000_000


class Machine:
    """A kernel's figures, set by hand."""

    def __init__(self, monkeypatch, folder):
        self.now = 0.0
        self._folder = folder
        monkeypatch.setattr(clock.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(clock, "_threads", lambda ids: [str(folder / str(i)) for i in ids])

    def passes(self, seconds, **threads):
        """Let time pass; `threads` give the seconds ran and waited since their start."""
        self.now += seconds
        for name, (ran, waited) in threads.items():
            (self._folder / name).write_text(f"{int(ran * NS)} {int(waited * NS)} 7\n")

    def clock(self, *threads, cores=1):
        return clock.Clock(cores, lambda: threads)


@pytest.fixture
def machine(monkeypatch, tmp_path):
    return Machine(monkeypatch, tmp_path)


def test_waiting_for_a_core_does_not_count(machine):
    watch = machine.clock("a")
    machine.passes(4.0, a=(1.0, 3.0))
    assert watch.had() == pytest.approx(1.0)
    machine.passes(4.0, a=(2.0, 6.0))
    assert watch.had() == pytest.approx(2.0)


def test_sleeping_and_computing_count(machine):
    watch = machine.clock("a", "gone")
    machine.passes(4.0, a=(0.0, 0.0))
    assert watch.had() == pytest.approx(4.0)
    machine.passes(4.0, a=(4.0, 0.0))
    assert watch.had() == pytest.approx(8.0)


def test_a_crowd_of_its_own_making_loses_nothing(machine):
    watch = machine.clock("a", "b", "c", "d")
    machine.passes(4.0, a=(1.0, 3.0), b=(1.0, 3.0), c=(1.0, 3.0), d=(1.0, 3.0))
    assert watch.had() == pytest.approx(4.0)


def test_the_thread_that_waits_longest_decides_within_what_the_cores_did_not_give(machine):
    watch = machine.clock("a", "b", cores=2)
    machine.passes(4.0, a=(2.0, 2.0), b=(3.0, 1.0))
    assert watch.had() == pytest.approx(4.0 - (4.0 - 5.0 / 2))


def test_a_thread_with_the_id_of_another_one_is_counted_from_its_start(machine):
    watch = machine.clock("a")
    machine.passes(4.0, a=(4.0, 0.0))
    assert watch.had() == pytest.approx(4.0)
    machine.passes(1.0, a=(0.5, 0.5))
    assert watch.had() == pytest.approx(4.5)


def test_a_kernel_without_figures_leaves_the_clock_as_it_is(machine):
    watch = machine.clock("missing")
    machine.passes(4.0)
    assert watch.had() == pytest.approx(4.0)


def test_a_limit_ends_when_it_is_had_and_at_the_latest_at_its_multiple(machine):
    limit = clock.Limit(machine.clock("a"), 2.0)
    assert 0 < limit.left() <= clock.STEP_S
    machine.passes(8.0, a=(1.0, 7.0))
    assert limit.left() > 0
    machine.passes(4.0, a=(2.0, 10.0))
    assert limit.left() == 0
    starved = clock.Limit(machine.clock("b"), 2.0)
    machine.passes(2.0 * clock.LONGEST, b=(0.1, 2.0 * clock.LONGEST - 0.1))
    assert starved.left() == 0


def _spin():
    while True:
        pass


@pytest.fixture
def busy():
    """A process on each core that computes beside the test."""
    context = multiprocessing.get_context("fork")
    count = len(os.sched_getaffinity(0))
    spinners = [context.Process(target=_spin, daemon=True) for _ in range(count)]
    for spinner in spinners:
        spinner.start()
    yield
    for spinner in spinners:
        spinner.kill()
        spinner.join()


def test_a_busy_machine_costs_an_honest_candidate_nothing(confined, busy):
    cases = [Case("honest", "work", (0.7,)), Case("long", "work", (4.0,))]
    cases += [Case("idle", "sleep", (90.0,)), Case("crowd", "crowd", (0.0,))]
    done = run_functions(CODE, cases, limits=Limits(wall_s=1.0), provider=confined)
    assert {case.id: case.status for case in done.cases} == {
        "honest": "ok",
        "long": "time_limit",
        "idle": "time_limit",
        "crowd": "time_limit",
    }


def test_nor_an_honest_program(confined, busy, tmp_path):
    code = CODE + b"\nwork(0.7)\nopen('submission.csv', 'w').write('id')\n"
    done = run_program(code, tmp_path, limits=Limits(wall_s=1.0), provider=confined)
    assert (done.status, done.output) == ("ok", b"id")


def test_nor_the_time_for_all_cases(confined, busy):
    cases = [Case(str(n), "work", (0.5,)) for n in range(3)]
    limits = Limits(wall_s=1.0, total_wall_s=4.0)
    done = run_functions(CODE, cases, limits=limits, provider=confined)
    assert {case.status for case in done.cases} == {"ok"}
