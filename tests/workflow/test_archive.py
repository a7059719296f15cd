"""A benchmark in one file: the same bytes each time, nothing but what belongs to it, and safe."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import zipfile

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from rocrate.rocrate import ROCrate

from biomlbench.contracts import from_rows, read_table, write_table
from biomlbench.export import archive as module
from biomlbench.export.archive import ArchiveError, archive, unpack
from biomlbench.reproduce import rerun
from biomlbench.reproduce.compare import compare
from biomlbench.reproduce.inputs import Inputs, tree
from biomlbench.reproduce.layout import ReproduceError, lay_out
from biomlbench.reproduce.received import own_tasks
from biomlbench.runtime import packed_files
from biomlbench.runtime.bounded import Allowance
from biomlbench.stages.provenance import file_hash
from biomlbench.task.registry import Registry
from biomlbench.workflow.record import RECORD, read_record, submission_hashes
from tests import crates
from tests.bars import recorded
from tests.workflow.conftest import CARD, ROOT
from tests.workflow.test_reproduce import biomlbench, reproduce

ANSWERS = "data/toy/line/prepared/private/answers.csv"


@pytest.fixture(scope="module")
def packed(finished, tmp_path_factory):
    path = tmp_path_factory.mktemp("packed") / "toy.crate.zip"
    assert archive(finished / "results", path, workflow=ROOT) == []
    return path


@pytest.fixture
def base(finished, tmp_path):
    """A copy of the finished run's inputs and results."""
    for name in ("results", "subs", "toy", "group"):
        shutil.copytree(finished / name, tmp_path / "base" / name)
    shutil.copy(finished / "runs.csv", tmp_path / "base")
    return tmp_path / "base"


def names(path):
    with zipfile.ZipFile(path) as file:
        return file.namelist()


@pytest.mark.slow
def test_an_archive_reproduces_where_the_original_is_not(bench, tmp_path):
    done = biomlbench(bench.path, "archive", "--out", tmp_path / "b.crate.zip", "--json")
    assert json.loads(done.stdout)["left_out"] == []
    bench.path.rename(tmp_path / "moved away")
    elsewhere = tmp_path / "other machine"
    elsewhere.mkdir()
    call = [tmp_path / "b.crate.zip", "--into", "again", "--cores", 2, "--trust-code"]
    code, found = reproduce(elsewhere, *call)
    assert code == 0, found["differences"]
    assert found["not_again"] == []
    assert found["tables"]["medal"]["rows"] == 9
    assert not (elsewhere / "again/archived/data").exists()  # prepared again from the source
    assert (elsewhere / "again/again" / ANSWERS).is_file()
    # what was unpacked is itself a benchmark that can be archived: into the same bytes
    again = archive(elsewhere / "again/archived/results", tmp_path / "c.zip", workflow=ROOT)
    assert again == []
    assert (tmp_path / "c.zip").read_bytes() == (tmp_path / "b.crate.zip").read_bytes()


def test_packing_and_unpacking_move_their_bars_to_the_end(finished, tmp_path, monkeypatch):
    came_to_its_end = recorded(monkeypatch)
    archive(finished / "results", tmp_path / "toy.zip", workflow=ROOT)
    assert came_to_its_end("checking the submissions")
    assert came_to_its_end("packing")
    unpack(tmp_path / "toy.zip", tmp_path / "out")
    assert came_to_its_end("unpacking")


def test_the_same_benchmark_gives_the_same_bytes(packed, base, tmp_path):
    for path in base.rglob("*"):
        os.utime(path, (1e9, 1e9))
    archive(base / "results", tmp_path / "again.zip", workflow=ROOT)
    assert (tmp_path / "again.zip").read_bytes() == packed.read_bytes()


