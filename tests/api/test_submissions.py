"""Submitted files are hostile until shown to be harmless."""

import gzip
import os
import re
import struct
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biomlbench.errors import InvalidSubmissionError
from biomlbench.grade import grade_csv, validate_submission
from biomlbench.submission import reading as submissions
from biomlbench.submission.code_checks import code_rows
from biomlbench.submission.csv_table import read_csv_table
from biomlbench.submission.reading import read_table
from biomlbench.submission.submitted_file import file_sha256, read_bytes, read_code

COLUMNS = {"id": "text", "y": "number"}
GOOD = b"id,y\na,0.5\nb,1e-3\n"


def reason_of(source, columns=COLUMNS, **kwargs):
    with pytest.raises(InvalidSubmissionError) as error:
        read_table(source, columns, **kwargs)
    assert error.value.fault == "submission"
    return str(error.value.reason)


def values(table):
    return table.to_pydict()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("s.csv", GOOD),
        ("S.CSV", GOOD),
        ("s.tsv", GOOD.replace(b",", b"\t")),
        ("s.csv.gz", gzip.compress(GOOD, mtime=0)),
        ("s.tsv.gz", gzip.compress(GOOD.replace(b",", b"\t"), mtime=0)),
        ("bom.csv", b"\xef\xbb\xbf" + GOOD),
        ("utf16.csv", GOOD.decode().encode("utf-16")),
        ("crlf.csv", GOOD.replace(b"\n", b"\r\n")),
        ("cr.csv", GOOD.replace(b"\n", b"\r")),
        ("quoted.csv", b'"id","y"\n"a","0.5"\n"b","1e-3"\n'),
        ("order.csv", b"y,id\n0.5,a\n1e-3,b\n"),
        ("spaces.csv", b"id,y\na, 0.5\nb,1e-3 \n"),
        ("plus.csv", b"id,y\na,+0.5\nb,+.001\n"),
        ("blank.csv", b"\nid,y\n\na,0.5\n\nb,1e-3\n\n"),
        ("no-end.csv", GOOD.rstrip()),
    ],
)
def test_what_people_write_is_read(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    assert values(read_table(path, COLUMNS)) == {"id": ["a", "b"], "y": [0.5, 0.001]}


def test_parquet_of_every_plain_type(tmp_path):
    for number, column in enumerate(
        [
            pa.array([0.5, 1.0]),
            pa.array([0.5, 1.0], pa.float32()),
            pa.array(["0.5", "1.0"]),
            pa.array(["0.5", "1.0"]).dictionary_encode(),
            pa.array([5, 10], pa.decimal128(3, 1)).cast(pa.decimal128(5, 1)),
        ]
    ):
        path = tmp_path / f"{number}.parquet"
        pq.write_table(pa.table({"y": column, "id": ["a", "b"]}), path)
        found = read_table(path, COLUMNS)
        assert found.column_names == ["id", "y"]
        assert found["id"].to_pylist() == ["a", "b"]
        assert found["y"].to_pylist() in ([0.5, 1.0], [5.0, 10.0])
    path = tmp_path / "pandas.parquet"
    pd.DataFrame({"id": [1, 2], "y": [True, False]}).to_parquet(path, index=False)
    assert values(read_table(path, {"id": "integer", "y": "number"})) == {
        "id": [1, 2],
        "y": [1.0, 0.0],
    }


BOOLEANS = pd.DataFrame({"id": ["a", "b", "c"], "y": [True, False, True]})


@pytest.mark.parametrize("cells", ["True False True", "true FALSE TRUE", "TRUE,false,True"])
def test_booleans_are_read_from_every_format(tmp_path, cells):
    cells = cells.replace(",", " ").split()
    texts = {
        "a.csv": "id,y\n" + "".join(f"{i},{y}\n" for i, y in zip("abc", cells, strict=True)),
        "a.tsv": "id\ty\n" + "".join(f"{i}\t{y}\n" for i, y in zip("abc", cells, strict=True)),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        assert pd.read_csv(tmp_path / name, sep="[,\t]", engine="python")["y"].dtype == bool
    BOOLEANS.to_parquet(tmp_path / "a.parquet", index=False)
    for name in (*texts, "a.parquet"):
        assert values(read_table(tmp_path / name, COLUMNS))["y"] == [1.0, 0.0, 1.0]
    BOOLEANS.to_csv(tmp_path / "b.csv", index=False)
    text = {"id": "text", "y": "text"}
    for name in ("b.csv", "a.parquet"):
        assert values(read_table(tmp_path / name, text))["y"] == ["True", "False", "True"]


def test_booleans_that_are_text_are_read_alike(tmp_path):
    (tmp_path / "a.csv").write_text("id,y\na,true\nb,False\n")
    frame = pd.DataFrame({"id": ["a", "b"], "y": ["true", "False"]})
    frame.to_parquet(tmp_path / "a.parquet", index=False)
    for name in ("a.csv", "a.parquet"):
        table = read_table(tmp_path / name, {"id": "text", "y": "number"})
        assert values(table)["y"] == [1.0, 0.0]
    frame.assign(y=["true", "maybe"]).to_parquet(tmp_path / "b.parquet", index=False)
    with pytest.raises(InvalidSubmissionError, match="are not numbers, first in data row 1"):
        read_table(tmp_path / "b.parquet", {"id": "text", "y": "number"})


def test_a_boolean_that_is_missing_is_a_missing_number(tmp_path):
    frame = BOOLEANS.assign(y=pd.array([True, None, False], "boolean"))
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet", index=False)
    for name in ("a.csv", "a.parquet"):
        found = read_table(tmp_path / name, COLUMNS)["y"].to_numpy()
        assert found[0] == 1
        assert np.isnan(found[1])
        assert found[2] == 0


def test_parquet_and_csv_give_the_same_table(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": [f"ä{i}" for i in range(500)], "y": rng.normal(size=500)})
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet", index=False, row_group_size=100)
    assert read_table(tmp_path / "a.csv", COLUMNS).equals(
        read_table(tmp_path / "a.parquet", COLUMNS)
    )


@settings(deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=50))
def test_numbers_are_exact_to_the_last_bit(numbers):
    text = "y\n" + "".join(f"{number!r}\n" for number in numbers)
    found = read_csv_table(text.encode(), {"y": "number"})["y"].to_pylist()
    assert [struct.pack("d", x) for x in found] == [struct.pack("d", x) for x in numbers]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"\n\n", "empty"),
        (b"id\na\n", "missing_columns"),
        (b"id,y,z\na,1,2\n", "extra_columns"),
        (b",id,y\n0,a,1\n", "extra_columns"),
        (b"id,y,y\na,1,2\n", "extra_columns"),
        (b"id;y\na;1\n", "missing_columns"),
        (b"id,y\na\n", "unreadable"),
        (b"id,y\na,1,2\n", "unreadable"),
        (b"id,y\na,hello\n", "wrong_type"),
        (b"id,y\na,0x10\n", "wrong_type"),
        (b"id,y\na,1_000\n", "wrong_type"),
        (b'id,y\na,"1,5"\n', "wrong_type"),
        (b"id,y\n\xff\xfe\xfa,1\n", "unreadable"),
        (b"id\xff,y\na,1\n", "unreadable"),
        (b"id,y\na,1\0\n", "unreadable"),
        (b"PAR1 and more", "unreadable"),
        (b"PK\x03\x04zip", "unreadable"),
        (b"\x89HDF\r\n\x1a\n", "unreadable"),
        (gzip.compress(GOOD, mtime=0), "unreadable"),
        (b"\xff\xfei\0d\0", "missing_columns"),
        (b"\xff\xfei\0d\0,", "unreadable"),  # half a character
        (b'id,y\n"a,1\n', "unreadable"),
        (b"x" * (2**20 + 1), "too_large"),
        (b"c," * 20_000 + b"c\n", "too_large"),
        (os.urandom(4096).replace(b"\0", b"\1"), None),
    ],
)
def test_malformed_csv_is_told_apart(data, reason):
    found = reason_of(data)
    assert reason in (None, found)


