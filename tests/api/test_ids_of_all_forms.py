"""One id is the same in whatever form a table has it, to the last digit."""

from __future__ import annotations

import io
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from biomlbench.errors import InvalidSubmissionError
from biomlbench.grade import grade_csv
from biomlbench.registry import Registry
from biomlbench.submission.ids import Keys
from biomlbench.submission.reading import read_table

BIG = 9007199254740992


def parquet(ids: pa.Array) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"id": ids}), sink)
    return sink.getvalue()


def keys(data: bytes, name: str, kind: str = "integer") -> list[int | None] | None:
    try:
        table = read_table(data, {"id": kind}, name=name)
    except InvalidSubmissionError:
        return None
    return Keys.of(table, ("id",), (kind,)).values.to_pylist()


def told(texts: list[str]) -> list[list[int | None] | None]:
    """Return what each way makes of ids that are text."""
    lines = "\n".join(f'"{text}"' for text in ["id", *texts]) + "\n"
    array = pa.array(texts, pa.string())
    return [
        keys(lines.encode(), "s.csv"),
        keys(lines.encode(), "s.tsv"),
        keys(parquet(array), "s.parquet"),
        keys(parquet(array.dictionary_encode()), "s.parquet"),
        keys(parquet(array.cast(pa.large_string())), "s.parquet"),
    ]


NUMBERS = st.integers(1 - 10**18, 10**18 - 1) | st.integers(BIG - 3, BIG + 3)
WRITTEN = st.builds(
    lambda number, zeros, tail: f"{'-' * (number < 0)}{'0' * zeros}{abs(number)}{tail}",
    NUMBERS,
    st.integers(0, 20),
    st.sampled_from(["", ".", ".0", ".000", ".5", "e0", " "]),
)
JUNK = st.sampled_from(["", "NA", "x", "1e3", "1E+16", "0x7", "True", "7.00000000000000000001e0"])


@given(st.lists(WRITTEN | JUNK, min_size=1, max_size=4))
@example([str(BIG + 1), f"{BIG}.0"])
@example([str(BIG + 1), "0x7"])
@settings(deadline=None, max_examples=60)
def test_text_is_one_id_in_every_format(texts):
    first, *others = told(texts)
    assert first is not None
    assert others == [first] * len(others)
    for text, value in zip(texts, first, strict=True):
        if value is not None and text != "True":
            assert Decimal(text.strip()) == value


@given(st.lists(NUMBERS, min_size=1, max_size=4))
@settings(deadline=None, max_examples=30)
def test_whole_numbers_are_exact_in_every_type(numbers):
    texts = pa.array(map(str, numbers))
    ways = [texts, texts.cast(pa.int64()), pa.array(map(Decimal, numbers), pa.decimal128(21, 2))]
    if min(numbers) >= 0:
        ways.append(texts.cast(pa.uint64()))
    assert [keys(parquet(way), "s.parquet") for way in ways] == [numbers] * len(ways)
    gap = pa.concat_arrays([ways[1], pa.nulls(1, pa.int64())])
    assert keys(parquet(gap), "s.parquet") == [*numbers, None]


def test_floats_that_may_have_been_rounded_are_no_ids():
    assert keys(parquet(pa.array([7.0, float(BIG), 2.5])), "s.parquet") == [7, None, None]
    assert keys(parquet(pa.array([2**64 - 1], pa.uint64())), "s.parquet") == [None]


@pytest.mark.parametrize("digits", [16, 18, 19, 25])
def test_ids_of_any_length_are_graded_alike(tmp_path, digits):
    """On the answers' side as well."""
    first = 10 ** (digits - 1) + BIG % 10 ** (digits - 1) if digits > 16 else BIG
    ids, folder = [str(first), str(first + 2)], tmp_path / "data" / "o" / "t" / "prepared"
    for part in ("public", "private"):
        (folder / part).mkdir(parents=True)
    (tmp_path / "tasks" / "o" / "t").mkdir(parents=True)
    (tmp_path / "tasks" / "o" / "t" / "config.yaml").write_text(
        "grader: {metric: mae}\nsubmission: {id: id, target: y}\n"
        "dataset: {answers: prepared/private/answers.parquet}\n"
    )
    pd.DataFrame({"id": ids, "y": [0, 0]}).to_csv(
        folder / "public" / "sample_submission.csv", index=False
    )
    truth = pd.DataFrame({"id": ids[::-1], "y": [2.0, 1.0]})
    truth.to_parquet(folder / "private" / "answers.parquet")
    task = Registry([tmp_path / "tasks"], tmp_path / "data").get_task("t")
    wrong = [str(first), str(first + 3)]
    for given_ids, reason in ((ids, "ok"), (wrong, "missing_ids")):
        frame = pd.DataFrame({"id": given_ids, "y": [1.0, 2.0]})
        frames = [
            frame,
            frame.astype({"id": object}),
            frame.assign(id=[Decimal(value) for value in given_ids]),
            frame.assign(id=[int(value) for value in given_ids]),
            pa.table({"id": pa.array(given_ids), "y": [1.0, 2.0]}),
            pytest.importorskip("polars").DataFrame({"id": given_ids, "y": [1.0, 2.0]}),
        ]
        frame.to_csv(tmp_path / "s.csv", index=False)
        frame.to_parquet(tmp_path / "s.parquet")
        for table in [*frames, tmp_path / "s.csv", tmp_path / "s.parquet"]:
            report = grade_csv(table, task)
            assert str(report.reason) == reason
            assert report.score == (0 if reason == "ok" else None)
