"""What the trusted side parses of a submission, it parses within limits."""

from __future__ import annotations

import gzip
import os
import re
import resource
import signal
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomlbench.errors import InvalidSubmissionError
from biomlbench.sandbox import accounting
from biomlbench.submission import csv_table, parquet
from biomlbench.submission.code_checks import code_rows
from biomlbench.submission.ids import first_repeat
from biomlbench.submission.reading import read_table
from biomlbench.submission.submitted_file import MAX_CODE_BYTES
from biomlbench.submission.unpacked_text import gunzip
from tests.waiting import wait_until

COLUMNS = {"id": "integer", "y": "number"}
HOSTILE = {
    "brackets": "(" * 200_000,
    "minus": "-" * 900_000 + "1",
    "f-strings": "x = " + "f'{" * 150_000,
    "f-string-lines": ("x = f'{f\"{1}\"}' " + ";") * 20_000,
    "f-string-deep": "f'''{" * 60_000 + "1" + "}'''" * 60_000,
    "lambdas": "lambda:" * 100_000 + "1",
    "attributes": "a" + ".b" * 300_000,
    "dedents": "".join(" " * i + "if 1:\n" for i in range(1200)),
    "calls": "a" + "()" * 300_000,
    "powers": "2**" * 250_000 + "2",
    "comparisons": "not " * 200_000 + "1",
    "strings": "'a' " * 200_000,
    "f-concatenated": "f'{x}' " * 100_000,
}


@pytest.fixture
def own_cpu():
    """Return a function that tells the CPU seconds of this process alone since the start."""
    start = resource.getrusage(resource.RUSAGE_SELF)

    def used():
        now = resource.getrusage(resource.RUSAGE_SELF)
        return now.ru_utime + now.ru_stime - start.ru_utime - start.ru_stime

    return used


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_code_gets_a_row_and_costs_this_process_nothing(name, tmp_path, own_cpu):
    code = HOSTILE[name]
    assert len(code) <= MAX_CODE_BYTES
    (tmp_path / "a.py").write_text(code)
    rows = code_rows(tmp_path / "a.py")
    assert [row["check"] for row in rows] == ["file", "syntax"]
    assert rows[1]["reason"] in ("ok", "syntax_error", "time_limit")
    assert own_cpu() < 1.0


def test_code_that_takes_too_long_to_parse_is_the_submissions_fault(monkeypatch):
    from biomlbench.outcomes import Fault, fault_of
    from biomlbench.submission import code_syntax

    monkeypatch.setattr(code_syntax, "CPU_S", 1)
    reason, message = code_syntax.syntax_fault("x = 1 + 2 * (3 - 4)\n" * 500_000)
    assert reason == "time_limit"
    assert fault_of(reason) is Fault.SUBMISSION
    assert message.isprintable()


@pytest.mark.parametrize("code", ["x = \x1b[31m", "x = '\u202e", "\x07(", "é = ("])
def test_messages_are_plain_text(code, tmp_path):
    (tmp_path / "a.py").write_text(code, encoding="utf-8")
    row = code_rows(tmp_path / "a.py")[1]
    assert row["outcome"] == "failed"
    assert row["message"].isascii()
    assert row["message"].isprintable()


def parquet_bytes(rows):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"id": list(range(rows)), "y": [0.5] * rows}), sink)
    return sink.getvalue().to_pybytes()


def test_each_parquet_file_is_read_by_a_process_of_its_own(tmp_path, monkeypatch):
    """A reader that a file took over, and that counts its files, meets only one."""
    marks = tmp_path / "marks"
    script = tmp_path / "reader.py"
    source = parquet._SCRIPT.read_text()
    spy = "\nSEEN = []\n_before = _read\n\ndef _read(request, data):\n    SEEN.append(len(data))\n"
    spy += f"    open({str(marks)!r}, 'a').write(f'{{os.getpid()}} {{len(SEEN)}}\\n')\n"
    spy += "    return _before(request, data)\n\n\n"
    start = 'if __name__ == "__main__":'
    script.write_text(source.replace(start, spy + start))
    reader = parquet._Reader()
    monkeypatch.setattr(parquet, "_SCRIPT", script)
    monkeypatch.setattr(parquet, "_reader", reader)
    for rows in (3, 4, 5):
        assert parquet.read_parquet(parquet_bytes(rows), COLUMNS).num_rows == rows
    seen = [line.split() for line in marks.read_text().splitlines()]
    assert len({pid for pid, _ in seen}) == 3
    assert {count for _, count in seen} == {"1"}
    reader.stop()


