"""Control groups: where they may be made, what they bound, that they go away."""

from __future__ import annotations

import os

import pytest

from biomlbench.sandbox import Case, Limits, cgroups, run_functions


def fake_host(tmp_path, mounts, membership):
    (tmp_path / "mounts").write_text(mounts)
    (tmp_path / "cgroup").write_text(membership)
    return cgroups.find(tmp_path / "mounts", tmp_path / "cgroup")


def test_version_1_needs_memory_and_pids(tmp_path):
    for name in ("memory", "pids", "cpuacct"):
        (tmp_path / name / "job").mkdir(parents=True)
    lines = [f"cgroup {tmp_path}/{n} cgroup rw,relatime,{n} 0 0" for n in ("memory", "pids")]
    member = "3:pids:/job\n2:memory:/job\n1:cpuacct:/job\n"
    found = fake_host(tmp_path, "\n".join(lines), member)
    assert found.version == 1
    assert found.memory == tmp_path / "memory" / "job"
    assert found.cpu is None
    lines.append(f"cgroup {tmp_path}/cpuacct cgroup rw,cpu,cpuacct 0 0")
    assert fake_host(tmp_path, "\n".join(lines), member).cpu == tmp_path / "cpuacct" / "job"
    assert fake_host(tmp_path, lines[0], member) is None
    assert fake_host(tmp_path, "", "") is None


@pytest.mark.parametrize("delegated", ["own", "parent", "neither"])
def test_version_2_needs_delegated_controllers(tmp_path, delegated):
    root = tmp_path / "unified"
    own = root / "user" / "task"
    own.mkdir(parents=True)
    for folder in (own, own.parent):
        (folder / "cgroup.procs").write_text("")
        (folder / "cgroup.subtree_control").write_text("cpu\n")
    place = {"own": own, "parent": own.parent}.get(delegated)
    if place is not None:
        (place / "cgroup.subtree_control").write_text("cpu memory pids\n")
    mounts = f"cgroup2 {root} cgroup2 rw 0 0\n"
    found = fake_host(tmp_path, mounts, "0::/user/task\n")
    assert (found and found.memory) == place
    if found:
        assert found.folders == (place,)


def test_a_version_2_group_is_written_and_read(tmp_path, monkeypatch):
    hierarchy = cgroups.Hierarchy(2, tmp_path, tmp_path, tmp_path)
    group = cgroups.ControlGroup(hierarchy, Limits(memory_mb=100, output_mb=1, processes=8))
    (folder,) = [path for path in tmp_path.iterdir() if path.is_dir()]
    assert int((folder / "memory.max").read_text()) == (101 + cgroups.SPARE_MEMORY_MB) << 20
    assert int((folder / "pids.max").read_text()) == 8 + cgroups.SPARE_PROCESSES
    (folder / "cpu.stat").write_text("usage_usec 2500000\nuser_usec 1\n")
    (folder / "memory.peak").write_text(f"{5 << 20}\n")
    (folder / "memory.events").write_text("low 0\noom 2\noom_kill 1\n")
    assert group.cpu_seconds() == 2.5
    assert group.peak_mb() == 5
    assert (group.memory_kills(), group.limit_hits()) == (1, 2)
    assert group.label == "cgroup-v2"
    assert group.join_arguments() == ["1", str(folder / "cgroup.procs")]
    for path in folder.iterdir():
        path.unlink()
    group.remove()
    assert list(tmp_path.iterdir()) == []


def test_groups_of_callers_that_were_killed_are_swept(tmp_path):
    here = os.stat("/proc/self/ns/pid").st_ino
    gone, own, other = (
        f"biomlbench-4194305-{here}-1-0",
        f"biomlbench-{os.getpid()}-{here}-1-0",
        "slurm",
    )
    # of a container whose process ids are not ours
    elsewhere = f"biomlbench-4194305-{here + 1}-1-0"
    for name in (gone, own, other, elsewhere):
        (tmp_path / name).mkdir()
    cgroups.sweep(cgroups.Hierarchy(2, tmp_path, tmp_path, None))
    assert {path.name for path in tmp_path.iterdir()} == {own, other, elsewhere}


def test_a_group_measures_the_whole_tree(confined):
    if cgroups.find() is None:
        pytest.skip("no control groups can be made here")
    code = b"""
import os


def f():
    pids = []
    (ready, says), (ends, end) = os.pipe(), os.pipe()
    for _ in range(4):
        pid = os.fork()
        if not pid:
            os.close(end)
            block = bytearray(b"x") * (40 << 20)
            os.write(says, b"x")
            os.read(ends, 1)
            os._exit(len(block) & 1)
        pids.append(pid)
    for _ in pids:
        os.read(ready, 1)
    os.close(end)
    for pid in pids:
        os.waitpid(pid, 0)
"""
    done = run_functions(code, [Case("a", "f")], provider=confined)
    (case,) = done.cases
    assert case.status == "ok"
    assert case.measured_by.startswith("cgroup-v")
    assert 155 < case.peak_mb < 400
