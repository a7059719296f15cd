"""Ids that pandas or a spreadsheet has rewritten are told as such."""

from __future__ import annotations

import time
from datetime import date

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biomlbench.submission.id_hints import id_hint
from biomlbench.submission.ids import Keys, kinds_of

WRITINGS = ("%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%-m/%-d/%Y", "%-d.%-m.%y", "%Y-%m-%d 00:00:00")


def hint(wanted, submitted, columns=("id",)):
    """Return the hint of ids, or of ids in two columns."""
    wanted, submitted = (
        pa.table([rows] if len(columns) == 1 else list(zip(*rows, strict=True)), columns)
        for rows in (wanted, submitted)
    )
    kinds = kinds_of(wanted, columns)
    written = Keys.of(submitted, columns, ("text",) * len(columns))
    return id_hint(Keys.of(submitted, columns, kinds), Keys.of(wanted, columns, kinds), written)


@pytest.mark.parametrize(
    ("submitted", "said"),
    [(["A", "0"], "in upper"), (["a\u00a0", "0"], "spaces")],
)
def test_parts_of_an_id_of_several_columns_are_told_as_single_ones(submitted, said):
    assert said in hint([("a", "0x")], [(submitted[0], submitted[1] + "x")], ("x", "y"))
    assert not hint([("a", "0x")], [("b", "0x")], ("x", "y"))
    assert "dtype=str" in hint([("a", "1e3")], [("a", "1000.0")], ("x", "y"))


def test_a_space_that_does_not_break_is_a_space():
    assert "spaces" in hint(["liver 1", "liver 2"], ["liver\u00a01", "liver  2"])


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
        (["ward 3", "ward 4"], ["ward3", "ward4"], "differ from the wanted ones in spaces:"),
        (["Ward 3"], ["ward3"], "in spaces and in upper and lower case:"),
        (["12345678901234567890"], ["12345678901234567168"], "dtype=str"),
        (["12345678901234567890"], ["1.2345678901234567e+19"], "dtype=str"),
        (["12345678901234567890"], ["12345678901234567891"], ""),
        (["a", "b"], ["c", "d"], ""),
        (["a", "b"], ["a"], ""),
        (["007", "010"], ["7", "x"], ""),
        (["7", "10"], ["8", "11"], ""),
        (["01/05/2024", "13/05/2024"], ["2024-05-01", "2024-05-13"], "taken for dates"),
        (["01/05/2024", "02/05/2024"], ["5/1/2024", "5/2/2024"], "taken for dates"),
        (["2024-05-01", "2024-05-02"], ["01.05.24", "02.05.24"], "taken for dates"),
        (["01/05/2024"], ["2024-05-01 00:00:00"], "taken for dates"),
        (["MARCH1", "SEPT2", "TP53"], ["1-Mar", "2-Sep", "TP53"], "taken for dates"),
        (["MARCH1", "SEP2"], ["2024-03-01", "2024-09-02"], "taken for dates"),
        (["1-2", "3-4"], ["2-Jan", "4-Mar"], "taken for dates"),
        (["01/05/2024"], ["2024-05-02"], ""),
        (["2023-05-01"], ["1923-05-01"], ""),
        (["2024-05-01"], ["2024-01-05"], ""),
        (["3-2-1"], ["1-2-3"], ""),
        (["MARCH1"], ["1-Apr"], ""),
        (["MARCHX1", "TP53"], ["1-Max", "2-Sep"], ""),
    ],
)
def test_text_ids(wanted, submitted, said):
    found = hint(wanted, submitted)
    assert said in found
    assert bool(found) == bool(said)


@given(st.sets(st.dates(date(2000, 1, 1), date(2099, 12, 31)), min_size=1), st.data())
@settings(deadline=None)
def test_dates_in_any_writing_are_known_again(days, data):
    was, now = data.draw(st.permutations(WRITINGS))[:2]
    wanted, submitted = ([day.strftime(form) for day in sorted(days)] for form in (was, now))
    found = hint(wanted, submitted)
    assert ("taken for dates" in found) == bool(set(submitted) - set(wanted))


def test_whole_numbers_that_floats_cannot_hold():
    wanted = [str(2**53 + n) for n in (1, 3)]
    assert "lose digits" in hint(wanted, pa.array([float(v) for v in wanted]))
    assert hint(["1", "2"], pa.array([1.5, float("nan")])) == ""
    assert hint(wanted, [wanted[0], "x"]) == ""
    assert hint(wanted, [wanted[0], str(2**53 + 9)]) == ""
    assert "lose digits" in hint(wanted, [f"{float(v):.0f}" for v in wanted])


def test_dates_in_two_columns_are_told_as_in_one():
    days, visits = ("01/05/2024", "13/06/2024"), ("2024-05-01", "2024-06-13")
    assert "taken for dates" in hint([days], [visits], ("from", "to"))
    assert "taken for dates" in hint([("p1", days[0])], [("p1", visits[0])], ("who", "day"))


def test_an_id_of_endless_accents_takes_no_time():
    begin = time.process_time()
    assert not hint(["Ada", "Bob"], ["Ada", "b" + "\u0301\u0323" * 500_000])
    assert time.process_time() - begin < 5
