"""Lists of anything and dicts: what is made keeps to what is declared, and finds faults."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biomlbench.verify import edge_nested, promises
from biomlbench.verify.declarations import names_of_sizes
from biomlbench.verify.edge_draws import factors_of
from biomlbench.verify.edge_numbers import Drawing
from biomlbench.verify.edge_sources import Source, sources
from biomlbench.verify.many_draws import WAYS
from biomlbench.verify.plan import PlannedCase, seeded

SIZES = {"k": [0, 7], "m": [1, 5], "w": [2, 3]}
LEAVES = st.sampled_from(
    [
        {"number": "int", "min": -3, "max": 9},
        {"number": "float", "min": 0, "optional": True},
        {"text": "ACGT", "length": "m"},
        {"text": "", "length": "w"},
        {"choice": ["a", None, 3]},
        {"list": "float", "length": "m", "nan": True},
        {"tuple": "int", "length": 2},
        {"array": ["float64", "int32"], "shape": ["w", 2]},
    ]
)


def _nested(parts):
    fields = st.dictionaries(
        st.sampled_from(["one", "two", "three"]),
        st.tuples(parts, st.booleans()).map(
            lambda pair: {**pair[0], "absent": True} if pair[1] else pair[0]
        ),
        min_size=1,
    )
    return st.one_of(
        parts.map(lambda part: {"items": part, "length": "k"}),
        parts.map(lambda part: {"items": part, "length": 2, "optional": True}),
        fields.map(lambda part: {"record": part}),
        fields.map(lambda part: {"record": part, "further": True}),
        parts.map(
            lambda part: {"mapping": part, "keys": {"text": "ACGT", "length": 5}, "length": "k"}
        ),
        parts.map(lambda part: {"mapping": part, "keys": {"number": "int"}, "length": "w"}),
        st.just({"items": {"text": "ACGT", "length": "m"}, "length": "k", "distinct": True}),
    )


NESTED = _nested(st.recursive(LEAVES, _nested, max_leaves=4))


def linter(declared, sizes=SIZES):
    card = SimpleNamespace(
        config={"inputs": {"f": declared}, "sizes": sizes},
        bind=lambda _, args, kwargs: dict(zip(declared, args, strict=True)),
        with_defaults=lambda _, given: given,
    )
    return promises._Linter(card, {"f": declared})


def outside(declared, *args, sizes=SIZES):
    return list(linter(declared, sizes).outside(PlannedCase("a", "hidden", "f", args, {}, "a")))


@settings(max_examples=150)
@given(NESTED, st.integers(0, 2**32))
def test_whatever_is_made_of_a_declaration_keeps_to_it(spec, seed):
    rng = np.random.default_rng(seed)
    dims = {name: int(rng.integers(low, high + 1)) for name, (low, high) in SIZES.items()}
    called = {name: dims[name] for name in names_of_sizes(spec)}
    for pattern in edge_nested.names(spec):
        try:
            made = edge_nested.make(pattern, spec, Drawing(rng, called, bounds=SIZES))
        except edge_nested.TooFewError:
            assert "distinct" in str(spec) or "mapping" in str(spec)
            continue
        assert outside({"x": spec}, made) == []


@given(NESTED, st.sampled_from([3, "words", [1], {"a": [1]}, [[["A"]]], {1: None}, [None], {}, []]))
def test_any_value_is_held_against_any_declaration_without_an_error(spec, value):
    outside({"x": spec}, value)


def test_a_key_that_is_not_declared_holds_values_of_many_kinds():
    spec = {"record": {"a": {"number": "int"}}, "further": True}
    found = set()
    for seed in range(200):
        made = edge_nested.make("mixed", spec, Drawing(seeded("further", seed), {}, bounds={}))
        found |= {type(value) for key, value in made.items() if key != "a"}
    assert found >= {int, float, bool, str, list, dict, type(None)}


READS = {"items": {"record": {"name": {"text": "ACGT", "length": "m"}, "depth": {"number": "int"}}}}


@pytest.mark.parametrize(
    ("spec", "value", "says"),
    [
        (READS, {}, "x is a dict, not a list"),
        (READS, [[]], "x at 0 is a list, not a dict"),
        (READS, [{"name": "A"}], "x at 0 lacks the key 'depth'"),
        (READS, [{"name": "A", "depth": 1, "more": 2}], "has the key 'more'"),
        (
            READS,
            [{"name": "A", "depth": 1}, {"name": "N", "depth": 1}],
            "x at 1 under 'name' holds",
        ),
        (READS, [{"name": "ACGTAC", "depth": 1}], "size m = 6 is outside [1, 5]"),
        (READS, [{"name": "A", "depth": 1.5}], "x at 0 under 'depth' is a float"),
        ({**READS, "length": 1}, [], "has an axis of 0, where 1 is 1"),
        ({"items": {"number": "int"}, "distinct": True}, [4, 4], "has items that are equal"),
        ({"mapping": {"number": "int"}, "keys": {"text": "AC"}}, {"AG": 1}, "x at 0 holds ['G']"),
    ],
)
def test_what_lies_outside_is_told_with_its_place(spec, value, says):
    found = outside({"x": spec}, value)
    assert any(says in text for text in found), found


def test_a_size_of_an_item_is_its_own_unless_the_call_has_it():
    rows = {"items": {"text": "ACGT", "length": "m"}, "length": "k"}
    ragged = ["A", "ACG", "AC"]
    assert outside({"x": rows}, ragged) == []
    told = outside({"x": rows, "y": {"text": "ACGT", "length": "m"}}, ragged, "ACG")
    assert any("where m is" in text for text in told)


def test_every_promise_of_a_part_needs_a_case():
    declared = {
        "x": {
            "items": {"record": {"d": {"number": "int", "max": 9}, "e": {"choice": ["u", "v"]}}},
            "length": "k",
        },
        "y": {"record": {"z": {"number": "float", "absent": True}}, "further": True},
    }
    one = linter(declared)
    one.card.reference = {"f": lambda x, y: None}
    one.card.layouts = ()
    case = PlannedCase("a", "hidden", "f", ([{"d": 9, "e": "u"}], {"z": 1.0, "more": 1}), {}, "a")
    assert list(one.outside(case)) == []
    told = one.unkept()
    assert "no case for f.x[].e: 'v'" in told
    assert "no case for f.y.z: absent" in told
    assert not any("f.x[].d: max 9" in text or "further keys" in text for text in told)
    assert {"no case with size k = 0", "no case with size k = 7"} <= set(told)


SOURCE = Source(
    {
        "visits": {
            "items": {
                "record": {
                    "patient": {"choice": ["a", "b", "c", ""]},
                    "day": {"number": "int", "min": 0, "max": 400},
                    "weight": {"number": "float", "min": 0, "absent": True, "optional": True},
                }
            },
            "length": "k",
        }
    },
    {"k": [0, 300]},
    None,
    (),
    1,
)


def last_weights(visits):
    """The weight of each patient's latest visit that has one; of equal days the first."""
    found = {}
    for visit in visits:
        weight = visit.get("weight")
        if weight is None:
            continue
        patient, day = visit["patient"], visit["day"]
        if patient not in found or day > found[patient][0]:
            found[patient] = (day, weight)
    return {patient: weight for patient, (_, weight) in found.items()}


