"""What one candidate may use in all, and what its flood costs whoever grades it."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import biomlbench.verify
from biomlbench.outcomes import Fault, fault_of
from biomlbench.sandbox import Case, Limits, run_functions
from biomlbench.stages import Context
from biomlbench.stages.prepare import compute

TEMPLATE = Path(biomlbench.verify.__file__).parent / "template"
TASK = "kernels/gc"
FLOODS = {
    "bytes": "return b'x' * (31 << 20)",
    "numbers": "import numpy as np\n    return np.zeros(31 << 20, dtype='i1')",
    "floats": "return [0.5] * (3 << 20)",
    "lists": "return [[[]] * 10] * 50_000",
    "texts": "return ['x' * 6_000_000, *'ab' * 400]",
    "objects": "import numpy as np\n    return np.array([None, 'x'] * 400_000, dtype=object)",
}
GRADE = """
import json, sys
from biomlbench.stages import Context, Pair, run_pair

home, code = sys.argv[1:]
context = Context(data_dir=home + "/data", tasks_dirs=(home + "/tasks",), bootstrap=0)
tables = run_pair(Pair("kernels/gc", "r", code, "functions", 0), context, home + "/stages")
rows = tables["verify"].to_pylist()
# Not ru_maxrss: what the process was before it became this program counts there.
status = open("/proc/self/status").read()
own = int(status.partition("VmHWM:")[2].split()[0]) / 1024
print(json.dumps({"mb": own, "verdict": rows[0]["verdict"], "reasons": rows[0]["verdict_reasons"],
                  "messages": [row["message"] for row in rows],
                  "status": tables["execute"].column("status").to_pylist(),
                  "told": [[row["suite"], row["message"], row["total"]]
                           for row in tables["execute"].to_pylist()]}))
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    path = tmp_path_factory.mktemp("flood")
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(TEMPLATE, path / "tasks" / TASK, ignore=ignore)
    config = path / "tasks" / TASK / "config.yaml"
    assert "wall_s: 10" in config.read_text()
    config.write_text(config.read_text().replace("wall_s: 10", "wall_s: 2"))
    compute(TASK, Context(data_dir=str(path / "data"), tasks_dirs=(str(path / "tasks"),)))
    return path


def grade(home, tmp_path, body):
    """Grade code that gives the same for every case, in a process whose memory is measured."""
    code = tmp_path / "code.py"
    code.write_text(f"def gc_content(*args, **kwargs):\n    {body}\n")
    call = [sys.executable, "-c", GRADE, str(home), str(code)]
    done = subprocess.run(call, capture_output=True, text=True, check=True, timeout=600)
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    "flood",
    [pytest.param(name, marks=[] if name == "bytes" else pytest.mark.slow) for name in FLOODS],
)
def test_a_flood_of_output_costs_the_grader_little_memory(flood, home, tmp_path, confined):
    seen = grade(home, tmp_path, FLOODS[flood])
    print(flood, round(seen["mb"]), seen["status"].count("ok"))
    assert seen["mb"] < 1000
    assert seen["verdict"] == "fail"
    assert all(fault_of(reason) is Fault.SUBMISSION for reason in seen["reasons"])
    if "output_limit" in seen["status"]:
        assert any("In all: all cases together gave more than 8 MiB." in text
                   for text in seen["messages"])  # fmt: skip


FORGED = """
    import os
    import struct

    said = b"all cases together leaked " + ascii(args).encode()[:40].hex().encode() + b" 1.5 s"
    for fd in range(3, 64):
        try:
            os.write(fd, struct.pack("<4sBIQ", b"BXC1", 1, len(said), 0) + said)
        except OSError:
            continue
    os._exit(0)
"""


def test_a_forged_total_reaches_no_row_of_cases_that_are_not_visible(home, tmp_path, confined):
    seen = grade(home, tmp_path, FORGED.strip())
    assert seen["status"].count("exception") > 10
    assert not any("leaked" in text or "In all" in text for text in seen["messages"])
    assert {total for _, _, total in seen["told"]} == {None}
    assert {text for suite, text, _ in seen["told"] if suite != "visible"} == {""}


