"""Files of test rows: which belong to which row, what is read of them, and what tells the label."""

from __future__ import annotations

import os
import struct
import zlib

import numpy as np
import pandas as pd
import pytest
from PIL import Image, PngImagePlugin

from biomlbench.audit import public_row_files
from biomlbench.audit.detectors import file_metadata
from biomlbench.audit.detectors.file_metadata import _follows, _separates
from biomlbench.audit.public_row_files import row_files
from biomlbench.audit.subject import Subject
from tests.audit.zoo import FLAWED, SOUND, base, images, picture

N = 80


def found(task, tmp_path):
    return list(file_metadata.find(Subject(task.write(tmp_path))))


def sets(task, *keys):
    return list(row_files(task, keys))


@pytest.fixture
def task(tmp_path):
    return base(n=N).write(tmp_path)


def put(task, names, data=b"x"):
    for name in names:
        path = task.public_dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


IDS = [f"s{i}" for i in range(N)]


@pytest.mark.parametrize(
    ("key", "file"),
    [("{}", "{}.png"), ("{}", "a/b/{}.nii.gz"), ("{}", "{}"), ("{}.png", "im/{}.png"),
     ("im/{}.png", "im/{}.png"), ("./im/{}", "im/{}.png"), ("/home/me/im/{}.png", "im/{}.png"),
     ("im\\{}.png", "im/{}.png")],
)  # fmt: skip
def test_a_file_is_found_by_its_name_or_path(task, key, file):
    put(task, [file.format(one) for one in IDS])
    (files,) = sets(task, [key.format(one) for one in IDS])
    assert files.rows.tolist() == list(range(N))
    assert len(files.frame) == N
    assert files.name.startswith(f"{N} files of test rows")


def test_folders_with_a_file_of_each_row_are_sets_of_their_own(task):
    put(task, [f"{folder}/{one}.png" for folder in ("image", "mask") for one in IDS])
    put(task, [f"{'ab'[i % 2]}/{one}.txt" for i, one in enumerate(IDS)])
    names = [files.name for files in sets(task, IDS, IDS)]
    assert sorted(names) == sorted([
        f"{N} files of test rows in image (.png)", f"{N} files of test rows in mask (.png)",
        f"{N} files of test rows in 2 folders (.txt)",
    ])  # fmt: skip


def test_a_path_that_is_there_stands_for_no_other(task):
    put(task, [f"{folder}/{one}.png" for folder in ("test", "train") for one in IDS])
    (files,) = sets(task, [f"test/{one}.png" for one in IDS])
    assert "in test " in files.name


def test_few_files_and_one_file_of_many_rows_are_no_set(task, monkeypatch):
    put(task, ["one.png", *(f"{one}.png" for one in IDS[:15])])
    assert sets(task, IDS, ["one"] * N) == []
    put(task, [f"{one}.png" for one in IDS])
    monkeypatch.setattr(public_row_files, "MAX_FILES", 30)
    assert [len(files.frame) for files in sets(task, IDS, [f"{one}.png" for one in IDS])] == [30]


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def test_broken_images_and_bombs_have_no_header(task):
    put(task, [f"{one}.png" for one in IDS])
    bomb = b"\x89PNG\r\n\x1a\n" + chunk(
        b"IHDR", struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0)
    )
    text = chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(90 << 20)))
    put(task, ["s0.png"], bomb + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b""))
    put(task, ["s1.png"], b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", bytes(3)))
    put(task, ["s2.png"], bomb.replace(b"\xea\x60", b"\0\1") + text)
    picture(0).save(task.public_dir / "s3.png", exif=bytes(range(200)))
    exif = Image.Exif()
    exif[0x010F], exif[0x0131] = "maker\x1b[2J", "x" * 5000
    picture(0).save(task.public_dir / "s4.jpg", exif=exif)
    os.replace(task.public_dir / "s4.jpg", task.public_dir / "s4.png")
    (files,) = sets(task, IDS)
    assert files.frame["mode"][[0, 1, 5]].tolist() == ["", "", ""]
    assert files.frame["width"].isna().sum() >= N - 3
    assert "EXIF Make" in files.frame["names of metadata"][4]
    assert len(files.frame["metadata EXIF Software"][4]) == public_row_files.MAX_TEXT


def test_no_pixel_is_decoded(task, monkeypatch):
    info = PngImagePlugin.PngInfo()
    info.add_text("a", "b")
    for one in IDS:
        picture(0).save(task.public_dir / f"{one}.png", pnginfo=info)
    for kind in (Image.Image, PngImagePlugin.PngImageFile):
        monkeypatch.setattr(kind, "load", lambda self: pytest.fail("decoded"))
    (files,) = sets(task, IDS)
    assert files.frame["metadata a"].tolist() == ["b"] * N
    assert set(files.frame["dimensions"]) == {"8 x 8"}


def test_findings_name_the_column_and_how_strong_it_is(tmp_path):
    severe = {
        "images_of_one_class_have_a_text": "names of metadata",
        "images_name_the_class_in_a_text": "metadata Title",
        "images_were_written_class_by_class": "modification time",
        "images_of_one_class_are_gray": "mode",
        "images_lie_in_folders_of_their_classes": "folder",
        "files_of_a_column_have_the_size_of_their_class": "bytes",
    }
    for name, column in severe.items():
        expected, make = FLAWED[name]
        (one,) = found(make(), tmp_path / name)
        assert (one.name, one.severity) == (expected, "severe")
        assert column in one.what
    assert found(SOUND["images_whose_sizes_follow_what_is_in_them"](), tmp_path / "sound") == []


def timed(time, kind="binary"):
    def write(path, place, y):
        picture(place).save(path)
        os.utime(path, ns=(0, time(place, y)))

    return images(write, kind)


def test_times_that_follow_numbers_and_not_rows_tell(tmp_path):
    start = 1_700_000_000_000_000_000
    numbers = timed(lambda place, y: start + int(1000 * y), "regression")
    (one,) = found(numbers, tmp_path / "numbers")
    assert one.severity == "severe"
    noisy = timed(lambda place, y: start + place % 37 + 25 * y)
    (one,) = found(noisy, tmp_path / "noisy")
    assert one.severity == "moderate"
    for name, time in (("rows", lambda place, y: start + place), ("same", lambda place, y: start)):
        assert found(timed(time), tmp_path / name) == []


def test_sizes_tell_only_if_nearly_perfectly(tmp_path):
    def task(overlap):
        def write(path, place, y):
            path.write_bytes(bytes(1000 + 7 * place + overlap * int(y)))

        return images(write)

    assert found(task(250), tmp_path / "some") == []
    (one,) = found(task(600), tmp_path / "all")
    assert "bytes" in one.what


@pytest.mark.parametrize("seed", range(200))
def test_columns_that_know_nothing_tell_nothing(seed):
    rng = np.random.default_rng(seed)
    columns = (
        rng.normal(size=N), rng.integers(0, 16, N).astype(float), np.full(N, 1.0),
        rng.choice(list("abcdefgh"), N).astype(object), np.arange(N).astype(float),
        np.where(rng.random(N) < 0.5, np.nan, rng.normal(size=N)), np.full(N, np.nan),
    )  # fmt: skip
    classes = [rng.integers(0, k, N) for k in (2, 3, 8)] + [(rng.random(N) < 0.1).astype(int)]
    for column in columns:
        assert _follows(column, rng.normal(size=N)) == 0
        for codes in classes:
            assert _separates(column, pd.factorize(codes)[0]) < 0.5
