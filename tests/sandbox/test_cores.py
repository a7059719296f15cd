"""Code sees and uses the cores that it was granted, and never more."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from biomlbench.runtime.threads import VARIABLES
from biomlbench.sandbox import Case, Limits, cgroups, claims, run_functions, run_program
from biomlbench.sandbox.claims import Claim, claim_cores, running_on

if TYPE_CHECKING:
    from pathlib import Path

SEE = b"""
import json, os
import numpy
from threadpoolctl import threadpool_info

seen = {"affinity": len(os.sched_getaffinity(0)), "count": os.cpu_count()}
seen["pools"] = sorted({pool["num_threads"] for pool in threadpool_info()})
seen["environ"] = dict(os.environ)
with open(os.environ["OUTPUT_PATH"], "w") as file:
    json.dump(seen, file)
"""
# Two threads of BLAS may be none where the host has one core.
CORES = len(os.sched_getaffinity(0))


def see(provider: str, folder: Path, **limits) -> dict:
    result = run_program(SEE, folder, limits=Limits(**limits), provider=provider)
    assert result.status == "ok", result.message
    return json.loads(result.output)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_program_sees_the_cores_that_it_was_granted(provider, tmp_path, threads):
    if threads > CORES:
        pytest.skip(f"this machine has {CORES} core")
    seen = see(provider, tmp_path, threads=threads)
    assert {seen["environ"][name] for name in VARIABLES} == {str(threads)}
    assert seen["pools"] == [threads]
    assert seen["affinity"] == threads
    if provider.startswith("bwrap"):
        assert seen["count"] == threads


def test_functions_see_one_core(provider):
    code = b"import os\n\n\ndef f():\n    return len(os.sched_getaffinity(0))\n"
    done = run_functions(code, [Case("a", "f")], provider=provider)
    assert done.cases[0].value() == 1


def test_two_cores_may_use_twice_the_cpu_time(provider, tmp_path):
    # The limit on CPU time is a process's, over all its threads.
    code = b"import resource\nopen('submission.csv', 'w').write(str(resource.getrlimit(0)[0]))\n"
    found = [
        run_program(
            code, tmp_path, limits=Limits(wall_s=20, threads=threads), provider=provider
        ).output
        for threads in (1, 2)
    ]
    assert found == [b"21", b"41"]


def test_a_core_has_one_owner_while_there_are_free_ones(monkeypatch):
    monkeypatch.setattr(claims, "KIND", f"core-of-{os.getpid()}")
    held = [claim_cores(1) for _ in range(CORES)]
    try:
        assert sorted(core for _, (core,) in held) == sorted(os.sched_getaffinity(0))
        more, shared = claim_cores(1)
        assert more.names == ()
        assert len(shared) == 1
    finally:
        for claim, _ in held:
            claim.release()
    again, cores = claim_cores(CORES)
    again.release()
    assert len(cores) == CORES


def test_a_claim_of_nothing_and_a_second_release():
    claim = Claim("nothing", ["a"], 0)
    assert claim.names == ()
    claim.release()
    claim.release()


def test_the_callers_own_cores_stay():
    before = os.sched_getaffinity(0)
    with running_on([min(before)]):
        assert os.sched_getaffinity(0) == {min(before)}
    assert os.sched_getaffinity(0) == before


@pytest.mark.parametrize(
    ("version", "file", "content"),
    [(1, "cpu.cfs_quota_us", "300000"), (2, "cpu.max", "300000 100000")],
)
def test_a_control_group_bounds_cpu_time(tmp_path, version, file, content):
    folders = [tmp_path / name for name in ("memory", "pids", "cpuacct", "cpu")]
    for folder in folders:
        folder.mkdir()
    hierarchy = cgroups.Hierarchy(version, *folders)
    group = cgroups.ControlGroup(hierarchy, Limits(threads=3))
    (made,) = (tmp_path / "cpu").iterdir()
    assert (made / file).read_text() == content
    for folder in folders:
        for entry in folder.glob("*/*"):
            entry.unlink()
    group.remove()
