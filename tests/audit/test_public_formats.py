"""What is read of public files: every dialect the same table, and nothing that is too large."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomlbench.audit import public_formats
from biomlbench.audit.detectors._derived import told_by
from biomlbench.audit.public_formats import tables_of

TABLE = pd.DataFrame({"id": ["a1", "b2", "c3"], "y": [0.5, -1.25, 3.0]})
ROWS = [["a1", "0.5"], ["b2", "-1.25"], ["c3", "3.0"]]


def csv(**options):
    return lambda path: TABLE.to_csv(path, index=False, **options)


def text(value):
    return lambda path: path.write_text(value)


RECORDS = TABLE.to_dict("records")
WRITTEN = {
    "comma.csv": csv(),
    "semicolon.csv": csv(sep=";", decimal=","),
    "bar.csv": csv(sep="|"),
    "tab.csv": csv(sep="\t"),
    "bare.csv": csv(sep=";", header=False),
    "tab.tsv": csv(sep="\t"),
    "comma.tsv.gz": csv(),
    "spaces.txt": csv(sep=" "),
    "records.json": text(json.dumps(RECORDS)),
    "columns.json": text(json.dumps(TABLE.to_dict("list"))),
    "object.json": text(json.dumps({"meta": {"data": RECORDS}})),
    "keys.json": text(json.dumps(dict(zip(TABLE["id"], TABLE["y"], strict=True)))),
    "rows.json": text(json.dumps({row["id"]: {"y": row["y"]} for row in RECORDS})),
    "lists.json": text(json.dumps(TABLE.to_numpy().tolist())),
    "lines.jsonl": text("\n".join(map(json.dumps, RECORDS)) + "\n\n"),
    "fields.npy": lambda path: np.save(path, TABLE.to_records(index=False, column_dtypes={
        "id": "U2"})),
    "table.parquet": lambda path: TABLE.to_parquet(path),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_a_table_is_the_same_in_every_form(tmp_path, name):
    WRITTEN[name](tmp_path / name)
    (_, frame), *more = tables_of(tmp_path / name)
    assert not more
    rows = frame.astype(str).to_numpy().tolist()
    # a first row of which some cell is text stands for names
    expected = ROWS[1:] if name == "bare.csv" else ROWS
    assert [[one, float(y)] for one, y in rows] == [[one, float(y)] for one, y in expected]


@pytest.mark.parametrize(
    ("name", "data"),
    [("x.json", b"{"), ("x.json", b"[" * 99999), ("x.npy", b"x"), ("x.npz", b"PK"),
     ("x.csv", b"\xff\xfe\x00"), ("x.jsonl", b"1\n}"), ("x.csv.gz", b"x"), ("x.csv", b"")],
)  # fmt: skip
def test_what_cannot_be_read_is_left_out(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    assert list(tables_of(tmp_path / name)) == []


def test_pickles_and_large_arrays_are_not_loaded(tmp_path, monkeypatch):
    np.save(tmp_path / "p.npy", np.array([{}], object), allow_pickle=True)
    assert list(tables_of(tmp_path / "p.npy")) == []
    monkeypatch.setattr(public_formats, "MAX_CELLS", 10)
    np.savez(tmp_path / "a.npz", large=np.zeros(11), small=np.zeros(10))
    assert [name for name, _ in tables_of(tmp_path / "a.npz")] == ["small"]
    monkeypatch.setattr(public_formats, "MAX_TABLES", 2)
    (tmp_path / "m.json").write_text(json.dumps({str(i): [i] * (i + 1) for i in range(9)}))
    assert len(list(tables_of(tmp_path / "m.json"))) == 2


@given(st.integers(0, 2**32 - 1), st.sampled_from(["number", "text", "date", "gaps", "id"]))
def test_what_has_nothing_to_do_with_the_answers_tells_nothing(seed, kind):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=60).round(3)
    texts = {
        "number": values,
        "text": [
            f"{one} of {two}" for one, two in zip(values, rng.integers(0, 9, 60), strict=True)
        ],
        "date": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, 60), "D"),
        "gaps": np.where(rng.random(60) < 0.5, "", values.astype(str)),
        "id": rng.permutation(60),
    }[kind]
    column = np.array([str(one) for one in texts])
    for truth in (
        rng.normal(size=60).round(3),
        rng.integers(0, 2, 60).astype(float),
        rng.integers(0, 10, 60).astype(float),
        rng.choice(["low", "middle", "high"], 60),
        (np.arange(60) == 7).astype(float),
    ):
        assert told_by(column, truth) == ""


def test_damaged_and_huge_arrays_are_left_out(tmp_path, monkeypatch):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, a=np.arange(6.0), b=np.zeros(5_000))
    monkeypatch.setattr(public_formats, "MAX_ARRAY_BYTES", 1_000)
    assert [name for name, _ in tables_of(path)] == ["a"]
    data = path.read_bytes()
    start = data.index(b"a.npy") + len(b"a.npy") + 25
    for place in range(start, start + 60):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :])
        assert len(list(tables_of(path))) <= 1
