"""Whatever submissions are called and whatever lies there, each is a row with its reason."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
from pathlib import Path
from unicodedata import normalize

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from biomlbench.contracts import read_table
from tests.workflow.conftest import predictions

RIGHT = predictions(2.0, 0.01)
CONTROL, BRACE = "holds a control character", "holds a brace"
NAMES = {
    "newline": ("new\nline", CONTROL),
    "tab": ("tab\there", CONTROL),
    "escape": ("\x1b[2Jred", CONTROL),
    "delete": ("a\x7fb", CONTROL),
    "shell": ("$(touch ran);*?[a]{b}", BRACE),
    "braces": ("{run}{0}%s", BRACE),
    "longest": ("x" * 251, ""),
    "quotes": ('it\'s "quoted" `so`', ""),
    "dash": ("-n", ""),
    "backslash": ("back\\slash", ""),
    "spaces": (" both ends ", ""),
    "dots": ("...", ""),
    "stars": ("*?[a]$(touch ran);&|", ""),
    "composed": (normalize("NFC", "é"), ""),
    "decomposed": (normalize("NFD", "é"), ""),
    "lower": ("case", ""),
    "upper": ("CASE", ""),
    "right-to-left": ("\u202eabc", ""),
}
"""Legal names that break a careless program, and what is said where such a row is left out."""
LONG_AGENT = "`agent` has 251 characters"
"""A list's folder names its agent."""
TIME = 4_000_000_000
"""In the future, seconds."""


def _write(path, data):
    path.write_bytes(data if isinstance(data, bytes) else data.encode())


def _sparse(path):
    path.touch()
    os.truncate(path, 2**30)


def _socket(path):
    here = Path.cwd()
    os.chdir(path.parent)  # a socket's name has at most 107 bytes
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(path.name)
    finally:
        os.chdir(here)


def _of_private(path):
    raw = path.parents[1] / "data/toy/line/raw" / path.name
    raw.parent.mkdir(parents=True, exist_ok=True)
    raw.write_text(RIGHT if path.suffix == ".csv" else "print(1)\n")
    os.link(raw, path)


def _loop(path):
    other = path.with_name(f"other of {path.name}")
    other.symlink_to(path.name)
    path.symlink_to(other.name)


def _without_rights(path):
    path.write_text(RIGHT)
    path.chmod(0)


def _future(path):
    path.write_text(RIGHT)
    os.utime(path, (TIME, TIME))


def _device(path):
    os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))  # /dev/zero


READ_BY_ALL = os.geteuid() == 0
"""Root opens what no mode lets it open."""
FILES = {
    "empty": (lambda path: _write(path, ""), "empty", "empty"),
    "bom": (lambda path: _write(path, b"\xef\xbb\xbf" + RIGHT.encode()), "ok", ""),
    "utf-16": (lambda path: _write(path, RIGHT.encode("utf-16")), "ok", ""),
    "nul": (lambda path: _write(path, RIGHT.replace("r00", "r\0")), "unreadable", "binary"),
    "nothing-but-nul": (lambda path: _write(path, bytes(4096)), "unreadable", "binary"),
    "sparse": (_sparse, "too_large", "1073741824 bytes"),
    "folder": (lambda path: path.mkdir(), "unsafe_path", "is a folder"),
    "pipe": (os.mkfifo, "unsafe_path", "is a pipe"),
    "socket": (_socket, "unsafe_path", "is a socket"),
    "device": (_device, "unsafe_path", "is a device"),
    "loop": (_loop, "unsafe_path", "is a link"),
    "own-loop": (lambda path: path.symlink_to(path.name), "unsafe_path", "is a link"),
    "dangling": (lambda path: path.symlink_to("nowhere"), "unsafe_path", "is a link"),
    "private": (_of_private, "private_file", "private files"),
    "mode-0": (
        _without_rights,
        "ok" if READ_BY_ALL else "unreadable",
        "" if READ_BY_ALL else "right to read it",
    ),
    "future": (_future, "ok", ""),
}
"""How a file is made, its reason code, and what its message says."""
OF_CODE = {"utf-16": "unreadable"}
"""Reason codes of programs where they are others."""
NOISE = 0.02


def _run(run_id, path):
    return {"run_id": run_id, "agent": "eve", "task_id": "line", "submission": path}


@pytest.fixture
def hostile(fresh):
    """A benchmark of all of them: in folders of such names, in lists there, in a run table."""
    path, rows, lists = fresh.path, [], []
    shutil.rmtree(path / "toy/toy/circle")
    for number, (key, (name, _)) in enumerate(NAMES.items(), 1):
        for place in ("own", "runs"):
            (path / place / name).mkdir(parents=True)
            (path / place / name / f"{name}.csv").write_text(predictions(2.0, NOISE * number))
        rows.append(_run(f"named-{key}", f"own/{name}/{name}.csv"))
        line = {"task_id": "line", "submission_path": f"{name}.csv"}
        (path / "runs" / name / "submission.jsonl").write_text(json.dumps(line) + "\n")
        lists.append(f"runs/{name}/submission.jsonl")
    (path / "odd").mkdir()
    made = {}
    for key, (make, reason, said) in FILES.items():
        if key == "device" and not READ_BY_ALL:
            continue
        make(path / "odd" / f"{key}.csv")
        rows.append(_run(f"file-{key}", f"odd/{key}.csv"))
        program = path / "odd" / f"{key}.py"
        make(program)
        rows.append(_run(f"program-{key}", f"odd/{key}.py"))
        made[key] = reason, said
    rows.append(_run("honest", "subs/right.csv"))
    pq.write_table(pa.Table.from_pylist(rows), path / "all.parquet")
    (path / "config/config.yaml").write_text(
        json.dumps(
            {
                "title": "Hostile files",
                "runs": ["all.parquet", *lists],
                "data_dir": "data",
                "tasks_dirs": ["toy"],
                "grading": {"bootstrap": 0},
            }
        )
    )
    return fresh, made


@pytest.mark.slow
def test_all_at_once_end_no_run_and_cost_no_other(hostile):
    bench, made = hostile
    bench.tables()
    rows = read_table("pairs", bench.path / "results/pairs.parquet").to_pylist()
    of_table = {row["run_id"]: row for row in rows if row["agent"] == "eve"}
    of_lists = [row for row in rows if row["agent"] != "eve"]
    assert len(of_lists) == len(NAMES)
    for number, (key, (name, said)) in enumerate(NAMES.items(), 1):
        row = of_table[f"named-{key}"]
        (listed,) = (row for row in of_lists if _is_of(row, name))
        for found, why in ((row, said), (listed, LONG_AGENT if key == "longest" else said)):
            assert (found["fault"] == "run_table") == bool(why), found
            assert why in found["message"]
            if not why:
                # its own file was graded, and no other of nearly that name
                assert found["score"] == pytest.approx(NOISE * number)
    for key, (reason, said) in made.items():
        row = of_table[f"file-{key}"]
        assert (row["reason"], said in row["message"]) == (reason, True), row
        row = of_table[f"program-{key}"]
        # what could be read is a table, and no program
        expected = OF_CODE.get(key, "exception" if reason == "ok" else reason)
        assert (row["reason"], row["fault"]) == (expected, "submission"), row
    assert of_table["honest"]["score"] == pytest.approx(0.01)
    assert not list(bench.path.glob("**/ran"))


def _is_of(row, name):
    """Tell whether a row is of the list in a folder, however its name is shown."""
    shown = ascii(name)[1:-1]
    return f"runs/{name}/" in row["source"] or f"runs/{shown}/" in row["source"]