def test_wide_submissions_are_read_where_they_are_asked_for():
    names = [f"gene{i}" for i in range(12_000)]
    text = ",".join(["id", *names]) + "\n" + ",".join(["a", *["0.5"] * len(names)]) + "\n"
    columns = {"id": "text", **dict.fromkeys(names, "number")}
    assert read_table(text.encode(), columns).num_columns == 12_001
    assert reason_of(text.encode()) == "too_large"


def test_messages_name_rows_and_mends():
    def message(data, columns=COLUMNS):
        with pytest.raises(InvalidSubmissionError) as error:
            read_table(data, columns)
        return error.value.message

    assert "data row 2 has 1 cell(s) where the header has 2" in message(b"id,y\na,1\nb\nc,2\n")
    assert "separated by semicolons" in message(b"id;y\na;1\n")
    assert "write the file without it" in message(b",id,y\n0,a,1\n")
    assert "`Y ` differs in spaces and in upper and lower case" in message(b"id,Y \na,1\n")
    told = message(b"id,Y ,Z\na,1,2\n", {"id": "text", "y": "number", "z": "number"})
    assert "`Y `, `Z` differ in spaces and in upper and lower case" in told
    accented = {"id": "text", "\u00fd": "number"}
    assert "differs in how accents are encoded" in message("id,y\u0301\na,1\n".encode(), accented)
    assert "the first line only names the separator" in message(b"sep=,\nid,y\na,1\n")
    assert "the first line seems to be a comment" in message(b"# by us\nid,y\na,1\n")
    assert "the lines end with a separator" in message(b"id,y,\na,1,\n")
    assert "no line with the names of the columns" in message(b"a,1.5\nb,2\n")
    assert message(b"id,y\na,1\nb,x\nc,-\n") == (
        "column `y`: 2 value(s) are not numbers, first in data row 2"
    )
    assert "write 0.5 for 50 %" in message(b"id,y\na,1\nb,7.5 %\n")
    assert "with a point, not a comma" in message(b'id,y\na,"1,5"\nb,",5"\n')
    assert "write 1 for true" in message(b"id,y\na,True\nb,0\n")
    assert "write 1 for true" in message(b"id,y\na,tRue\nb,0\n")
    assert "not numbers, first in data row 1" in message(b"id,y\na,True\nb,x\n")


