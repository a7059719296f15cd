"""Calling functions of a file: the same list for every provider."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import multiprocessing
import os
import threading

import numpy as np
import pytest

from biomlbench.sandbox import STATUSES, Case, Limits, run_functions
from biomlbench.sandbox.candidate import imported_libraries

CODE = b"""
import os
import sys
import time

import numpy as np


def double(x, *, plus=0):
    print("doubling")
    print("noise", file=sys.stderr)
    return 2 * x + plus


def wrong():
    raise ValueError("no such residue")


def order_of_a_set():
    return list({"alpha", "beta", "gamma", "delta", "epsilon", "zeta"})


def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def allocate(mb):
    block = np.ones(mb << 17)
    return float(block.sum())


def change(array):
    array[:] = 0
    return array


def children(count):
    pids = []
    for _ in range(count):
        pid = os.fork()
        if not pid:
            work(0.2)
            os._exit(0)
        pids.append(pid)
    return [os.waitpid(pid, 0)[1] for pid in pids]


def seed():
    return os.environ["PYTHONHASHSEED"]


value = 3
"""


def statuses(done):
    return {case.id: case.status for case in done.cases}


def test_results_and_failures_come_back_as_data(provider):
    array = np.array([1.0, np.nan, -0.0])
    cases = [
        Case("a", "double", (array,), {"plus": 1}),
        Case("b", "wrong"),
        Case("c", "absent"),
        Case("d", "value"),
        Case("e", "double"),
        Case("f", "double", ([1],)),
    ]
    done = run_functions(CODE, cases, provider=provider)
    assert [case.id for case in done.cases] == ["a", "b", "c", "d", "e", "f"]
    first = done.cases[0]
    np.testing.assert_array_equal(first.value(), 2 * array + 1)
    assert (first.stdout, first.stderr) == ("doubling\n", "noise\n")
    assert statuses(done) == {
        "a": "ok",
        "b": "exception",
        "c": "missing_function",
        "d": "missing_function",
        "e": "exception",
        "f": "exception",
    }
    assert done.cases[1].message == "ValueError: no such residue (line 16 in wrong)"
    with pytest.raises(ValueError, match="gave no result"):
        done.cases[1].value()
    assert done.load_status == "ok"
    assert done.level == {"unsafe": "unsafe", "landlock": "reduced"}.get(provider, "full")
    assert done.provider == provider


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (b"def f(:\n", "syntax_error"),
        (b"import no_such_module\n", "import_error"),
        (b"raise SystemExit(0)\n", "import_error"),
        (b"import os\nos._exit(0)\n", "crashed"),
        (b"while True: pass\n", "time_limit"),
        (b"x = bytearray(1 << 40)\n", "memory_limit"),
        (b"\xff\xfe", "syntax_error"),
        (b"import os, time\nos.fork() and None\ntime.sleep(99)\n", "time_limit"),
        (b"import os\nos.kill(os.getppid(), 9)\n", "sandbox_violation"),
        (b"", "missing_function"),
    ],
    ids=str,
)
def test_failing_imports_are_told_apart(code, status, confined):
    if status == "sandbox_violation" and confined == "landlock":
        status = "import_error"
    done = run_functions(
        code, [Case("a", "f"), Case("b", "f")], limits=Limits(wall_s=1.0), provider=confined
    )
    assert set(statuses(done).values()) == {status}
    assert done.load_status == ("ok" if status == "missing_function" else status)


def test_figures_are_measured(confined):
    cases = [
        Case("work", "work", (0.4,)),
        Case("big", "allocate", (200,)),
        Case("c", "children", (3,)),
    ]
    done = run_functions(CODE, cases, provider=confined)
    work, big, several = done.cases
    assert 0.35 < work.cpu_s < 1.5
    assert work.wall_s >= 0.4
    assert 190 < big.peak_mb < 400
    assert big.peak_mb > work.peak_mb + 150
    assert several.cpu_s > 0.5
    assert all(case.measured_by for case in done.cases)
    assert done.cpu_s > 0.8
    assert done.peak_mb >= big.peak_mb
    assert done.wall_s > sum(case.wall_s for case in done.cases)


def test_limits_are_those_of_the_task(confined):
    limits = Limits(wall_s=1.0, memory_mb=128, output_mb=1, log_kb=1)
    cases = [
        Case("slow", "work", (5.0,)),
        Case("big", "allocate", (400,)),
        Case("fine", "allocate", (64,)),
    ]
    done = run_functions(CODE, cases, limits=limits, provider=confined)
    assert statuses(done) == {"slow": "time_limit", "big": "memory_limit", "fine": "ok"}


def test_the_time_for_all_cases_is_bounded(confined):
    cases = [Case(str(i), "work", (1.5,)) for i in range(6)]
    done = run_functions(CODE, cases, limits=Limits(total_wall_s=4.0), provider=confined)
    found = list(statuses(done).values())
    assert set(found) == {"ok", "time_limit"}


@pytest.mark.parametrize("field", ["wall_s", "memory_mb", "cpu_s", "output_mb"])
def test_limits_that_limit_nothing_are_refused(field):
    with pytest.raises(ValueError, match=field):
        Limits(**{field: 0})
    if field != "cpu_s":
        with pytest.raises(ValueError, match=field):
            Limits(**{field: None})


def test_limits_are_whole_numbers_where_the_kernel_wants_them():
    assert Limits(memory_mb=256.0).memory_mb == 256
    with pytest.raises(ValueError, match="whole number"):
        Limits(memory_mb=0.5)


def test_a_candidate_that_keeps_ending_its_sandbox_is_given_up(confined):
    if not confined.startswith("bwrap"):
        pytest.skip("only a namespace tells the candidate's own signals from others")
    code = b"""