def test_what_is_in_it(packed):
    found = set(names(packed))
    assert found >= {
        *("config/config.yaml", "runs.csv", "group/submission.jsonl", "group/a.csv"),
        *("subs/right.csv", "subs/program.py", "subs/kabsch.py", "toy/toy/line/prepare.py"),
        *("results/pairs.parquet", "results/checks.parquet", "results/report.html"),
        *("results/pairs/toy/line/right/grade.parquet", f"results/{RECORD}"),
        *("environment/environment.json", "ro-crate-metadata.json", "manifest.json", "ARCHIVE.md"),
    }
    assert not [name for name in found if name.startswith(("data/", "results/logs", "/", ".."))]
    assert not [name for name in found if "lock" in name and not name.startswith("environment")]
    with zipfile.ZipFile(packed) as file:
        assert {info.date_time for info in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        note = file.read("ARCHIVE.md").decode()
        hashes = json.loads(file.read("manifest.json"))["sha256"]
        for name in found - {"manifest.json"}:
            assert hashes[name] == hashlib.sha256(file.read(name)).hexdigest()
    assert "answers are not included" in note
    assert "Left out" not in note


def test_the_lock_comes_along_if_it_is_the_recorded_one(base, tmp_path):
    name = "environment/requirements.lock"
    record = read_record(base / "results")
    for digest in (file_hash(ROOT / "envs/requirements.lock"), "0" * 64):
        text = json.dumps(record | {"lock_sha256": digest})
        (base / "results" / RECORD).write_text(text)
        archive(base / "results", tmp_path / "a.zip", workflow=ROOT)
        assert (name in names(tmp_path / "a.zip")) == (digest != "0" * 64)


def test_answers_only_when_asked_for(finished, packed, tmp_path):
    assert ANSWERS not in names(packed)
    archive(finished / "results", tmp_path / "a.zip", with_answers=True)
    assert ANSWERS in names(tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "a.zip") as file:
        assert "answers of the tasks are included" in file.read("ARCHIVE.md").decode()


def test_it_is_described(packed, tmp_path):
    folder = unpack(packed, tmp_path / "out")
    graph = json.loads((folder / "ro-crate-metadata.json").read_text())["@graph"]
    entities = {entity["@id"]: entity for entity in graph}
    root = entities["./"]
    assert root["datePublished"] == "2025-03-12"  # of the latest run
    assert root["name"] == "Toy benchmark"
    for part in root["hasPart"]:
        path = folder / part["@id"]
        assert path.is_dir() == (entities[part["@id"]]["@type"] == "Dataset")
        if path.is_file():
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            assert entities[part["@id"]]["sha256"] == digest
    described = {part["@id"] for part in root["hasPart"]}
    assert {"results/pairs.parquet", "runs.csv", "subs/", "toy/", "results/"} <= described
    results = {item["@id"] for item in entities["#grading"]["result"]}
    assert "results/checks.parquet" in results


def test_its_description_is_read_by_a_reader(packed, tmp_path):
    crate = ROCrate(unpack(packed, tmp_path / "out"))
    assert crate.name == "Toy benchmark"
    assert "results/pairs.parquet" in {entity.id for entity in crate.data_entities}


@pytest.mark.slow
def test_its_description_is_valid(packed, tmp_path):
    assert crates.problems(unpack(packed, tmp_path / "out")) == []


def test_nothing_is_followed_out_of_the_benchmark(base, tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text("secret")
    (base / "subs/right.csv").unlink()
    (base / "subs/right.csv").symlink_to(secret)
    shutil.rmtree(base / "group")
    (tmp_path / "group").mkdir()
    (tmp_path / "group/a.csv").write_text("secret")
    (base / "group").symlink_to(tmp_path / "group")
    (base / "toy/toy/line/link.csv").symlink_to(secret)
    (base / "toy/toy/line/own-packages").mkdir()
    (base / "toy/toy/line/own-packages/pyvenv.cfg").touch()
    record = read_record(base / "results")
    state = {"is": "file", "sha256": None}
    record["submissions"] |= {"../secret.csv": state, str(secret): state, "a\nb.csv": state}
    (base / "results" / RECORD).write_text(json.dumps(record))
    with pytest.raises(ArchiveError, match="would not be whole") as refused:
        archive(base / "results", tmp_path / "a.zip")
    assert not (tmp_path / "a.zip").exists()
    left_out = archive(base / "results", tmp_path / "a.zip", partial=True)
    assert len(left_out) == 6
    *stops, listed = left_out  # an agent's list names the last one, which stops no archive
    assert "group/a.csv" in listed
    assert all(line in str(refused.value) for line in stops)
    assert f"Looked for in {base}" in str(refused.value)
    with zipfile.ZipFile(tmp_path / "a.zip") as file:
        contents = {name: file.read(name) for name in file.namelist()}
    assert not [name for name, data in contents.items() if data == b"secret"]
    note = contents["ARCHIVE.md"].decode()
    assert all(line in note for line in left_out)
    assert "to be made again:\n\n- 'toy/toy/line/own-packages'\n" in note
    assert not [name for name in contents if "own-packages" in name]


@pytest.fixture
def linked(base):
    """The benchmark whose folder of tasks, domain and task are links to another place in it."""
    (base / "kept").mkdir()
    (base / "toy").rename(base / "kept/tasks")
    (base / "kept/tasks/toy").rename(base / "kept/domain")
    (base / "kept/domain/line").rename(base / "kept/line")
    (base / "kept/domain/line").symlink_to("../line")
    (base / "kept/tasks/toy").symlink_to(base / "kept/domain")
    (base / "toy").symlink_to("kept/tasks")
    return base


def test_links_to_tasks_are_followed_as_where_tasks_are_run(linked, tmp_path):
    assert "toy/line" in Registry([linked / "toy"]).list_task_ids()
    lay_out(Inputs(read_record(linked / "results"), linked / "results"), tmp_path / "again")
    assert archive(linked / "results", tmp_path / "a.zip") == []
    unpacked = unpack(tmp_path / "a.zip", tmp_path / "unpacked")
    files = {p.relative_to(linked / "kept/line") for p in tree(linked / "kept/line")}
    for laid_out in (tmp_path / "again", unpacked):
        task = laid_out / "toy/toy/line"
        assert {path.relative_to(task) for path in tree(task)} == files
        assert not [path for path in laid_out.rglob("*") if path.is_symlink()]


def test_a_link_that_is_not_followed_is_told(linked, tmp_path):
    outside = tmp_path / "outside"
    (linked / "kept/line").rename(outside)
    (linked / "kept/line").symlink_to(outside)
    (outside / "more.csv").symlink_to("config.yaml")
    missing = lay_out(Inputs(read_record(linked / "results"), linked / "results"), tmp_path / "b")
    (told,) = [item for item in missing if item.path.startswith("toy/")]
    assert (told.path, "link" in told.why) == ("toy/toy/line/more.csv", True)
    left_out = archive(linked / "results", tmp_path / "a.zip", partial=True)
    assert "'toy/toy/line': is a link that leads out of the benchmark's folder" in left_out
    assert "'toy/toy/line/more.csv': is a link" in left_out


def test_data_that_no_preparer_makes_again_are_asked_for(base, tmp_path):
    config = base / "toy/toy/line/config.yaml"
    config.write_text(config.read_text().replace("preparer:", "# preparer:"))
    with pytest.raises(ArchiveError, match=r"the data of toy/line: .*--with-answers adds them"):
        archive(base / "results", tmp_path / "a.zip")
    (left_out,) = archive(base / "results", tmp_path / "a.zip", partial=True)
    assert "toy/line" in left_out


def test_a_changed_submission_is_not_passed_off_as_the_graded_one(base, tmp_path):
    (base / "subs/near.csv").write_text("id,y\n")
    done = biomlbench(base, "archive", "--out", tmp_path / "a.zip")
    assert done.returncode == 3
    assert "'subs/near.csv': has changed since it was graded" in done.stderr
    assert "--partial" in done.stderr
    assert biomlbench(base, "archive", "--out", tmp_path / "a.zip", "--partial").returncode == 0


def test_a_row_that_was_not_graded_does_not_erase_the_hash_of_its_file(base):
    """A row of a task that does not exist may name the file of one that was graded."""
    pairs = pq.read_table(base / "results" / "pairs.parquet")
    graded = pairs.filter(pc.is_valid(pairs["submission_sha256"]))
    place = pairs.schema.get_field_index("submission_sha256")
    nothing = pa.nulls(len(graded), pa.string())
    bad = graded.set_column(place, pairs.schema.field(place), nothing)
    hashes = submission_hashes(pa.concat_tables([bad, graded, bad]))
    assert hashes == submission_hashes(graded)
    assert None not in hashes.values()


@pytest.mark.parametrize("limit", ["MAX_TOTAL_BYTES", "MAX_FILES"])
def test_a_benchmark_that_is_too_large_is_refused_with_the_mend(base, tmp_path, monkeypatch, limit):
    monkeypatch.setattr(module, limit, 20)
    with pytest.raises(ArchiveError, match=r"at most 20|more than 0 GiB"):
        archive(base / "results", tmp_path / "a.zip")
    assert not list(tmp_path.glob("*.zip")) + list(tmp_path.glob(".*.tmp"))


def made(path, entries, manifest=None):
    """A zip file with entries of a name, a content, and maybe a Unix mode."""
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data, *_ in entries}
    with zipfile.ZipFile(path, "w") as file:
        for name, data, *mode in entries:
            info = zipfile.ZipInfo(name)
            info.external_attr = (mode[0] if mode else 0) << 16
            file.writestr(info, data)
        if manifest is not False:
            file.writestr("manifest.json", json.dumps(manifest or {"sha256": hashes}))
    return path


@pytest.mark.parametrize(
    ("entries", "manifest", "message"),
    [
        ([("/etc/cron.d/x", b"")], None, "no name that is unpacked"),
        ([("../x", b"")], None, "no name that is unpacked"),
        ([("a/../../x", b"")], None, "no name that is unpacked"),
        ([("a\\b", b"")], None, "no name that is unpacked"),
        ([("a/", b"")], None, "no name that is unpacked"),
        ([("x", b"/etc/passwd", stat.S_IFLNK | 0o777)], None, "a link"),
        ([("x", b"", stat.S_IFIFO | 0o777)], None, "a link"),
        ([("x", b"1")], {"sha256": {"x": "0"}}, "not what the manifest says"),
        ([("x", b"1")], {"sha256": {}}, "not what the manifest says"),
        ([("x", b"1")], {"sha256": {"x": hashlib.sha256(b"1").hexdigest(), "y": "0"}}, "lacks y"),
        ([("x", b"1")], False, "no archive of a benchmark"),
        ([("x", b"1")], {"sha256": 3}, "no archive of a benchmark"),
        ([("a", b"1"), ("a-b", b"1"), ("a/b", b"1")], None, "'a' is a file, and the folder of"),
        ([("a/" + "x" * 256, b"1")], None, "no name that is unpacked"),
        ([("x/" * 2100 + "x", b"1")], None, "no name that is unpacked"),
    ],
    ids=[
        *("absolute", "up", "around", "backslash", "folder", "link", "pipe", "other-hash"),
        *("not-in-manifest", "missing", "no-manifest", "odd-manifest", "file-as-folder"),
        *("long-name", "long-path"),
    ],
)
def test_a_hostile_archive_is_refused(tmp_path, entries, manifest, message):
    path = made(tmp_path / "a.zip", entries, manifest)
    with pytest.raises(ArchiveError, match=message) as caught:
        unpack(path, tmp_path / "out" / "in")
    assert len(str(caught.value).replace(str(tmp_path), "")) < 500
    outside = {p for p in tmp_path.rglob("*") if p.is_file() or p.is_symlink()} - {path}
    assert not [p for p in outside if not p.is_relative_to(tmp_path / "out" / "in")]
    assert not [p for p in outside if p.is_symlink()]


def test_a_name_that_comes_twice_is_refused(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("x", b"1")
        with pytest.warns(UserWarning, match="Duplicate"):
            file.writestr("x", b"2")
    with pytest.raises(ArchiveError, match="comes twice"):
        unpack(path, tmp_path / "out")


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    path = made(tmp_path / "a.zip", [("x", b"0" * 5000)])
    for limit in ("MAX_FILE_BYTES", "MAX_TOTAL_BYTES"):
        monkeypatch.setattr(module, limit, 4000)
        with pytest.raises(ArchiveError, match="too large"):
            unpack(path, tmp_path / "out")
        monkeypatch.undo()
    assert not (tmp_path / "out").exists()


WIDE = "[]," * 700_000 + "[]"
"""Two megabytes of text, of which Python makes 50."""


def packed_json(path, name, times, manifest=None):
    """An archive of few bytes with a long text of brackets; it is never in memory as a whole."""
    hashed = hashlib.sha256()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        with file.open(name, "w") as member:
            for part in ["[", *[WIDE + ","] * times, WIDE, "]"]:
                member.write(part.encode())
                hashed.update(part.encode())
        text = json.dumps(manifest or {"sha256": {name: hashed.hexdigest()}})
        file.writestr("manifest.json", text)
    return path


def test_a_manifest_is_no_longer_than_its_files_ask_for(tmp_path):
    path = packed_json(tmp_path / "a.zip", "x", 0, {"sha256": {}, "x": [[]] * 100_000})
    assert path.stat().st_size < 10_000
    with pytest.raises(ArchiveError, match=r"too large, at manifest\.json"):
        unpack(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "name", ["results/provenance.json", "results/audit/a/b/findings.json", "data/a/prepared.json"]
)
def test_json_that_takes_too_much_memory_is_refused(tmp_path, name):
    path = packed_json(tmp_path / "a.zip", name, 3)
    said = unpacked_in_a_new_process(
        path,
        tmp_path / "out",
        "from functools import partial\n"
        "from biomlbench.runtime import bounded, bounded_json\n"
        "allowed = bounded.Allowance(memory_mb=32)\n"
        "bounded_json.call_bounded = partial(bounded.call_bounded, allowance=allowed)\n",
    )
    assert "ArchiveError" in said
    assert "is not used: reading it used more memory" in said


def unpacked_in_a_new_process(path, folder, before):
    """What is said there, after other limits were set: this process may have memory to spare."""
    program = (
        f"import sys\n{before}from biomlbench.export.archive import unpack\nunpack(*sys.argv[1:])\n"
    )
    call = [sys.executable, "-c", program, str(path), str(folder)]
    return subprocess.run(call, capture_output=True, text=True, check=False).stderr


def test_a_list_of_files_that_takes_gigabytes_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("0", "")
    # One entry again and again: nothing else of an archive has to be there.
    data = path.read_bytes()
    start = data.index(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")
    listed = data[start:end] * 300_000
    size = len(listed).to_bytes(4, "little")
    path.write_bytes(data[:start] + listed + data[end : end + 12] + size + data[end + 16 :])
    said = unpacked_in_a_new_process(
        path,
        tmp_path / "out",
        "from biomlbench.runtime import packed_files as packed\n"
        "packed._SMALL_BYTES, packed._LISTING = 1_000, packed.Allowance(memory_mb=64)\n",
    )
    assert "ArchiveError" in said
    assert "listing its files used more memory" in said
    assert not (tmp_path / "out").exists()
    monkeypatch.setattr(packed_files, "_SMALL_BYTES", 1_000)
    monkeypatch.setattr(packed_files, "_LISTING", Allowance())
    with pytest.raises(ArchiveError, match="'0' is no name that is unpacked, or comes twice"):
        unpack(path, tmp_path / "out")


def test_a_small_archive_takes_no_gigabytes(tmp_path):
    """Of 150 MB of brackets Python would make 3.5 GB."""
    path = packed_json(tmp_path / "a.zip", "results/provenance.json", 70)
    assert path.stat().st_size < 400_000
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(path), str(tmp_path / "out")],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    said, own, of_children = done.stdout.splitlines()
    assert "used more memory than it was allowed" in said
    assert int(own) < 400
    assert int(of_children) < 1500


PEAK = """\
import resource, sys
from biomlbench.export.archive import ArchiveError, unpack
try:
    unpack(*sys.argv[1:])
except ArchiveError as error:
    print(error)
# what getrusage tells of this process is at least what its parent had
status = open("/proc/self/status").read()
print(int(status.partition("VmHWM:")[2].split()[0]) // 1024)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
"""


def test_no_memory_for_an_archive_is_told(tmp_path, monkeypatch):
    def none_left(*_):
        raise MemoryError

    monkeypatch.setattr(module, "_manifest", none_left)
    with pytest.raises(ArchiveError, match="more memory than there is"):
        unpack(made(tmp_path / "a.zip", [("x", b"1")]), tmp_path / "out")


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_other_ways_of_packing_are_refused(tmp_path, method):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as file:
        file.writestr("x", b"1")
    with pytest.raises(ArchiveError, match="packed otherwise"):
        unpack(tmp_path / "a.zip", tmp_path / "out")


@pytest.mark.parametrize("content", [b"", b"PK\x05\x06 no", b"text"], ids=["empty", "torn", "text"])
def test_what_is_no_archive_ends_with_a_sentence(tmp_path, content):
    (tmp_path / "a.zip").write_bytes(content)
    done = biomlbench(tmp_path, "reproduce", "a.zip", "--into", "again")
    assert done.returncode == 3
    assert "no readable archive" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_torn_archive_is_refused(packed, tmp_path):
    data = bytearray(packed.read_bytes())
    data[2000:2020] = bytes(20)
    (tmp_path / "a.zip").write_bytes(data)
    with pytest.raises(ArchiveError):
        unpack(tmp_path / "a.zip", tmp_path / "out")


def test_a_used_folder_is_left_alone(packed, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ArchiveError, match="not empty"):
        unpack(packed, tmp_path)


def laid_out_untrusted(packed, to, monkeypatch):
    """Reproduce without trust as far as to the run; return what was said before it."""
    said = []

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(rerun, "run", stop)
    monkeypatch.setattr(rerun, "own_tasks", lambda record: frozenset(record["tasks"]) - {CARD})
    with pytest.raises(KeyboardInterrupt):
        rerun.reproduce(
            unpack(packed, to / "a") / "results", to / "b", archived=True, say=said.append
        )
    return said


def test_untrusted_tasks_are_told_first_and_their_rows_left_empty(packed, tmp_path, monkeypatch):
    said = laid_out_untrusted(packed, tmp_path, monkeypatch)
    assert "--trust-code" in said[0]
    rows = read_table("pairs", tmp_path / "a/results/pairs.parquet").to_pylist()
    for name in ("runs.csv", "group/submission.jsonl"):
        then, now = ((tmp_path / x / name).read_text().split("\n") for x in "ab")
        own = {row["source"] for row in rows if row["task_id"] in ("toy/line", "toy/circle")}
        assert now == [
            "" if f"{name}:{number}" in own else line for number, line in enumerate(then, 1)
        ]
        assert then != now


def test_built_in_tasks_are_nobodys_own():
    record = {"tasks": dict.fromkeys(("toy/line", "kernels/kabsch-rmsd"))}
    assert own_tasks(record) == {"toy/line"}


def test_an_archive_of_own_tasks_alone_is_not_run_untrusted(packed, tmp_path):
    results = unpack(packed, tmp_path / "a") / "results"
    with pytest.raises(ReproduceError, match=r"nothing is left to be run again.*--trust-code"):
        rerun.reproduce(results, tmp_path / "b", archived=True)
    assert not (tmp_path / "b").exists()


def test_tasks_that_are_left_out_are_not_compared(finished, base):
    table = base / "results/pairs.parquet"
    rows = read_table("pairs", table).to_pylist()
    own = {"toy/line", "toy/circle"}
    kept = [row for row in rows if row["task_id"] not in own]
    assert 0 < len(kept) < len(rows)
    write_table("pairs", from_rows("pairs", kept), table)
    assert not compare(finished / "results", base / "results").equal
    found = compare(finished / "results", base / "results", own)
    assert found.differences == []
    assert found.left_out == sorted(own)
    assert not found.equal