@given(st.binary(min_size=1, max_size=200), st.integers(0, 5))
def test_a_row_of_any_bytes_with_too_many_cells_is_named(junk, before):
    """Also where it is no text: nothing is written to standard error meanwhile."""
    junk = b"\xff" + bytes(set(junk) - set(b'\r\n",'))
    unraised = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "unraisablehook", unraised.append)
        with pytest.raises(InvalidSubmissionError) as error:
            read_csv_table(
                b"id,y\n" + b"a,1\n" * before + junk + b",1,2\n", {"id": "text", "y": "number"}
            )
    assert f"data row {before + 1} has 3 cell(s) where the header has 2" in str(error.value)
    assert not unraised


def test_column_names_of_the_submission_are_shown_harmlessly():
    with pytest.raises(InvalidSubmissionError) as error:
        read_table("id,y,<script>\x1b[31m\u202e{}\n".format("x" * 500).encode(), COLUMNS)
    assert error.value.message.isascii()
    assert error.value.message.isprintable()
    assert len(error.value.message) < 300


@pytest.mark.parametrize("name", ["s.xlsx", "s.h5ad", "s.pkl", "s.csv.bz2", "csv", "s.csv.exe"])
def test_other_formats_are_refused(tmp_path, name):
    (tmp_path / name).write_bytes(GOOD)
    assert reason_of(tmp_path / name) == "wrong_format"


def test_only_regular_files_are_opened(tmp_path):
    target = tmp_path / "answers.csv"
    target.write_bytes(GOOD)
    link = tmp_path / "link.csv"
    link.symlink_to(target)
    fifo = tmp_path / "fifo.csv"
    os.mkfifo(fifo)
    folder = tmp_path / "folder.csv"
    folder.mkdir()
    for path in (link, fifo, folder):
        assert reason_of(path) == "unsafe_path"
        assert file_sha256(path) == "absent"
    device = tmp_path / "device.csv"
    device.symlink_to("/dev/zero")
    assert reason_of(device) == "unsafe_path"


@pytest.mark.parametrize("path", ["none.csv", "a/b/none.csv", "x" * 5000 + ".csv", "nul\0l.csv"])
def test_absent_files(tmp_path, path):
    assert reason_of(os.path.join(tmp_path, path)) == "missing_file"
    assert file_sha256(os.path.join(tmp_path, path)) == "absent"


def test_that_a_file_is_missing_comes_before_what_its_name_says(tmp_path):
    assert reason_of(tmp_path / "none.xyz") == "missing_file"
    assert reason_of("") == "missing_file"


def test_a_file_as_a_folder(tmp_path):
    (tmp_path / "file").write_text("x")
    assert reason_of(tmp_path / "file" / "s.csv") == "missing_file"


def test_below_a_root_no_part_of_the_path_may_be_a_link(tmp_path):
    """A run's own folder turned into a link must not lead to the answers."""
    private, runs = tmp_path / "private", tmp_path / "runs"
    for folder in (private, runs, runs / "real"):
        folder.mkdir()
    (private / "s.csv").write_bytes(GOOD)
    (runs / "real" / "s.csv").write_bytes(GOOD)
    (runs / "run").symlink_to(private)
    assert read_bytes("real/s.csv", root=runs) == GOOD
    assert read_bytes(private / "s.csv", root=runs) == GOOD
    assert reason_of("run/s.csv", root=runs) == "unsafe_path"
    assert reason_of("none/s.csv", root=runs) == "missing_file"