def csv_bytes(rows, quoted=False):
    row = b'"r",1\n' if quoted else b"r,1\n"
    return b"id,y\n" + row * rows


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (csv_bytes(1_001), "a.csv"),
        (csv_bytes(1_001).replace(b"\n", b"\r"), "a.csv"),
        (csv_bytes(1_001, quoted=True), "a.csv"),
        (gzip.compress(csv_bytes(1_001)), "a.csv.gz"),
        (parquet_bytes(1_001), "a.parquet"),
    ],
    ids=["lines", "returns", "quoted", "compressed", "parquet"],
)
def test_a_table_of_too_many_rows_is_refused(data, name):
    with pytest.raises(InvalidSubmissionError, match="1001 rows; at most 1000 are read") as caught:
        read_table(data, COLUMNS, name=name, most_rows=1_000)
    assert caught.value.reason == "too_large"
    assert read_table(data, COLUMNS, name=name, most_rows=1_001).num_rows == 1_001


def test_a_bomb_of_rows_is_refused_before_it_is_parsed():
    bomb = gzip.compress(csv_bytes(20_000_000), 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(InvalidSubmissionError, match="20000000 rows"):
        read_table(bomb, COLUMNS, name="a.csv.gz", most_rows=1_000_000)
    # its text and nothing else, which compressing took as well
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 150_000


@given(
    st.lists(st.binary(max_size=300), min_size=1, max_size=5),
    st.sampled_from([b"", b"x", b"\0", b"\x1f", b"\x1f\x8b"]),
    st.integers(0, 19),
)
def test_gzip_of_several_members_is_what_they_hold(parts, behind, cut):
    packed = b"".join(map(gzip.compress, parts))
    most = sum(map(len, parts))
    assert gunzip(packed, most) == b"".join(parts)
    if most:
        with pytest.raises(InvalidSubmissionError, match=f"unpacks to more than {most - 1} bytes"):
            gunzip(packed, most - 1)
    if behind:
        with pytest.raises(InvalidSubmissionError, match=r"after its end that are no gzip|cut off"):
            gunzip(packed + behind, most)
    if cut:
        with pytest.raises(InvalidSubmissionError, match=r"is cut off|no gzip"):
            gunzip(packed[:-cut], most)


def test_gzip_of_members_without_end_is_refused_soon():
    begin = time.process_time()
    with pytest.raises(InvalidSubmissionError, match="more than 65536 members; compress it as one"):
        gunzip(gzip.compress(b"") * 300_000, 1 << 20)
    assert time.process_time() - begin < 20


def test_too_many_rows_are_refused_before_a_cell_of_them_is_looked_at(monkeypatch):
    monkeypatch.setattr(csv_table, "clean_numbers", lambda *_: pytest.fail("it was looked at"))
    with pytest.raises(InvalidSubmissionError, match="1002 rows; at most 1000 are read"):
        read_table(csv_bytes(1_001, quoted=True) + b"x,x\n", COLUMNS, most_rows=1_000)


def test_the_first_repeat_is_found_without_looking_at_all():
    values = pa.array(["a", "b", "a", *map(str, range(50_000))])
    assert first_repeat(values) == 3


def test_a_damaged_file_costs_only_itself():
    good = parquet_bytes(50)
    bad = good[:40] + os.urandom(len(good) - 60) + good[-20:]
    for _ in range(3):
        with pytest.raises(InvalidSubmissionError):
            read_table(bad, COLUMNS, name="a.parquet")
        assert read_table(good, COLUMNS, name="a.parquet").num_rows == 50


def test_a_decoder_that_does_not_end_goes_with_its_reader():
    reader = parquet._Reader()
    process = reader._start()
    process.stdin.write(b"\0")  # of a length of eight bytes: its fork waits for the others
    process.stdin.flush()
    (decoder,) = wait_until(lambda: accounting.tree(process.pid)[1:])
    wait_until(
        lambda: re.search(r"cpu time +120 +120", Path(f"/proc/{decoder}/limits").read_text())
    )
    os.kill(decoder, signal.SIGSTOP)
    reader.stop()
    wait_until(lambda: not accounting.living([decoder]))
