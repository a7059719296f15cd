"""Files by address: mirrors, checksums, archives, DOIs, and what goes wrong on the way."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import multiprocessing
import os
import shutil
import tarfile
import zipfile

import pytest
import wheels

from biomlbench.errors import TaskError
from biomlbench.task.sources import archives, download, http, unpack
from biomlbench.task.sources.archives import DataSourceError, cache_dir
from biomlbench.task.sources.data_source import parse_sources, place

TABLE = b"smiles,y\nCCO,1.5\n"


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def entry(address, content=TABLE, **more):
    return {"http": address, "sha256": sha256(content), **more}


def placed(raw, *entries):
    return place(parse_sources(list(entries)), raw, "d/t")


def zipped(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/") + ".csv", content)
    return buffer.getvalue()


@pytest.fixture
def raw(tmp_path):
    return tmp_path / "raw"


def test_file_is_fetched_once_and_kept(server, raw):
    url = server.put("/table.csv", TABLE)
    assert placed(raw, entry(url)) == [raw / "table.csv"]
    assert (raw / "table.csv").read_bytes() == TABLE
    placed(raw, entry(url, to="again/t.csv"))
    assert (raw / "again" / "t.csv").read_bytes() == TABLE
    assert server.asked["/table.csv"] == 1
    left = list((cache_dir() / "downloads" / f"sha256-{sha256(TABLE)}").iterdir())
    assert sorted(path.name for path in left) == [".sha256", "lock", "table.csv"]


def test_md5_does_as_well(server, raw):
    url = server.put("/table.csv", TABLE)
    placed(raw, {"http": url, "md5": hashlib.md5(TABLE).hexdigest()})
    assert (raw / "table.csv").read_bytes() == TABLE


@pytest.mark.parametrize("fault", [("cut", 5), "reset", 429, 500, 503])
def test_passing_faults_are_overcome(server, raw, fault):
    url = server.put("/table.csv", TABLE)
    server.fail("/table.csv", fault, fault)
    placed(raw, entry(url))
    assert (raw / "table.csv").read_bytes() == TABLE
    assert server.asked["/table.csv"] == 3


@pytest.mark.parametrize("fault", [("cut", 5), "reset", 429, 503])
def test_lasting_faults_end_with_a_message(server, raw, fault):
    url = server.put("/table.csv", TABLE)
    server.fail("/table.csv", *[fault] * download.ATTEMPTS)
    with pytest.raises(DataSourceError) as caught:
        placed(raw, entry(url))
    text = str(caught.value)
    assert f"{download.ATTEMPTS} attempts" in text
    assert url in text
    assert str(cache_dir()) in text
    assert (f"{fault}" if isinstance(fault, int) else "cut") in text
    assert not (raw / "table.csv").exists()


@pytest.mark.parametrize(
    ("fault", "meaning"), [(401, "login"), (403, "refuses access"), (404, "no such file")]
)
def test_final_answers_are_not_asked_again(server, raw, fault, meaning):
    url = server.put("/table.csv", TABLE)
    server.fail("/table.csv", fault)
    with pytest.raises(DataSourceError, match=f"answers {fault}: .*{meaning}"):
        placed(raw, entry(url))
    assert server.asked["/table.csv"] == 1


def test_server_that_asks_to_wait_is_obeyed_or_told(server, raw, monkeypatch):
    url = server.put("/table.csv", TABLE)
    waits = []
    monkeypatch.setattr(download.time, "sleep", waits.append)
    server.fail("/table.csv", (429, {"Retry-After": "7"}, b""))
    placed(raw, entry(url))
    assert waits == [7.0]
    (cache_dir() / "downloads" / f"sha256-{sha256(TABLE)}" / "table.csv").unlink()
    server.fail("/table.csv", (429, {"Retry-After": "86400"}, b""))
    with pytest.raises(DataSourceError, match="try again in 86400 seconds"):
        placed(raw, entry(url))


@pytest.mark.parametrize("fault", [404, 403, "wrong"])
def test_next_mirror_is_tried(server, raw, fault):
    urls = [server.put("/first/table.csv", b"other\n"), server.put("/second/table.csv", TABLE)]
    if fault != "wrong":
        server.fail("/first/table.csv", fault)
    placed(raw, entry(urls))
    assert (raw / "table.csv").read_bytes() == TABLE
    assert server.asked["/first/table.csv"] == 1


def test_wrong_hash_is_refused_and_leaves_nothing(server, raw):
    url = server.put("/table.csv", b"an impostor\n")
    with pytest.raises(DataSourceError, match=f"whose hash is not sha256:{sha256(TABLE)}"):
        placed(raw, entry(url))
    assert not raw.exists()
    assert not list(cache_dir().rglob("table.csv"))


def test_damaged_cache_is_fetched_again(server, raw):
    url = server.put("/table.csv", TABLE)
    placed(raw, entry(url))
    (cache_dir() / "downloads" / f"sha256-{sha256(TABLE)}" / "table.csv").write_bytes(b"damaged")
    placed(raw, entry(url))
    assert (raw / "table.csv").read_bytes() == TABLE


def test_silent_server_counts_as_gone_and_a_slow_one_does_not(server, raw, monkeypatch):
    monkeypatch.setattr(http, "TIMEOUT_S", 0.3)
    monkeypatch.setattr(download, "ATTEMPTS", 2)
    url = server.put("/table.csv", TABLE)
    server.fail("/table.csv", "silent", "silent")
    with pytest.raises(DataSourceError, match=r"nothing came for 0\.3 seconds \(2 attempts\)"):
        placed(raw, entry(url))
    server.fail("/table.csv", "slow")
    placed(raw, entry(url))
    assert (raw / "table.csv").read_bytes() == TABLE


def test_full_disk_is_told_before_anything_is_downloaded(server, raw, monkeypatch):
    url = server.put("/table.csv", TABLE)
    usage = shutil.disk_usage("/")._replace(free=download.RESERVE_BYTES + 3)
    monkeypatch.setattr(download.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(DataSourceError, match=f"needs {len(TABLE)} bytes.*BIOMLBENCH_CACHE_DIR"):
        placed(raw, entry(url))


def test_disk_that_fills_meanwhile_leaves_nothing(server, raw, monkeypatch):
    url = server.put("/table.csv", TABLE)
    monkeypatch.setattr(
        download.Meter, "write", lambda *_: os.write(os.open("/dev/full", os.O_WRONLY), b"x")
    )
    with pytest.raises(DataSourceError, match=r"No space left on device.*BIOMLBENCH_CACHE_DIR"):
        placed(raw, entry(url))
    assert not list(cache_dir().rglob("table.csv"))


@pytest.mark.parametrize("announced", [True, False])
def test_larger_than_the_limit_is_refused(server, raw, announced):
    content = b"x" * 5000
    url = server.put("/table.csv", content)
    if not announced:
        server.fail("/table.csv", (200, {"Content-Length": "", "Connection": "close"}, content))
    with pytest.raises(DataSourceError, match=r"limit; raise `max_gb`"):
        placed(raw, entry(url, content, max_gb=1e-6))


def test_offline_takes_what_is_there_and_names_the_place_of_the_rest(server, raw, monkeypatch):
    url = server.put("/table.csv", TABLE)
    monkeypatch.setenv("BIOMLBENCH_OFFLINE", "1")
    by_hand = cache_dir() / "downloads" / f"sha256-{sha256(TABLE)}" / "table.csv"
    with pytest.raises(DataSourceError) as caught:
        placed(raw, entry(url))
    assert str(by_hand) in str(caught.value)
    by_hand.write_bytes(TABLE)
    placed(raw, entry(url))
    assert not server.asked
    with pytest.raises(DataSourceError, match="BIOMLBENCH_OFFLINE forbids"):
        archives.fetch_archive("tinydata", "1.0", wheels.NAME, "0" * 64)


def _fetch_in_process(url, folder, queue):
    try:
        placed(folder, entry(url))
        queue.put((folder / "table.csv").read_bytes())
    except Exception as error:
        queue.put(repr(error))


def test_concurrent_processes_download_once(server, tmp_path):
    url = server.put("/table.csv", TABLE)
    server.fail("/table.csv", "slow")
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    jobs = [
        context.Process(target=_fetch_in_process, args=(url, tmp_path / f"raw{i}", queue))
        for i in range(4)
    ]
    for job in jobs:
        job.start()
    assert {queue.get(timeout=60) for _ in jobs} == {TABLE}
    for job in jobs:
        job.join()
    assert server.asked["/table.csv"] == 1


def test_members_and_whole_archives(server, raw):
    content = zipped(a__one=b"1", a__two=b"2", three=b"3")
    url = server.put("/data.zip", content)
    placed(raw, entry(url, content, member="a/one.csv", to="x.csv"))
    placed(raw, entry(url, content, members=["a/two.csv", "three.csv"]))
    assert (raw / "x.csv").read_bytes() == b"1"
    assert (raw / "two.csv").read_bytes() == b"2"
    assert placed(raw, entry(url, content, unpack=True, to="all")) == [raw / "all"]
    assert sorted(p.name for p in (raw / "all").rglob("*.csv")) == [
        "one.csv",
        "three.csv",
        "two.csv",
    ]
    placed(raw, entry(url, content, unpack=True))
    assert (raw / "a" / "one.csv").read_bytes() == b"1"
    assert server.asked["/data.zip"] == 1
    with pytest.raises(TaskError, match=r"has no file b\.csv"):
        placed(raw, entry(url, content, member="b.csv"))


@pytest.mark.parametrize("ending", [".tar", ".tar.gz", ".tar.bz2", ".tar.xz", ".gz"])
def test_other_archives(server, raw, ending):
    buffer = io.BytesIO()
    if ending == ".gz":
        content = gzip.compress(TABLE)
    else:
        with tarfile.open(fileobj=buffer, mode=f"w:{ending[5:]}") as tar:
            info = tarfile.TarInfo("table")
            info.size = len(TABLE)
            tar.addfile(info, io.BytesIO(TABLE))
        content = buffer.getvalue()
    url = server.put(f"/table{ending}", content)
    placed(raw, entry(url, content, member="table", to="t.csv"))
    assert (raw / "t.csv").read_bytes() == TABLE


@pytest.mark.parametrize("ending", [".zip", ".tar.gz", ".tar.xz", ".gz"])
def test_truncated_archive_says_so(server, raw, tmp_path, ending):
    member = os.urandom(5000)
    if ending == ".zip":
        content = zipped(table=member)
    elif ending == ".gz":
        content = gzip.compress(member)
    else:
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode=f"w:{ending[5:]}") as tar:
            info = tarfile.TarInfo("table.csv")
            info.size = len(member)
            tar.addfile(info, io.BytesIO(member))
        content = buffer.getvalue()
    content = content[: len(content) // 2]
    url = server.put(f"/table.csv{ending}", content)
    with pytest.raises(DataSourceError, match="cut short or damaged"):
        placed(raw, entry(url, content, member="table.csv"))
    assert not list(raw.rglob("*.csv"))


@pytest.mark.parametrize("name", ["../outside.csv", "/etc/outside.csv", "a/../../outside.csv"])
def test_archive_never_writes_outside(server, raw, name):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, b"x")
    content = buffer.getvalue()
    with pytest.raises(DataSourceError, match="leads out"):
        placed(raw, entry(server.put("/d.zip", content), content, unpack=True))
    assert not list(raw.parent.rglob("outside.csv"))


def test_links_of_an_archive_are_left_out(server, raw, tmp_path):
    link = tarfile.TarInfo("link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc"
    below = tarfile.TarInfo("link/outside.csv")
    path = wheels.sdist(tmp_path / "a.tar.gz", {"link": link, "link/outside.csv": below})
    content = path.read_bytes()
    placed(raw, entry(server.put("/a.tar.gz", content), content, unpack=True))
    assert not (raw / "link").is_symlink()
    assert (raw / "link" / "outside.csv").is_file()


def test_bomb_is_stopped(server, raw, monkeypatch):
    monkeypatch.setattr(unpack, "MAX_UNPACKED_BYTES", 1000)
    content = gzip.compress(b"0" * 10_000_000)
    with pytest.raises(DataSourceError, match="unpacks to more than"):
        placed(raw, entry(server.put("/a.gz", content), content, unpack=True))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"http": "ftp://x/y"}, "neither an http"),
        ({"http": "file:///etc/passwd"}, "neither an http"),
        ({"http": []}, "needs an address"),
        ({"sha256": "abc"}, "64 lower-case"),
        ({"md5": "0" * 32}, "not both"),
        ({"to": "../x"}, "plain relative"),
        ({"member": "x"}, "no archive"),
        ({"unpack": "yes"}, "`unpack` must be"),
        ({"max_gb": -1}, "`max_gb`"),
        ({"surprise": 1}, "unknown key"),
    ],
)
def test_malformed_entries_are_refused_by_place(change, complaint):
    with pytest.raises(TaskError, match=complaint) as caught:
        parse_sources([entry("https://example.org/table.csv") | change], "my/config.yaml")
    assert "my/config.yaml: source[0]" in str(caught.value)


def test_address_without_a_checksum_is_refused():
    with pytest.raises(TaskError, match="may change"):
        parse_sources([{"http": "https://example.org/table.csv"}])


def test_passwords_and_keys_stay_out_of_messages(server, raw):
    host = server.address.removeprefix("http://")
    url = f"http://me:secret@{host}/absent.csv?token=hidden"
    with pytest.raises(DataSourceError) as caught:
        placed(raw, entry(url))
    assert "secret" not in str(caught.value)
    assert "hidden" not in str(caught.value)


@pytest.fixture
def records(server, monkeypatch):
    """Zenodo and figshare on loopback: DOIs resolve to them, their interfaces answer there."""
    from pooch import downloaders

    pages = {"10.5281/zenodo.77": "https://zenodo.org/records/77"}
    pages["10.6084/m9.figshare.88.v1"] = "https://figshare.com/articles/x/88/1"

    def page_of(doi, **_):
        if doi not in pages:
            raise ValueError(f"there is no record {doi}")
        return pages[doi]

    monkeypatch.setattr(downloaders, "doi_to_url", page_of)
    monkeypatch.setattr(downloaders.ZenodoRepository, "base_api_url", f"{server.address}/records")
    url = server.put("/files/table.csv", TABLE)
    digest = hashlib.md5(TABLE).hexdigest()
    listed = {"key": "table.csv", "checksum": f"md5:{digest}", "links": {"self": url}}
    server.put("/records/77", json.dumps({"id": 77, "files": [listed]}).encode())
    files = [{"name": "table.csv", "computed_md5": digest, "download_url": url}]
    monkeypatch.setattr(
        downloaders.FigshareRepository, "api_response", property(lambda self: files)
    )
    return server


@pytest.mark.parametrize("doi", ["10.5281/zenodo.77", "10.6084/m9.figshare.88.v1"])
def test_record_by_doi_states_its_own_checksum(records, raw, doi):
    placed(raw, {"http": f"doi:{doi}/table.csv"})
    assert (raw / "table.csv").read_bytes() == TABLE
    records.put("/files/table.csv", b"changed\n")
    placed(raw, {"http": f"doi:{doi}/table.csv", "to": "kept.csv"})
    assert (raw / "kept.csv").read_bytes() == TABLE
    shutil.rmtree(cache_dir())
    with pytest.raises(DataSourceError, match="not the one of the record"):
        placed(raw, {"http": f"doi:{doi}/table.csv", "to": "changed.csv"})


@pytest.mark.parametrize("what", ["10.5281/zenodo.77/absent.csv", "10.5281/zenodo.1/table.csv"])
def test_record_without_the_file_is_told(records, raw, what):
    with pytest.raises(DataSourceError, match="does not give the file"):
        placed(raw, {"http": f"doi:{what}"})
