"""A submission replaced by a file with an older time is graded anew by the next run."""

from __future__ import annotations

import mmap
import os
import shutil
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from biomlbench.contracts import from_rows, write_table
from biomlbench.errors import InvalidSubmissionError
from biomlbench.submission import content as content_module
from biomlbench.submission.submitted_file import file_sha256, read_bytes
from biomlbench.workflow import replaced as replaced_module
from biomlbench.workflow.replaced import RECORD, Replaced
from tests.workflow.conftest import Bench, predictions
from tests.workflow.test_reruns import assert_equal_results

OLD = (1_000_000_000, 1_000_000_000)


@pytest.fixture
def graded(tmp_path):
    """Some submissions and their first tables; what there is to look at."""
    runs = []

    def grade(name):
        folder = tmp_path / "results" / "t" / name
        record = {"submission_sha256": file_sha256(tmp_path / f"{name}.csv")}
        write_table("validate", from_rows("validate", []), folder / "validate.parquet", record)

    for name in "abc":
        path = tmp_path / f"{name}.csv"
        path.write_text(predictions(2.0))
        runs.append(SimpleNamespace(task_id="t", run_id=name, submission=str(path), root=None))
        grade(name)

    def look(write=True, of="abc"):
        replaced = Replaced(tmp_path / "results")
        planned = [run for run in runs if run.run_id in of]
        found = replaced.look(planned, lambda task, run: f"{task}/{run}")
        if write:
            replaced.write()
        return found

    def count(name):
        return Replaced(tmp_path / "results").counts.get(str(tmp_path / f"{name}.csv"), 0)

    return SimpleNamespace(path=tmp_path, look=look, count=count, grade=grade, runs=runs)


def test_another_file_with_an_old_time_is_noticed_once(graded):
    assert graded.look() == []
    path = graded.path / "b.csv"
    path.write_text(predictions(2.1))
    os.utime(path, OLD)
    assert graded.look() == [str(path)]
    assert (graded.count("b"), graded.count("a")) == (1, 0)
    graded.grade("b")
    assert graded.look() == []
    assert graded.count("b") == 1


def test_a_run_that_was_left_out_for_a_while_keeps_its_count(graded):
    path = graded.path / "b.csv"
    graded.look()
    path.write_text(predictions(2.1))
    graded.look()
    graded.grade("b")
    graded.look(of="ac")
    assert graded.look() == []
    assert graded.count("b") == 1
    graded.look(of="ac")
    path.write_text(predictions(2.2))
    assert graded.look() == [str(path)]
    assert graded.count("b") == 2


def test_a_run_whose_submission_is_not_there_is_named_at_the_start(tmp_path, caplog):
    def run(n, path):
        return SimpleNamespace(
            task_id="t", run_id=f"r{n}", submission=path, stated=path, root=None,
            source=f"runs.csv:{n + 2}",
        )  # fmt: skip

    (tmp_path / "there.csv").write_text("id,y\n")
    paths = [tmp_path / "there.csv", "", tmp_path / "demo/later.csv", tmp_path / "there.csv/below"]
    paths += [tmp_path / f"typo{n}.csv" for n in range(6)]
    replaced = Replaced(tmp_path / "results")
    replaced.look([run(n, str(path)) for n, path in enumerate(paths)], lambda task, run: run)
    replaced.warn_of_missing(lambda run: "demo/later" in run.submission)
    told = [record.getMessage() for record in caplog.records]
    assert [line.split(":")[1] for line in told[:-1]] == ["5", "6", "7", "8", "9"]
    assert f"there is no file {str(paths[4])!r}" in told[1]
    assert told[-1] == "and 2 more runs whose submission is not there"
    replaced = Replaced(tmp_path / "results")
    replaced.look([run(0, str(paths[0])), run(1, "")], lambda task, run: run)
    caplog.clear()
    replaced.warn_of_missing(lambda _: False)
    assert not caplog.records


def test_a_run_whose_submission_may_not_be_read_is_named_at_the_start(
    tmp_path, caplog, monkeypatch
):
    """By root every file may be read, so the system's answers are played here."""
    paths = [tmp_path / name for name in ("file.csv", "good.csv", "shut/in.csv")]
    for path in paths[:2]:
        path.write_text("id,y\n")

    def lstat(path, *, real=os.lstat):
        if "shut" in str(path):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr("biomlbench.workflow.replaced.os.lstat", lstat)
    monkeypatch.setattr("biomlbench.workflow.replaced.os.access", lambda p, _: "file" not in str(p))
    runs = [
        SimpleNamespace(
            task_id="t",
            run_id=f"r{n}",
            submission=str(p),
            stated="",
            root=None,
            source=f"runs:{n}",
        )
        for n, p in enumerate(paths)
    ]
    replaced = Replaced(tmp_path / "results")
    replaced.look(runs, lambda task, run: run)
    replaced.warn_of_missing(lambda _: False)
    told = [record.getMessage() for record in caplog.records]
    assert [line.split(": ")[0] for line in told] == ["runs:0", "runs:2"]
    assert all("may not be read" in line and "`chmod`" in line for line in told)