def test_size_caps(tmp_path, monkeypatch):
    path = tmp_path / "s.csv"
    path.write_bytes(GOOD)
    with pytest.raises(InvalidSubmissionError) as error:
        read_bytes(path, max_bytes=10)
    assert error.value.reason == "too_large"
    sparse = tmp_path / "sparse.csv"
    with sparse.open("wb") as file:
        file.truncate(2**40)
    assert reason_of(sparse) == "too_large"
    assert file_sha256(sparse) == f"too-large-{2**40}"
    monkeypatch.setattr(submissions, "MAX_BYTES", 10_000)
    bomb = tmp_path / "bomb.csv.gz"
    bomb.write_bytes(gzip.compress(b"0" * 1_000_000))
    assert reason_of(bomb) == "too_large"
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(GOOD, mtime=0)[:-6])
    assert reason_of(tmp_path / "cut.csv.gz") == "unreadable"
    (tmp_path / "no.csv.gz").write_bytes(b"no gzip")
    assert reason_of(tmp_path / "no.csv.gz") == "unreadable"


def parquet_bytes(table, **options):
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **options)
    return sink.getvalue().to_pybytes()


def read_parquet(data, columns=COLUMNS):
    return read_table(data, columns, name="s.parquet")


def test_parquet_columns_and_types_are_checked():
    def reason(table):
        return reason_of(parquet_bytes(table), name="s.parquet")

    assert reason(pa.table({"id": ["a"]})) == "missing_columns"
    assert reason(pa.table({"id": ["a"], "y": [1.0], "z": [1]})) == "extra_columns"
    assert reason(pa.table({"id": ["a"], "y": [[1.0]]})) == "wrong_type"
    assert reason(pa.table({"id": ["a"], "y": ["x"]})) == "wrong_type"
    assert reason(pa.table({"id": ["a"], "y": pa.array([0], pa.timestamp("s"))})) == "wrong_type"
    assert reason_of(b"no parquet", name="s.parquet") == "unreadable"


def test_parquet_missing_values_arrive_as_missing():
    table = pa.table({"id": ["a", None], "y": [None, 2.0]})
    found = read_parquet(parquet_bytes(table))
    assert found["id"].to_pylist() == ["a", ""]
    assert np.isnan(found["y"].to_pylist()[0])


def test_a_parquet_bomb_is_refused_before_it_is_decoded():
    """A few kilobytes whose one long string is repeated a million times over."""
    text = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(1_000_000, dtype=np.int32)), pa.array(["x" * 100_000])
    )
    data = parquet_bytes(pa.table({"id": text, "y": np.zeros(1_000_000)}), compression="zstd")
    assert len(data) < 200_000
    assert reason_of(data, name="s.parquet") == "too_large"


def test_many_rows_of_nothing_are_refused():
    zeros = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(60_000_000, dtype=np.int8)), pa.array([0.0])
    )
    data = parquet_bytes(pa.table({"y": zeros}), compression="zstd")
    assert len(data) < 1_000_000
    assert reason_of(data, columns={"y": "number"}, name="s.parquet") == "too_large"


def test_damaged_parquet_costs_only_itself():
    """Whatever the decoder does with a damaged file, the next good one is read."""
    rng = np.random.default_rng(0)
    table = pa.table({"id": [f"r{i}" for i in range(200)], "y": rng.normal(size=200)})
    good = parquet_bytes(table, compression="snappy")
    refused = 0
    for _ in range(60):
        bad = bytearray(good)
        for place in rng.integers(4, len(good) - 4, 6):
            bad[place] = rng.integers(0, 256)
        try:
            read_parquet(bytes(bad))
        except InvalidSubmissionError:
            refused += 1
    assert refused
    assert read_parquet(good).num_rows == 200


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ({"extension": b"arrow.uuid"}, "a type that is not read, such as an extension type"),
        ({"extension": b"arrow.fixed_shape_tensor"}, "write them as numbers or as text"),
        ({"encoding": "DELTA_BYTE_ARRAY"}, "pages of an encoding that is not read; write it with"),
    ],
)
def test_parquet_that_is_not_read_is_not_called_damaged(written, told):
    field = pa.field("y", pa.float64())
    options = {}
    if name := written.get("extension"):
        field = field.with_metadata({b"ARROW:extension:name": name})
    else:
        encoding = {"id": written["encoding"]}
        options = {"data_page_version": "2.0", "use_dictionary": False, "column_encoding": encoding}
    schema = pa.schema([pa.field("id", pa.string()), field])
    data = parquet_bytes(pa.table({"id": ["a", "b"], "y": [1.0, 2.0]}, schema=schema), **options)
    with pytest.raises(InvalidSubmissionError, match=told):
        read_parquet(data)


