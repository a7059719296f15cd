"""Archives and databases among public files: what is read of them, and hostile ones."""

from __future__ import annotations

import gzip
import io
import os
import sqlite3
import struct
import tarfile
import zipfile
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

from biomlbench.audit import public_archives, public_databases, public_tables
from biomlbench.audit.public_archives import Room
from biomlbench.audit.public_formats import tables_of
from biomlbench.audit.public_tables import read_public
from tests.audit.zoo import base

CSV = b"id,y\n" + b"".join(b"r%d,%d\n" % (i, i) for i in range(20))
NPZ = io.BytesIO()
np.savez(NPZ, y=np.arange(4), p=np.array([{}]))


def zipped(path, members, **options):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **options) as file:
        for name, data in members.items():
            file.writestr(name, data)


def tarred(path, members, mode="w"):
    with tarfile.open(path, mode) as file:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            file.addfile(info, io.BytesIO(data))


def read(path, room=None):
    return {name: frame.shape for name, frame in tables_of(path, room)}


MEMBERS = {
    "a/y.csv": CSV,
    "y.tsv.gz": gzip.compress(CSV),
    "y.json": b'[{"a": 1}]',
    "y.npz": NPZ.getvalue(),
    "readme": b"r1: 5\nr2: 6\n",
    "image.png": b"\x89PNG\0\0",
    "inner.zip": b"PK\x03\x04\0\0",
    "x.pkl": b"\x80\x04\0N.",
}


@pytest.mark.parametrize(
    ("name", "write"),
    [("d.zip", zipped), ("D.ZIP", zipped), ("d.tar", tarred),
     ("d.tgz", lambda path, members: tarred(path, members, "w:gz")),
     ("d.tar.gz", lambda path, members: tarred(path, members, "w:gz"))],
)  # fmt: skip
def test_members_are_read_as_files_are(tmp_path, name, write):
    write(tmp_path / name, MEMBERS)
    room = Room()
    found = read(tmp_path / name, room)
    assert found["a/y.csv"] == found["y.tsv.gz"] == (20, 2)
    assert found["y.json"] == (1, 1)
    assert found["y.npz:y"] == (4, 1)
    assert found["readme"][0] == 2
    assert len(found) == 5
    assert not room.cut
    assert room.left < public_archives.MAX_BYTES
    assert os.listdir(tmp_path) == [name]


def test_names_that_lead_out_write_nothing_there(tmp_path):
    out = tmp_path / "out.csv"
    names = [str(out), "../out.csv", "a/../../out.csv", "\x1b[2J\u202e.csv"]
    zipped(tmp_path / "d.zip", dict.fromkeys(names, CSV))
    tarred(tmp_path / "d.tar", dict.fromkeys(names, CSV))
    for archive in ("d.zip", "d.tar"):
        found = read(tmp_path / archive)
        assert len(found) == 4
        assert all(name.isprintable() for name in found)
    assert sorted(os.listdir(tmp_path)) == ["d.tar", "d.zip"]


