"""What a rerun adds looks like what was there."""

from __future__ import annotations

import csv
import io
import re
import uuid

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomlbench.verify.csv_style import written_alike
from biomlbench.verify.id_forms import ids_like, put_among

DRAWN = np.random.default_rng(0).integers(2**62, size=40)
HEX = [str(uuid.uuid5(uuid.NAMESPACE_URL, str(n))) for n in DRAWN]
FORMS = {
    "padded": ([f"mass_{n:04}" for n in range(0, 480, 2)], r"mass_0\d{3}"),
    "contiguous": ([f"mass_{n:04}" for n in range(240)], r"mass_02[34]\d"),
    "plain": ([str(n) for n in range(7, 900, 3)], r"[1-9]\d{0,2}"),
    "full": ([f"s{n}" for n in range(10)], r"s1\d"),
    "two": ([f"p{n % 7}_v{n}.png" for n in range(50, 99, 2)], r"p[0-6]_v\d\d\.png"),
    "uuid": (HEX, r"[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"),
    "letters": (["ACGT", "TTGA", "CCAG", "GATC"], r"[ACGT]{4}"),
    "negative": ([str(n) for n in range(-30, 0, 2)], r"-\d\d?"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(5))
def test_new_ids_are_written_as_those_of_the_task(form, seed):
    ids, pattern = FORMS[form]
    assert form in ("contiguous", "full") or all(re.fullmatch(pattern, one) for one in ids)
    new = ids_like(ids, ids, 5, np.random.default_rng(seed))
    assert all(re.fullmatch(pattern, one) for one in new), new
    assert new == ids_like(ids, ids, 5, np.random.default_rng(seed))
    assert len({*new, *ids}) == 5 + len(ids)


def test_new_ids_follow_those_of_the_training_rows():
    ids, training = ([f"m{n:04}" for n in numbers] for numbers in (range(60), range(60, 5000)))
    new = ids_like(ids, {*ids, *training}, 5, np.random.default_rng(0))
    assert new == [f"m{n}" for n in range(5000, 5005)]


@given(st.lists(st.text(max_size=6), min_size=1, unique=True), st.integers(0, 99))
def test_there_are_always_new_ids(ids, seed):
    new = ids_like(ids, ids, 5, np.random.default_rng(seed))
    assert len({*new, *ids}) == 5 + len(ids)


@given(st.lists(st.integers(0, 999), min_size=1, unique=True), st.integers(0, 99))
def test_new_whole_numbers_are_none_that_is_there(numbers, seed):
    ids = list(map(str, numbers))
    new = ids_like(
        ids, [f"{one}.0" for one in ids], 5, np.random.default_rng(seed), lambda x: int(float(x))
    )
    assert not {int(one) for one in new} & set(numbers)
    assert all(re.fullmatch(r"0|[1-9]\d*", one) for one in new)


@given(st.lists(st.integers(0, 99)), st.lists(st.integers(0, 99)), st.integers(0, 9))
def test_rows_stay_sorted_or_in_their_order(rows, more, seed):
    rng = np.random.default_rng(seed)
    found = put_among(sorted(rows), more, lambda n: f"r{n}", rng)
    assert found == sorted([*rows, *more])
    among = put_among([f"{n}" for n in rows], ["new"] * len(more), str, rng)
    assert [one for one in among if one != "new"] == [str(n) for n in rows]


CELLS = st.text(st.sampled_from('ab1.,"\n é'), min_size=1, max_size=4)


@given(
    st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=5),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.booleans(),
    st.booleans(),
)
def test_a_file_is_written_as_the_original_is(rows, end, quoting, mark, ended):
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=end, quoting=quoting).writerows(rows)
    original = text.getvalue() if ended else text.getvalue().removesuffix(end)
    data = original.encode("utf-8-sig" if mark else "utf-8")
    assert written_alike(rows, data) == data