def test_a_reader_that_died_is_replaced():
    from biomlbench.submission import parquet

    data = parquet_bytes(pa.table({"id": ["a"], "y": [1.0]}))
    read_parquet(data)
    parquet._reader._process.kill()
    parquet._reader._process.wait()
    assert read_parquet(data).num_rows == 1


def test_code(tmp_path):
    path = tmp_path / "s.py"
    path.write_bytes(b"\xef\xbb\xbfx = 'na\xc3\xafve'\n")
    assert read_code(path) == "x = 'naïve'\n"
    for data, reason in [
        (b"\xff", "unreadable"),
        (b"a\0b", "unreadable"),
        (b"#" * 2**21, "too_large"),
    ]:
        path.write_bytes(data)
        with pytest.raises(InvalidSubmissionError) as error:
            read_code(path)
        assert error.value.reason == reason


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"# coding: latin-1\nx = '\xe9'\n", "# coding: utf-8\nx = '\u00e9'\n"),
        (b"#!/usr/bin/python\r\n# -*- coding: cp1252 -*-\r\nx = '\x80'",
         "#!/usr/bin/python\r\n# -*- coding: utf-8 -*-\r\nx = '\u20ac'"),
        (b"\n# vim: set fileencoding=koi8-r :\nx = '\xc1'",
         "\n# vim: set fileencoding=utf-8 :\nx = '\u0430'"),
        (b"\xef\xbb\xbf# coding: utf-8\nx = '\xc3\xa9'", "# coding: utf-8\nx = '\u00e9'"),
        (b"x = 1\n# coding: latin-1\ny = '\xc3\xa9'", "x = 1\n# coding: latin-1\ny = '\u00e9'"),
    ],
)  # fmt: skip
def test_code_is_read_in_the_encoding_that_it_declares(tmp_path, data, text):
    """What is run is what Python would run."""
    path = tmp_path / "s.py"
    path.write_bytes(data)
    assert read_code(path) == text
    there, here = {}, {}
    exec(compile(data, "s.py", "exec"), there)
    exec(compile(text.encode(), "s.py", "exec"), here)
    assert here["x"] == there["x"]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"# coding: ascii\nx = '\xe9'", "not ascii text: line 2"),
        (b"x = 1\ny = '\xe9'", "not UTF-8 text: line 2"),
        (b"# coding: punycode\nx", "declares the encoding 'punycode'"),
        (b"# coding: rot13\nx", "declares the encoding 'rot13'"),
        (b"# coding: unicode_escape\nx", "in which code is not read; write it as UTF-8"),
        (b"# coding: nonsense\nx", "'nonsense'"),
    ],
)
def test_code_in_no_known_encoding_is_told_so(tmp_path, data, told):
    path = tmp_path / "s.py"
    path.write_bytes(data)
    with pytest.raises(InvalidSubmissionError, match=re.escape(told)) as error:
        read_code(path)
    assert error.value.reason == "unreadable"


def test_a_notebook_is_told_what_a_program_is(tmp_path):
    (tmp_path / "s.ipynb").write_text("{}")
    with pytest.raises(InvalidSubmissionError, match=r"a program is one \.py file"):
        read_table(tmp_path / "s.ipynb", COLUMNS)
    first = code_rows(tmp_path / "s.ipynb")[0]
    assert (first["reason"], first["outcome"]) == ("wrong_format", "failed")
    assert "one .py file" in first["message"]


def test_hash_of_a_submission(tmp_path):
    path = tmp_path / "s.csv"
    path.write_bytes(b"")
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert file_sha256(path) == empty


def test_an_index_in_parquet_is_told_with_its_remedy(factory, good):
    task, path = factory.task(), factory.root / "indexed.parquet"
    frame = pd.DataFrame({"id": [f"r{n}" for n in range(6)], "y": good})
    frame.sort_values("y").to_parquet(path)
    is_valid, message = validate_submission(path, task)
    assert not is_valid
    assert "__index_level_0__" in message
    assert "`index=False`" in message


def test_a_name_is_no_task(factory, good):
    path = factory.submission(good)
    for call in (validate_submission, grade_csv):
        with pytest.raises(TypeError, match=r"registry\.get_task\('toy-task'\)"):
            call(path, "toy-task")
