"""A state of a submission is read once a process and parsed once, and never taken for another."""

from __future__ import annotations

import json
import os
import threading

import pytest

from biomlbench.errors import InvalidSubmissionError
from biomlbench.stages import STAGES, Context, Pair, run_pair, run_stage
from biomlbench.submission import content
from biomlbench.submission import reading as submissions
from biomlbench.submission.submitted_file import file_sha256

COLUMNS = {"id": "text", "y": "number"}
ROWS = 40


@pytest.fixture
def task(tmp_path):
    folder = tmp_path / "tasks/demo/line"
    folder.mkdir(parents=True)
    settings = {
        "name": "Line",
        "grader": {"name": "error", "metric": "rmse"},
        "submission": {"id": "id", "target": "y"},
    }
    (folder / "config.yaml").write_text(json.dumps(settings))
    (folder / "description.md").write_text("# Line\n")
    for name in ("public/sample_submission.csv", "private/answers.csv"):
        path = tmp_path / "data/demo/line/prepared" / name
        path.parent.mkdir(parents=True)
        path.write_text(table(0 if "sample" in name else 1))
    return Context(str(tmp_path / "data"), (str(tmp_path / "tasks"),), bootstrap=0)


def table(slope: float) -> str:
    return "id,y\n" + "".join(f"r{i},{slope * i}\n" for i in range(ROWS))


@pytest.fixture
def counted(monkeypatch):
    """Count bytes read from a file, and parses of its content."""
    counts = {"bytes": 0, "parses": 0}
    read, parse = os.read, submissions._parsed

    def reading(descriptor, size):
        data = read(descriptor, size)
        counts["bytes"] += len(data)
        return data

    def parsing(*arguments):
        counts["parses"] += 1
        return parse(*arguments)

    monkeypatch.setattr(content.os, "read", reading)
    monkeypatch.setattr(submissions, "_parsed", parsing)
    return counts


@pytest.mark.parametrize("suffix", [".csv", ".tsv.gz"])
def test_a_pair_reads_its_file_once_and_parses_it_once(task, tmp_path, counted, suffix):
    import gzip

    text = table(1.5 if suffix == ".csv" else 1.25)
    path = tmp_path / f"submission{suffix}"
    if suffix == ".csv":
        path.write_text(text)
    else:
        path.write_bytes(gzip.compress(text.replace(",", "\t").encode()))
    # What the task has of its own is read by the first pair.
    (tmp_path / "first.csv").write_text(table(2.75))
    run_pair(Pair("demo/line", "first", str(tmp_path / "first.csv")), task, tmp_path / "before")
    counted.update(bytes=0, parses=0)
    tables = run_pair(Pair("demo/line", "run", str(path)), task, tmp_path / "pair")
    assert tables["medal"].to_pylist()[0]["valid_submission"]
    assert counted == {"bytes": path.stat().st_size, "parses": 1}


def test_the_same_content_is_parsed_once_for_each_way_to_read_it(tmp_path, counted):
    (tmp_path / "one.csv").write_text(table(3.25))
    for source in (tmp_path / "one.csv", table(4.25).encode()):
        counted["parses"] = 0
        for columns in (COLUMNS, COLUMNS, {"y": "number", "id": "text"}):
            submissions.read_table(source, columns)
        assert counted["parses"] == 2  # other columns are asked for, or in another order


@pytest.mark.parametrize("keep", ["inode", "none"])
@pytest.mark.parametrize("restore", [True, False])
def test_a_replaced_file_is_read_anew(tmp_path, keep, restore):
    """Of the same size, at once, and with its old time restored."""
    path = tmp_path / "submission.csv"
    for slope in range(1, 9):
        if keep == "none":
            path.unlink(missing_ok=True)
        path.write_text(table(slope).ljust(1000, "\n"))
        if restore:
            os.utime(path, (1_000_000_000, 1_000_000_000))
        assert path.stat().st_size == 1000
        found = submissions.read_table(path, COLUMNS)
        assert found.column("y").to_pylist()[1] == slope
        digest = file_sha256(path)
        assert file_sha256(path) == digest


@pytest.mark.parametrize("stage", STAGES[1:])
def test_a_submission_replaced_between_stages_has_no_score(task, tmp_path, stage):
    path = tmp_path / "submission.csv"
    path.write_text(table(1.5))
    pair, folder = Pair("demo/line", "run", str(path)), tmp_path / "pair"
    for before in STAGES[: STAGES.index(stage)]:
        run_stage(before, pair, task, folder)
    path.write_text(table(2.5))
    for after in STAGES[STAGES.index(stage) :]:
        made = run_stage(after, pair, task, folder)
    assert made.column("reason").to_pylist() == ["submission_changed"]
    assert made.column("score").to_pylist() == [None]


def test_a_file_that_may_change_unnoticed_is_not_remembered(tmp_path, monkeypatch, counted):
    """Where the file system's clock is coarse, or ahead of ours."""
    path = tmp_path / "submission.csv"
    path.write_text(table(1.75))
    monkeypatch.setattr(content.time, "time_ns", lambda: path.stat().st_ctime_ns - 1)
    for _ in range(2):
        file_sha256(path)
    assert counted["bytes"] == 2 * path.stat().st_size


def test_what_is_kept_is_bounded():
    kept = content.Bounded(100)
    for number in range(50):
        kept.put(number, str(number), 30)
        kept.get(0)
    assert kept.get(0) == "0"  # asked for all the time
    assert [n for n in range(50) if kept.get(n) is not None] == [0, 48, 49]
    kept.put("large", "x", 101)
    assert kept.get("large") is None


def test_large_files_are_hashed_without_keeping_them(tmp_path, monkeypatch):
    monkeypatch.setattr(content, "MAX_KEPT", 100)
    path = tmp_path / "submission.csv"
    path.write_text(table(2.25))
    import hashlib

    assert file_sha256(path) == hashlib.sha256(path.read_bytes()).hexdigest()
    assert submissions.read_table(path, COLUMNS).num_rows == ROWS


def test_threads_share_what_is_kept(tmp_path):
    paths = [tmp_path / f"{i}.csv" for i in range(4)]
    for slope, path in enumerate(paths, 1):
        path.write_text(table(slope))
    wrong = []

    def look():
        for _ in range(20):
            for slope, path in enumerate(paths, 1):
                if submissions.read_table(path, COLUMNS).column("y")[1].as_py() != slope:
                    wrong.append(path)

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_second_byte_order_mark_is_told(tmp_path):
    path = tmp_path / "submission.csv"
    path.write_bytes(b"\xef\xbb\xbf" * 2 + table(1.5).encode())
    with pytest.raises(InvalidSubmissionError, match="a second byte order mark stands before"):
        submissions.read_table(path, COLUMNS)
    path.write_bytes(b"\xef\xbb\xbf" + table(1.5).encode())
    assert submissions.read_table(path, COLUMNS).num_rows == ROWS