import os
import sys


def f():
    wire = sys.modules["inside.wire"]
    for pid in range(1, 50):
        for fd in range(10):
            try:
                os.write(os.open(f"/proc/{pid}/fd/{fd}", os.O_WRONLY), b"x" * 200)
            except OSError:
                continue
    while True:
        for number in range(100_000):
            open(f"file-{number}", "w").close()
"""
    limits = Limits(restarts=2)
    cases = [Case(str(i), "f") for i in range(6)]
    done = run_functions(code, cases, provider=confined, limits=limits)
    assert {case.status for case in done.cases} <= {"output_limit", "time_limit"}
    given_up = [case.total for case in done.cases if case.total]
    assert given_up == ["all cases together needed 3 restarts"] * 3


@pytest.mark.parametrize("seed", [-1, 1 << 32])
def test_an_impossible_seed_is_refused(seed, confined):
    with pytest.raises(ValueError, match="seed"):
        run_functions(CODE, [Case("a", "seed", hash_seed=seed)], provider=confined)


def test_repeats_run_under_their_own_hash_seed(confined):
    cases = [
        Case(f"{seed}-{i}", "order_of_a_set", hash_seed=seed)
        for seed in (None, 1, 2)
        for i in (0, 1)
    ]
    done = run_functions(CODE, [*cases, Case("s", "seed", hash_seed=7)], provider=confined)
    values = {case.id: case.value() for case in done.cases}
    assert values["s"] == "7"
    for seed in (None, 1, 2):
        assert values[f"{seed}-0"] == values[f"{seed}-1"]
    assert len({tuple(values[f"{seed}-0"]) for seed in (None, 1, 2)}) > 1


def test_cases_do_not_see_each_other(confined):
    code = b"state = []\n\n\ndef count():\n    state.append(1)\n    return len(state)\n"
    done = run_functions(code, [Case(str(i), "count") for i in range(5)], provider=confined)
    assert [case.value() for case in done.cases] == [1] * 5


def test_the_order_of_cases_is_hidden_and_ids_stay_outside(confined, tmp_path):
    code = b"import time\n\n\ndef now():\n    return time.monotonic()\n"
    cases = [Case(str(i), "now") for i in range(20)]
    orders = set()
    for _ in range(2):
        done = run_functions(code, cases, provider=confined)
        times = [case.value() for case in done.cases]
        orders.add(tuple(np.argsort(times)))
    assert tuple(range(20)) not in orders
    assert len(orders) == 2


def test_cases_that_are_shown_run_before_all_others(confined):
    """Whatever the others leave in the kernel's counters, nobody is shown."""
    code = b"import time\n\n\ndef now():\n    return time.monotonic()"
    cases = [Case(str(i), "now", shown=i % 4 == 0) for i in range(20)]
    execution = run_functions(code, cases, provider=confined)
    times = {case.id: case.value() for case in execution.cases}
    shown = [times[case.id] for case in cases if case.shown]
    others = [times[case.id] for case in cases if not case.shown]
    assert max(shown) < min(others)
    assert others != sorted(others)