@pytest.mark.parametrize(
    ("limits", "body", "status"),
    [
        ({"total_cpu_s": 1.0}, "while time.process_time() < 0.4: pass", "time_limit"),
        ({"total_wall_s": 2.0}, "time.sleep(0.5)", "time_limit"),
        ({"total_output_mb": 1, "output_mb": 1}, "return b'x' * 300_000", "output_limit"),
        ({"total_output_mb": 1, "output_mb": 1}, "return [0] * 5_000", "output_limit"),
        ({"total_output_mb": 1, "output_mb": 1}, "print('x' * 70_000)", "output_limit"),
    ],
)
def test_totals_end_a_candidate(limits, body, status, confined):
    code = f"import time\n\n\ndef f():\n    {body}\n".encode()
    cases = [Case(str(number), "f") for number in range(20)]
    done = run_functions(code, cases, limits=Limits(**limits), provider=confined)
    said = {case.total for case in done.cases if case.status == status}
    ended = [case for case in done.cases if case.status != "ok"]
    assert {case.status for case in ended} == {status}
    assert len(said) == 1
    assert said.pop().startswith("all cases together ")
    assert all(case.payload is None for case in ended)


def test_code_that_never_ends_is_tried_on_a_few_cases_only(confined):
    code = b"import time\n\n\ndef f(n):\n    while n > 2: time.sleep(9)\n    return n\n"
    cases = [Case(str(n), "f", (n,), shown=n < 3) for n in range(20)]
    done = run_functions(code, cases, limits=Limits(wall_s=0.3), provider=confined)
    assert [case.id for case in done.cases if case.status == "ok"] == ["0", "1", "2"]
    late = [case for case in done.cases if case.status == "time_limit"]
    assert len(late) == 17
    said = [case.total for case in late if case.total]
    assert said == ["8 cases took longer than they may"] * 9


@pytest.mark.slow
def test_what_hidden_cases_gave_before_it_does_not_count(home, tmp_path, confined):
    """Which of them came first is chance, and so would be the share that passed."""
    slow = "import time; return time.sleep(99) if len(args[0]) % 2 else 0.0"
    seen = grade(home, tmp_path, slow)
    assert seen["verdict"] == "fail"
    assert {total for suite, _, total in seen["told"] if suite != "visible"} == {
        "8 cases took longer than they may"
    }


def test_totals_hold_over_the_sandboxes_of_several_hash_seeds(confined):
    code = b"def f():\n    return b'x' * 300_000\n"
    cases = [Case(str(number), "f", hash_seed=number % 3) for number in range(9)]
    limits = Limits(total_output_mb=1, output_mb=1)
    done = run_functions(code, cases, limits=limits, provider=confined)
    assert sum(case.status == "ok" for case in done.cases) == 3


def test_there_are_totals_by_default():
    limits = Limits()
    assert limits.total_wall_s == 1800
    assert limits.all_cpu_s == 1800
    assert limits.all_output_mb == 64
    assert limits.restarts == 8
    assert Limits(output_mb=100).all_output_mb == 200
    assert Limits(total_wall_s=None).all_cpu_s is None
    assert Limits(restarts=0).restarts == 0
    with pytest.raises(ValueError, match="total_output_mb"):
        Limits(total_output_mb=0)
    with pytest.raises(ValueError, match="whole number"):
        Limits(total_output_mb=0.5)


def test_a_reply_of_the_largest_size_costs_a_few_times_its_size(confined):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    code = b"def f():\n    return b'x' * (31 << 20)\n"
    done = run_functions(code, [Case("a", "f")], provider=confined)
    assert done.cases[0].status == "ok"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 250_000


@pytest.mark.parametrize(
    "end",
    [
        "os.kill(os.getpid(), signal.SIGKILL)",
        "os._exit(0)",
        "raise ValueError",
        "return type('t', (), {})()",
    ],
)
def test_cases_that_give_nothing_may_take_no_longer_together_than_those_that_never_end(
    end, confined
):
    code = f"import os, signal, time\n\n\ndef f():\n    time.sleep(0.4)\n    {end}\n".encode()
    cases = [Case(str(n), "f") for n in range(30)]
    done = run_functions(code, cases, limits=Limits(wall_s=0.5, restarts=99), provider=confined)
    said = {case.total for case in done.cases if case.total}
    assert len(said) == 1
    assert said.pop().startswith("cases without a result took ")
    tried = [case for case in done.cases if not case.total]
    assert 5 <= len(tried) <= 11
    assert {case.status for case in done.cases if case.total} == {"time_limit"}