def test_links_are_not_followed(tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_bytes(CSV)
    with tarfile.open(tmp_path / "d.tar", "w") as file:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            info = tarfile.TarInfo("y.csv")
            info.type, info.linkname = kind, str(secret)
            file.addfile(info)
    info = zipfile.ZipInfo("y.csv")
    info.external_attr = 0o120777 << 16
    zipped(tmp_path / "d.zip", {info: str(secret)})
    assert read(tmp_path / "d.tar") == read(tmp_path / "d.zip") == {}


def test_bombs_end_at_the_bounds(tmp_path, monkeypatch):
    monkeypatch.setattr(public_archives, "MAX_MEMBER_BYTES", 3 << 20)
    bomb = b"id,y\n" + bytes(30 << 20)
    packed = gzip.compress(gzip.compress(bomb))
    zipped(tmp_path / "d.zip", {"a.csv": bomb, "b.csv.gz": gzip.compress(bomb), "c.csv": CSV})
    tarred(tmp_path / "d.tar", {"a.csv": bomb, "b.csv.gz": gzip.compress(bomb), "c.csv": CSV})
    tarred(tmp_path / "d.tgz", {"c.csv": CSV, "a.csv": bomb}, "w:gz")
    for name in ("d.zip", "d.tar", "d.tgz"):
        room = Room()
        assert read(tmp_path / name, room) == {"c.csv": (20, 2)}
        assert room.cut == {tmp_path / name}
        assert room.left > 100 << 20
    room = Room(1 << 20)
    assert read(tmp_path / "d.tgz", room) == {}
    assert room.cut == {tmp_path / "d.tgz"}
    assert read(tmp_path / "d.zip", Room(10)) == {}
    zipped(tmp_path / "e.zip", {"a.csv.gz": packed})
    assert read(tmp_path / "e.zip") == {}


def test_what_an_archive_says_of_sizes_is_not_believed(tmp_path, monkeypatch):
    path = tmp_path / "d.zip"
    zipped(path, {"a.csv": CSV})
    data = path.read_bytes()
    for said in (0, 1, 2**32 - 2):
        size = struct.pack("<I", said)
        path.write_bytes(data.replace(struct.pack("<I", len(CSV)), size))
        assert read(path) in ({}, {"a.csv": (20, 2)})
    path = tmp_path / "d.tar"
    for kind in (tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME):
        info = tarfile.TarInfo("x")
        info.type, info.size = kind, 6 << 20
        path.write_bytes(info.tobuf() + bytes(7 << 20))
        assert read(path) == {}


def test_many_members_are_not_all_listed_nor_read(tmp_path, monkeypatch):
    monkeypatch.setattr(public_archives, "MAX_MEMBERS", 5)
    images = {f"{i}.png": b"\0" for i in range(50)}
    for name, write in (("d.zip", zipped), ("d.tar", tarred)):
        write(tmp_path / name, {**images, "y.csv": CSV})
        room = Room()
        assert read(tmp_path / name, room) == {"y.csv": (20, 2)}
        assert not room.cut
        write(tmp_path / name, {f"{i}.csv": CSV for i in range(9)})
        assert len(read(tmp_path / name, room)) == 5
        assert room.cut == {tmp_path / name}


@pytest.mark.parametrize("count", [2_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_a_million_members_are_refused(tmp_path, monkeypatch, count):
    monkeypatch.setattr(public_archives, "MAX_LISTED", count // 10)
    path = tmp_path / "d.zip"
    zipped(path, {"a.csv": CSV})
    data = path.read_bytes()
    start, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    listed = data[start:end] * count
    size = len(listed).to_bytes(4, "little")
    path.write_bytes(data[:start] + listed + data[end : end + 12] + size + data[end + 16 :])
    assert read(path) == {}
    tarred(tmp_path / "d.tar", {"a": b""})
    header = (tmp_path / "d.tar").read_bytes()[:512]
    (tmp_path / "d.tar").write_bytes(header * count)
    room = Room()
    assert read(tmp_path / "d.tar", room) == {}
    assert room.cut


def test_encrypted_members_are_left_out(tmp_path):
    path = tmp_path / "d.zip"
    zipped(path, {"a.csv": CSV})
    data = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + place] |= 1
    path.write_bytes(data)
    room = Room()
    assert read(path, room) == {}
    assert room.cut == {path}


def test_ways_of_packing_that_take_any_memory_are_left_out(tmp_path):
    for method in (zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2):
        with zipfile.ZipFile(tmp_path / "d.zip", "w", method) as file:
            file.writestr("a.csv", CSV)
        assert read(tmp_path / "d.zip") == {}


def damaged(data):
    rng = np.random.default_rng(0)
    yield from (data[:end] for end in range(0, len(data), max(1, len(data) // 60)))
    for _ in range(300):
        changed = bytearray(data)
        for place in rng.integers(0, len(data), rng.integers(1, 20)):
            changed[place] = rng.integers(256)
        yield bytes(changed)


@pytest.mark.parametrize("name", ["d.zip", "d.tar", "d.tgz", "d.sqlite"])
def test_damaged_files_end_in_fewer_tables(tmp_path, name):
    path = tmp_path / name
    if name == "d.sqlite":
        database(path, {"y": pd.read_csv(io.BytesIO(CSV)), "z": pd.DataFrame({"a": [1]})})
    elif name == "d.zip":
        zipped(path, MEMBERS)
    else:
        tarred(path, MEMBERS, "w:gz" if name == "d.tgz" else "w")
    whole = len(read(path))
    for data in damaged(path.read_bytes()):
        path.write_bytes(data)
        assert len(read(path)) <= whole + 1


def database(path, tables, *statements):
    with closing(sqlite3.connect(path)) as opened:
        for name, frame in tables.items():
            frame.to_sql(name, opened, index=False)
        for statement in statements:
            opened.execute(statement)
        opened.commit()


def test_each_table_of_a_database_is_read(tmp_path):
    frame = pd.DataFrame({"id": ["a", None], "y": [1.5, 2], "n": [1, 2]})
    path = tmp_path / "a b?#.DB"
    database(
        path, {'one "t"': frame, "two": frame[["n"]]},
        "CREATE TABLE cells (x)", "CREATE VIEW bad AS SELECT * FROM two",
        "CREATE TABLE computed (a, b AS (zeroblob(1000000000)))", "INSERT INTO computed VALUES (1)",
    )  # fmt: skip
    with closing(sqlite3.connect(path)) as opened:
        cells = [(np.int64(-7),), (b"text",), (b"\xff",), (bytes(5000),)]
        opened.executemany("INSERT INTO cells VALUES (?)", cells)
        opened.commit()
    before = path.read_bytes()
    found = dict(tables_of(path))
    assert list(found) == ['one "t"', "two", "cells", "computed"]
    assert found['one "t"'].to_numpy().tolist() == [["a", "1.5", "1"], ["", "2.0", "2"]]
    assert found["cells"]["x"].tolist() == ["-7", "text", "", ""]
    assert found["computed"].to_numpy().tolist() == [["1"]]
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [path.name]


def test_large_and_slow_tables_of_a_database_are_left_out(tmp_path, monkeypatch):
    path = tmp_path / "d.db"
    frame = pd.DataFrame({"a": range(300)})
    wide = pd.DataFrame({f"c{i}": [0] for i in range(301)})
    database(path, {"long": frame, "wide": wide, "few": frame[:9]})
    monkeypatch.setattr(public_databases, "MAX_CELLS", 200)
    room = Room()
    assert read(path, room) == {"few": (9, 1)}
    assert room.cut == {path}
    monkeypatch.setattr(public_databases, "MAX_LOOKS", 0)
    monkeypatch.setattr(public_databases, "_STEPS", 1)
    assert read(path) == {}


def test_only_archives_that_were_not_read_are_named(tmp_path, monkeypatch):
    task = base().write(tmp_path)
    public = task.public_dir
    zipped(public / "read.zip", {"y.csv": CSV})
    database(public / "read.db", {"y": pd.DataFrame({"a": [1]})})
    zipped(public / "images.zip", {"1.png": b"\0"})
    zipped(public / "part.zip", {"y.csv": CSV, "z.parquet": b"PAR1\0"})
    (public / "broken.sqlite").write_bytes(b"\0" * 5000)
    (public / "lines.db").write_text("r1 5\nr2 6\n")
    wanted = pd.read_csv(task.sample_submission, dtype=str)[["id"]]
    unread = []
    names = {table.name for table in read_public(task, wanted, unread)}
    assert {"read.zip:y.csv", "read.db:y", "part.zip:y.csv", "lines.db"} <= names
    assert sorted(path.name for path in unread) == ["broken.sqlite", "images.zip", "part.zip"]
    monkeypatch.setattr(public_tables, "MAX_PACKED", 0)
    unread = []
    names = {table.name for table in read_public(task, wanted, unread)}
    assert "read.zip" in {path.name for path in unread}
    assert {"test.csv", "train.csv"} <= names
