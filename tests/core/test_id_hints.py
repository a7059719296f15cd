"""Ids that pandas or a spreadsheet has rewritten are told as such."""

from __future__ import annotations

import time

import pyarrow as pa
import pytest

from biomlbench.submission.id_hints import id_hint
from biomlbench.submission.ids import Keys, kinds_of


def hint(wanted, submitted):
    table = pa.table({"id": pa.array(wanted, pa.string())})
    kinds = kinds_of(table, ("id",))
    keys = Keys.of(table, ("id",), kinds)
    return id_hint(Keys.of(pa.table({"id": submitted}), ("id",), kinds), keys)


@pytest.mark.parametrize(
    ("wanted", "submitted", "said"),
    [
        (["007", "010"], ["7", "10"], "dtype=str"),
        (["1e3", "2e3"], ["1000", "2000"], "dtype=str"),
        (["1e3", "2e3"], ["1000.0", "2000.0"], "dtype=str"),
        (["2.0", "2.5"], ["2", "2.5"], "dtype=str"),
        (["90071992547409931", "1" * 19], ["90071992547409931", "1.111111111111111e+18"], ""),
        (["Ada", "Bob"], ["ada ", "BOB"], "upper and lower case"),
        (["\u00e9"], ["e\u0301"], "accents"),
        (["a", "b"], ["c", "d"], ""),
        (["a", "b"], ["a"], ""),
        (["007", "010"], ["7", "x"], ""),
        (["7", "10"], ["8", "11"], ""),
    ],
)
def test_text_ids(wanted, submitted, said):
    found = hint(wanted, submitted)
    assert said in found
    assert bool(found) == bool(said)


def test_whole_numbers_that_floats_cannot_hold():
    wanted = [str(2**53 + n) for n in (1, 3)]
    assert "lose digits" in hint(wanted, pa.array([float(v) for v in wanted]))
    assert hint(["1", "2"], pa.array([1.5, float("nan")])) == ""


def test_an_id_of_endless_accents_takes_no_time():
    begin = time.process_time()
    assert not hint(["Ada", "Bob"], ["Ada", "b" + "\u0301\u0323" * 500_000])
    assert time.process_time() - begin < 5