def lost(path):
    return SimpleNamespace(
        task_id="t", run_id="r", submission=path, stated=path, root=None, source="runs:1"
    )


@pytest.mark.parametrize(
    "path",
    [
        "subs\\x.csv",
        "https://x.org/a.csv",
        "~/a.csv",
        "$HOME/a.csv",
        "'a.csv'",
        "HERE.CSV",
        "a.csv",
    ],
)
def test_the_start_and_the_row_say_the_same_of_a_path(path, tmp_path, caplog, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.csv").touch()
    replaced = Replaced(tmp_path / "results")
    replaced.look([lost(path)], lambda task, run: run)
    replaced.warn_of_missing(lambda _: False)
    (told,) = (record.getMessage() for record in caplog.records)
    with pytest.raises(InvalidSubmissionError) as row:
        read_bytes(path)
    _, _, remedy = row.value.message.partition("; ")
    assert told.endswith(f"; {remedy or 'put it there'}, else the run counts as failed")
    assert bool(remedy) == (path != "a.csv")


def test_a_path_of_any_length_is_told_in_short(tmp_path, caplog):
    deep = "d/" * 2000 + "s.csv"
    run = lost(deep)
    replaced = Replaced(tmp_path / "results")
    replaced.look([run], lambda task, run: run)
    replaced.warn_of_missing(lambda _: False)
    (told,) = (record.getMessage() for record in caplog.records)
    assert "there is no file 'd/d/" in told
    assert len(told) < 500


def content(folder):
    """What each file is, but for when it was last read."""
    files = {path: path.stat() for path in folder.rglob("*") if path.is_file()}
    return {path: (f.st_ino, f.st_mtime_ns, path.read_bytes()) for path, f in files.items()}


def test_looking_alone_changes_nothing(graded):
    graded.look()
    (graded.path / "b.csv").write_text(predictions(2.1))
    before = content(graded.path)
    for _ in range(2):
        assert graded.look(write=False) == [str(graded.path / "b.csv")]
    assert content(graded.path) == before


def test_each_replacement_counts_until_it_is_graded_and_beyond(graded):
    for number in (1, 2):
        (graded.path / "b.csv").write_text(predictions(2 + number))
        graded.look()
        assert graded.count("b") == number


def test_the_same_content_with_another_time_is_no_other_file(graded):
    graded.look()
    os.utime(graded.path / "b.csv", OLD)
    assert graded.look() == []
    assert graded.count("b") == 0


MINUTE = 60 * 10**9


def later(monkeypatch, minutes):
    """Look when minutes have gone by, with files on a disk."""
    now = time.time_ns() + minutes * MINUTE
    monkeypatch.setattr("biomlbench.workflow.replaced.time.time_ns", lambda: now)
    monkeypatch.setattr("biomlbench.workflow.replaced._devices_in_memory", frozenset)


def test_a_file_that_is_as_it_was_is_not_read(graded, monkeypatch):
    later(monkeypatch, 2)
    graded.look()
    monkeypatch.setattr("biomlbench.submission.submitted_file.file_sha256", lambda path: 1 / 0)
    assert graded.look() == []


def test_equal_size_and_times_set_back_do_not_hide_it(graded):
    graded.look()
    path = graded.path / "b.csv"
    before = path.stat()
    path.write_text(path.read_text().replace("1.2", "1.3"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert graded.look() == [str(path)]


def test_without_a_record_everything_is_compared(graded):
    (graded.path / "a.csv").write_text(predictions(2.1))
    graded.look()
    assert graded.count("a") == 1
    (graded.path / "results" / RECORD).write_text("no json")
    (graded.path / "c.csv").write_text(predictions(2.1))
    assert str(graded.path / "c.csv") in graded.look()


def test_a_damaged_table_is_left_to_what_reads_it(graded):
    (graded.path / "results/t/a/validate.parquet").write_bytes(b"PAR1")
    assert graded.look() == []


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 4])
def test_a_copy_that_keeps_its_old_time_is_graded(fresh, tmp_path, size):
    config = fresh.path / "config" / "config.yaml"
    config.write_text(config.read_text() + f"pairs_per_job: {size}\n")
    undisturbed = Bench(tmp_path / "undisturbed")
    shutil.copytree(fresh.path, undisturbed.path)
    fresh.tables()
    origin = fresh.path / "origin.csv"
    origin.write_text(predictions(2.2))
    os.utime(origin, OLD)
    for bench in (fresh, undisturbed):
        shutil.copy2(origin, bench.path / "subs" / "near.csv")  # as `cp -p`
    planned = fresh.planned()
    assert planned["validate_batch" if size > 1 else "validate"] == 1
    fresh.snakemake()
    assert "Nothing to be done" in fresh.snakemake().stderr
    undisturbed.tables()
    assert_equal_results(undisturbed.path, fresh.path)


def changed_without_a_trace(graded, monkeypatch, name):
    """Change a file as through a mapping of it: with the same size, times and place."""
    path = graded.path / f"{name}.csv"
    before = os.lstat(path)
    path.write_text(path.read_text().replace("2", "3"))

    def lstat(which, *, real=os.lstat):
        return before if str(which) == str(path) else real(which)

    monkeypatch.setattr("biomlbench.workflow.replaced.os.lstat", lstat)
    return str(path)


def test_a_change_without_a_trace_of_a_file_that_had_just_changed_is_noticed(graded, monkeypatch):
    assert graded.look() == []
    later(monkeypatch, 1000)
    path = changed_without_a_trace(graded, monkeypatch, "b")
    assert graded.look() == [path]
    assert graded.count("b") == 1


def test_a_settled_file_is_read_no_more(graded, monkeypatch):
    read = []
    differs = replaced_module._differs
    monkeypatch.setattr(
        "biomlbench.workflow.replaced._differs",
        lambda run, table: read.append(run.run_id) or differs(run, table),
    )
    for minutes, expected in ((0, ["a", "b", "c"]), (2, ["a", "b", "c"]), (4, []), (1000, [])):
        later(monkeypatch, minutes)
        read.clear()
        assert graded.look() == []
        assert read == expected
    os.utime(graded.path / "b.csv", OLD)  # another state
    assert graded.look() == []
    assert read == ["b"]


def test_a_run_with_nothing_to_do_records_what_has_settled(graded, monkeypatch):
    record = graded.path / "results" / RECORD

    def settle():
        replaced = Replaced(graded.path / "results")
        found = replaced.look(graded.runs, lambda task, run: f"{task}/{run}")
        before = record.read_bytes()
        replaced.settle()
        return found, record.read_bytes() != before

    assert graded.look() == []
    later(monkeypatch, 2)
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr("biomlbench.workflow.replaced.is_held", lambda path: True)
        assert settle() == ([], False)
    assert settle() == ([], True)
    with monkeypatch.context() as reading:
        reading.delattr("biomlbench.workflow.replaced._differs")
        assert settle() == ([], False)
    path = graded.path / "b.csv"
    path.write_text(predictions(2.1))
    for _ in range(2):  # the run that grades it records it
        assert settle() == ([str(path)], False)
    assert graded.count("b") == 0


def test_a_file_in_memory_never_settles(graded, monkeypatch):
    later(monkeypatch, 1000)
    device = (graded.path / "b.csv").stat().st_dev
    monkeypatch.setattr(
        "biomlbench.workflow.replaced._devices_in_memory", lambda: frozenset({device})
    )
    for _ in range(2):
        assert graded.look() == []
    path = changed_without_a_trace(graded, monkeypatch, "b")
    assert graded.look() == [path]


def test_file_systems_in_memory_are_told_by_their_device():
    devices = replaced_module._devices_in_memory()
    lines = Path("/proc/mounts").read_text().splitlines()
    kinds = {line.split()[1]: line.split()[2] for line in lines}
    for place in ("/dev/shm", "/proc"):
        assert (os.stat(place).st_dev in devices) == (kinds[place] == "tmpfs")


def test_a_mapped_file_in_memory_is_graded_again_when_it_was_changed(tmp_path, monkeypatch):
    with tempfile.NamedTemporaryFile(dir="/dev/shm", suffix=".csv") as file:
        file.write(predictions(2.0).encode())
        file.flush()
        run = SimpleNamespace(task_id="t", run_id="a", submission=file.name, root=None)
        table = tmp_path / "results/t/a/validate.parquet"
        mapped = mmap.mmap(file.fileno(), 0)
        mapped[:1] = mapped[:1]
        made_from = {"submission_sha256": file_sha256(file.name)}
        write_table("validate", from_rows("validate", []), table, made_from)

        def look():
            for kept in ("_digests", "_latest"):  # as in a process of its own
                monkeypatch.setattr(content_module, kept, content_module.Bounded(1))
            replaced = Replaced(tmp_path / "results")
            found = replaced.look([run], lambda task, run: f"{task}/{run}")
            replaced.write()
            return found

        assert look() == look() == []
        before = os.lstat(file.name)
        mapped[-4:] = mapped[-4:].translate(bytes.maketrans(b"0123456789", b"1234567890"))
        assert os.lstat(file.name).st_ctime_ns == before.st_ctime_ns
        assert look() == [file.name]
        mapped.close()