def of_equal_days_the_last(visits):
    ordered = sorted((v for v in visits if v.get("weight") is not None), key=lambda v: v["day"])
    return {v["patient"]: v["weight"] for v in ordered}


def zero_is_none(visits):
    return last_weights([v for v in visits if v.get("weight")])


def without_an_empty_name(visits):
    return last_weights([v for v in visits if v["patient"]])


def key_must_be_there(visits):
    return last_weights([v for v in visits if v["weight"] is not None])


def visits_that_come_twice(visits):
    seen, kept = set(), []
    for visit in visits:
        key = (visit["patient"], visit["day"])
        kept += [] if key in seen else [visit]
        seen.add(key)
    return last_weights(kept)


@pytest.mark.parametrize(
    "spec",
    [
        {"mapping": {"number": "int"}, "keys": {"choice": ["a", "b", "c"]}, "length": "j"},
        {"items": {"choice": ["a", "b", "c"]}, "length": "j", "distinct": True},
    ],
)
def test_as_many_distinct_ones_are_made_as_there_have_to_be(spec):
    for size in range(4):
        drawing = Drawing(np.random.default_rng(size), {"j": size})
        for pattern in edge_nested.names(spec):
            assert len(edge_nested.make(pattern, spec, drawing)) == size


def test_numbers_within_come_to_their_bounds_and_to_all_magnitudes():
    spec = {"items": {"record": {"at": {"number": "int", "min": 0, "max": 3 * 10**9}}}}
    source = Source({"x": {**spec, "length": "k"}}, {"k": [0, 30]}, None, (), 1)
    numbers = [item["at"] for one in draws(source, 300) for item in one["x"]]
    assert {0, 3 * 10**9} <= set(numbers)
    for low in (10**4, 10**6, 10**8):
        assert sum(low < number < 30 * low for number in numbers) >= 5


def test_words_within_make_chains_of_one_letter_each():
    spec = {"items": {"text": "ACGT", "length": 6}, "length": "k"}
    source = Source({"x": spec}, {"k": [5, 9]}, None, (), 1)

    def apart(one, other):
        return abs(len(one) - len(other)) + sum(a != b for a, b in zip(one, other, strict=False))

    chains = [
        one["x"]
        for one in draws(source, 300)
        if all(apart(a, b) <= 1 for a, b in zip(one["x"], one["x"][1:], strict=False))
    ]
    assert sum(apart(words[0], words[-1]) > 2 for words in chains) >= 5


def draws(source, count):
    rng, factors = seeded("nested"), factors_of(source)
    for number in range(count):
        yield from WAYS[number % len(WAYS)](source, factors, rng)


@pytest.mark.parametrize(
    "wrong",
    [
        of_equal_days_the_last,
        zero_is_none,
        without_an_empty_name,
        key_must_be_there,
        visits_that_come_twice,
    ],
)
def test_draws_find_what_is_wrong_about_records(wrong):
    def result(function, visits):
        try:
            return function(visits)
        except KeyError:
            return "it raises"

    every = list(draws(SOURCE, 600))
    assert sum(result(last_weights, **one) != result(wrong, **one) for one in every) >= 5


def test_a_size_of_items_alone_is_no_size_of_a_call():
    spec = {"items": {"text": "ACGT", "length": "m"}, "length": "k"}
    source = Source({"x": spec}, SIZES, None, (), 1)
    assert set(source.call_sizes) == {"k", "w"}
    lengths = [{len(item) for item in one["x"]} for one in draws(source, 300)]
    assert any(len(each) > 2 for each in lengths)


def test_a_card_of_records_has_edge_cases():
    card = SimpleNamespace(
        config={
            "inputs": {"f": {"visits": SOURCE.arguments["visits"]}},
            "sizes": SOURCE.sizes,
        },
        reference={"f": lambda visits: visits},
        build_of=lambda _: None,
    )
    (source,) = sources(card, "f", 40)
    assert set(factors_of(source)) == {"len(k)", "visits"}
