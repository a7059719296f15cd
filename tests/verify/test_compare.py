import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from biomlbench.verify.compare import Tolerance, difference, kind_of
from biomlbench.verify.written import describe, show

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
values = st.recursive(
    scalars | arrays(st.sampled_from([np.float64, np.int64, bool]), array_shapes(max_side=3)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(values)
def test_everything_equals_itself(value):
    assert difference(value, value) == difference(value, value)
    assert difference(value, value).kind == "none"
    assert difference(value, value).margin == 1.0


def test_a_ragged_list_is_another_structure_than_an_array():
    for array in (np.array(1.0), np.zeros(2), np.array("x")):
        for other in ([1, [2, 3]], [[], 1], {"a": [1, [2]]}):
            assert difference(other, array).kind == "structure"
            assert difference(array, other).kind == "structure"


@pytest.mark.parametrize(
    ("got", "expected", "equal"),
    [
        ({True: 2}, {1: 2}, False),
        ({0: "a", 1: "b"}, {False: "a", True: "b"}, False),
        ({True, 2}, {1, 2}, False),
        ({(1, True)}, {(1, 1)}, False),
        ({frozenset({True})}, {frozenset({1})}, False),
        ([{True: 0}], [{1: 0}], False),
        ({1.0: 2}, {1: 2}, True),
        ({np.int64(1), 2.0}, {1, 2}, True),
        ({(1.0, "a"): 0}, {(1, "a"): 0}, True),
        ({True: 2}, {True: 2}, True),
    ],
)
def test_truth_values_are_no_numbers_as_keys_and_members_either(got, expected, equal):
    assert (difference(got, expected).kind == "none") is equal
    assert (difference(expected, got).kind == "none") is equal


@given(values, values)
def test_difference_is_symmetric_without_tolerance(a, b):
    assert (difference(a, b).kind == "none") == (difference(b, a).kind == "none")


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (True, 1),
        (np.array([True]), np.array([1])),
        ("1", 1),
        (None, 0.0),
        ([1, 2], [1, 2, 3]),
        (np.zeros((2, 1)), np.zeros((1, 2))),
        ({"a": 1}, {"b": 1}),
        (np.zeros(3), 0.0),
        ([True, 2], [1, 2]),
    ],
)
def test_other_kind_or_shape_is_a_difference_in_structure(got, expected):
    assert difference(got, expected).kind == "structure"
    assert difference(expected, got).kind == "structure"


def test_list_equals_array_unless_types_are_declared():
    assert difference([1.0, 2.0], np.array([1.0, 2.0])).kind == "none"
    assert difference([1.0, 2.0], np.array([1.0, 2.0]), types=True).kind == "structure"
    assert difference((1, "a"), [1, "a"]).kind == "none"
    assert difference((1, "a"), [1, "a"], types=True).kind == "structure"


def test_dtype_counts_only_where_declared():
    assert difference(np.float32([1]), np.float64([1])).kind == "none"
    assert difference(np.float32([1]), np.float64([1]), dtype=True).kind == "structure"
    assert difference(1, 1.0).kind == "none"
    assert difference(1, 1.0, dtype=True).kind == "structure"


def test_nan_and_infinity_equal_themselves_only():
    assert difference(math.nan, math.nan).kind == "none"
    assert difference([math.inf], [math.inf]).kind == "none"
    assert difference(math.inf, -math.inf, Tolerance(atol=1e300)).kind == "value"
    assert difference(math.nan, 1.0, Tolerance(atol=1e300)).kind == "value"
    assert difference(math.inf, 1.0, Tolerance(rtol=1.0)).kind == "value"


def test_worst_element_and_its_margin():
    expected = np.array([[1.0, 10.0], [100.0, 1000.0]])
    found = difference(expected + np.array([[0, 0], [0.5, 0.1]]), expected, Tolerance(atol=1.0))
    assert (found.kind, found.place, found.margin) == ("none", "[1, 0]", 0.5)
    found = difference(expected + np.array([[0, 0], [0, 3]]), expected, Tolerance(rtol=1e-3))
    assert (found.kind, found.place) == ("value", "[1, 1]")
    assert found.margin == pytest.approx(-2)


def test_place_in_nested_containers():
    found = difference({"a": [1, {"b": "x"}]}, {"a": [1, {"b": "y"}]})
    assert found.place == "['a'][1]['b']"


@pytest.mark.parametrize(
    ("tolerance", "limit"),
    [
        (Tolerance(atol=0.25), 0.25),
        (Tolerance(rtol=0.5), 1.0),
        (Tolerance(scale_rtol=0.1), 0.8),
        (Tolerance(ulp=2), 2 * np.spacing(2.0)),
        (Tolerance(atol=1, rtol=1), 3.0),
    ],
)
def test_limits(tolerance, limit):
    assert tolerance.limits(np.array([2.0, -8.0, np.inf]))[0] == pytest.approx(limit)


def test_whole_numbers_are_not_rounded():
    assert difference(2**60 + 1, 2**60).kind == "value"
    assert difference(np.array([2**60 + 1]), np.array([2**60])).kind == "value"
    assert difference(np.uint8(1), np.uint8(2), Tolerance(atol=2)).margin == 0.5


@given(st.lists(st.integers(0, 3), max_size=6), st.randoms())
def test_unordered_ignores_order_but_not_repeats(items, random):
    mixed = items.copy()
    random.shuffle(mixed)
    assert difference(mixed, items, unordered=True).kind == "none"
    if items:
        assert difference([*mixed[1:], 9], items, unordered=True).kind == "value"


def test_unordered_rows_within_tolerance():
    a = np.array([[1.0, 2], [3, 4]])
    assert difference(a[::-1] + 1e-9, a, Tolerance(atol=1e-8), unordered=True).kind == "none"
    assert difference(3, a, unordered=True).kind == "structure"


def test_descriptions_hold_no_values():
    assert describe(np.full((2, 2), 42.5)) == "float64 array of shape (2, 2)"
    assert "42" not in describe({"secret": 42})
    assert kind_of({1}) == "set"


def test_show_is_capped():
    assert len(show(np.arange(10_000.0), 80)) == 80