def test_arguments_are_a_copy(confined):
    array = np.ones(3)
    done = run_functions(CODE, [Case("a", "change", (array,))], provider=confined)
    assert done.cases[0].value().tolist() == [0, 0, 0]
    assert array.tolist() == [1, 1, 1]


def test_large_arguments_and_results_pass_through(confined):
    array = np.arange(1 << 20, dtype=float)
    done = run_functions(CODE, [Case("a", "double", (array,))], provider=confined)
    np.testing.assert_array_equal(done.cases[0].value(), 2 * array)


def test_a_file_will_do_and_repeated_ids_will_not(confined, tmp_path):
    path = tmp_path / "candidate.py"
    path.write_bytes(CODE)
    done = run_functions(path, [Case("a", "double", (2,))], provider=confined)
    assert done.cases[0].value() == 4
    with pytest.raises(ValueError, match="same id"):
        run_functions(path, [Case("a", "double"), Case("a", "double")], provider=confined)
    with pytest.raises(ValueError, match="at most"):
        run_functions(b"#" * (17 << 20), [Case("a", "double")], provider=confined)
    assert run_functions(CODE, [], provider=confined).cases == ()


def test_threads_and_worker_processes_run_sandboxes_at_once(confined):
    cases = [Case(str(i), "double", (i,)) for i in range(5)]

    def once(_):
        done = run_functions(CODE, cases, provider=confined)
        return [case.value() for case in done.cases]

    before = threading.active_count(), set(os.listdir("/proc/self/fd"))
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        assert list(pool.map(once, range(6))) == [[0, 2, 4, 6, 8]] * 6
    assert (threading.active_count(), set(os.listdir("/proc/self/fd"))) == before
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(_in_a_worker, [confined] * 3)) == [[2, 4]] * 3


def _in_a_worker(provider):
    cases = [Case(str(i), "double", (i,)) for i in (1, 2)]
    return [case.value() for case in run_functions(CODE, cases, provider=provider).cases]


def test_statuses_are_reason_codes():
    outcomes = pytest.importorskip("biomlbench.outcomes")
    known = {reason.value for reason in outcomes.Reason}
    assert set(STATUSES) <= known
    for status in STATUSES:
        if status != "ok":
            assert outcomes.fault_of(status) == outcomes.Fault.SUBMISSION


def test_results_are_plain_records(confined):
    done = run_functions(CODE, [Case("a", "double", (1,))], provider=confined)
    for record in (done, done.cases[0]):
        with pytest.raises(dataclasses.FrozenInstanceError):
            record.wall_s = 0.0


def test_libraries_are_found_in_the_text_only():
    text = b"""
import numpy as np, os
from scipy.spatial.transform import Rotation
  from scipy import stats
import numpy.f2py.__main__
import pandas_backdoor
# import sklearn.secret; os.system("x")
from sklearn.linear_model import (
"""
    assert imported_libraries(text) == [
        "numpy",
        "scipy.spatial.transform",
        "scipy",
        "sklearn.linear_model",
    ]
    assert (
        len(imported_libraries(b"\n".join(b"import scipy." + b"a" * i for i in range(1, 99)))) == 16
    )
