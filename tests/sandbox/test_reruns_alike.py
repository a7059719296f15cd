"""A program cannot tell by what it is given whether it runs for the first time."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

from biomlbench.sandbox import run_program
from biomlbench.stages import reruns
from biomlbench.stages import running as execute

LOOK = b"""
import json, os, re, stat, time

def seen(path):
    info = os.stat(path)
    return [stat.S_IMODE(info.st_mode), info.st_mtime_ns, info.st_nlink,
            info.st_uid == info.st_gid, sorted(os.listxattr(path))]

here = os.environ["PUBLIC_DIR"]
paths = [here] + [os.path.join(folder, name) for folder, folders, files in os.walk(here)
                  for name in folders + files]
report = {
    "paths": [os.path.relpath(path, here) for path in paths],
    "stats": [seen(path) for path in paths],
    "changed": open(os.path.join(here, "test.csv")).read(),
    "mounts": [line.split()[3:6] for line in open("/proc/self/mountinfo")],
    "environment": dict(os.environ),
    "pid": [os.getpid(), os.getppid(), os.getsid(0)],
    "folders": sorted(os.listdir("/")),
}
json.dump(report, open(os.environ["OUTPUT_PATH"], "w"))
"""


def test_inputs_of_a_rerun_look_like_those_of_the_first_run(tmp_path, confined, monkeypatch):
    public = tmp_path / "prepared" / "public"
    (public / "more").mkdir(parents=True)
    (public / "test.csv").write_text("id\n1\n")
    (public / "train.csv").write_text("id,y\n2,1\n")
    (public / "more" / "notes.txt").write_text("notes")
    (public / "test.csv").chmod(0o640)
    wanted = [{}, {"test.csv": b"id\n2\n"}, {"train.csv": b"id,y\n2,0\n"}]
    monkeypatch.setattr(reruns.reruns, "wanted", lambda task: wanted)
    nothing_wrong = SimpleNamespace(first_failure=None)
    monkeypatch.setattr(reruns, "inspect_submission", lambda *args, **kwargs: nothing_wrong)
    found = []

    def run(inputs):
        result = run_program(LOOK, inputs, provider=confined)
        assert result.status == "ok", result
        found.append(json.loads(result.output))
        return result

    task = SimpleNamespace(public_dir=public)
    _, again = reruns.run_recorded(task, "submission.csv", run, again=True)
    assert len(again) == 3
    contents = [report.pop("changed") for report in found]
    assert contents == ["id\n1\n", "id\n1\n", "id\n2\n", "id\n1\n"]
    # Every run has names of its own that are drawn anew.
    plain = [re.sub(r"biomlbench-([a-z]+-)?\w{8}", "random", json.dumps(r)) for r in found]
    assert len(set(plain)) == 1, plain
    assert str(public.parent) not in plain[0]
    assert (public / "test.csv").stat().st_mode & 0o777 == 0o640
    assert (public / "more" / "notes.txt").stat().st_nlink == 1


def test_hash_seeds_tell_nothing_of_the_repeat():
    one, other = (SimpleNamespace(fingerprint=name) for name in ("oracle", "another"))
    seeds = execute._hash_seeds(one, b"code", 4)
    assert seeds == execute._hash_seeds(one, b"code", 4)
    assert len(set(seeds)) == 4
    assert seeds[:2] == execute._hash_seeds(one, b"code", 2)
    for others in (execute._hash_seeds(other, b"code", 4), execute._hash_seeds(one, b"codf", 4)):
        assert not set(seeds) & set(others)
    assert all(0 <= seed < 1 << 32 for seed in seeds)
