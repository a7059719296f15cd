"""The ready properties, transforms and relations."""

import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from biomlbench.verify import properties, relations, transforms
from biomlbench.verify.cases import Finding, Observed, Transformed, within
from biomlbench.verify.library import Library, LibraryError, as_finding, summary

RNG = np.random.default_rng(0)
Q = np.linalg.qr(RNG.normal(size=(4, 4)))[0]
GRAM = (lambda a: a @ a.T)(RNG.normal(size=(4, 3)))
MASK = np.array([[True, False], [True, True]])

CASES = [
    ("finite", {}, {}, [1.0, 2.0], [1.0, np.nan]),
    ("finite", {}, {"key": "a"}, {"a": 1.0}, {"a": np.inf}),
    ("bounded", {}, {"low": 0, "high": 1}, [0.0, 1.0], [0.0, 1.1]),
    ("bounded", {}, {"low": 0}, [0.0, 1e300], [-1e-3]),
    ("bounded", {}, {"high": 0}, [-np.inf], [np.nan]),
    ("bounded", {}, {"low": 0, "allow_nan": True}, [np.nan, 1.0], [np.nan, -1.0]),
    ("row_stochastic", {}, {}, [[0.5, 0.5]], [[0.5, 0.6]]),
    ("row_stochastic", {}, {"axis": 0}, [[0.5], [0.5]], [[1.5], [-0.5]]),
    ("probability_simplex", {}, {}, [0.2, 0.8], [0.2, np.nan]),
    ("masked_entries_zero", {"m": MASK}, {"mask": "m"}, [[1, 0], [1, 1]], [[1, 1], [1, 1]]),
    ("monotone", {}, {}, [1, 1, 2], [1, 2, 1]),
    ("monotone", {}, {"increasing": False}, [3, 2, 2], [3, 2, 3]),
    ("monotone", {}, {"strict": True}, [1, 2], [1, 1]),
    ("sorted_values", {}, {}, ["a", "b"], ["b", "a"]),
    ("sorted_values", {}, {"descending": True}, [2, 1], [1, 2]),
    ("symmetric", {}, {}, GRAM, np.triu(GRAM)),
    ("symmetric", {}, {}, GRAM, GRAM[:2]),
    ("positive_semidefinite", {}, {}, GRAM, -GRAM),
    ("orthogonal", {}, {}, Q, 2 * Q),
    ("orthogonal", {}, {"proper": True}, np.eye(3), np.diag([1.0, 1, -1])),
    ("orthogonal", {}, {"rows": True}, Q[:2], Q[:2] * 1.1),
    ("permutation_of_input", {"x": [3, 1, 1]}, {"of": "x"}, [1, 1, 3], [1, 3, 3]),
    ("integer_valued", {}, {}, [1.0, 2.0], [1.5]),
    ("conserves_sum", {"x": [1, 2]}, {"of": "x"}, [3, 0], [3, 1]),
    ("conserves_sum", {}, {"total": 1}, [0.5, 0.5], [0.5, 0.6]),
    ("same_shape_as", {"x": np.zeros((2, 3))}, {"of": "x"}, np.ones((2, 3)), np.ones((3, 2))),
    ("idempotent", {}, {}, np.diag([1.0, 0]), np.diag([2.0, 0])),
]


@pytest.mark.parametrize(("name", "inputs", "options", "good", "bad"), CASES)
def test_property_tells_good_from_bad(name, inputs, options, good, bad):
    check = getattr(properties, name)
    found = check(inputs, good if isinstance(good, dict) else np.asarray(good), **options)
    assert found.ok
    assert found.message == ""
    found = check(inputs, bad if isinstance(bad, dict) else np.asarray(bad), **options)
    assert not found.ok
    assert found.message
    assert found.margin is None or found.margin <= 0


def test_every_ready_property_is_tried_out():
    assert {case[0] for case in CASES} == set(properties.__all__)


@pytest.mark.parametrize("module", [properties, transforms, relations])
def test_every_ready_function_says_what_it_claims(module):
    for name in module.__all__:
        assert len(summary(getattr(module, name))) > 15


@given(st.floats(0, 1e300), st.floats(0, 1e300))
def test_within_agrees_with_its_margin(deviation, limit):
    found = within(deviation, limit, "off")
    assert found.ok == (deviation <= limit)
    assert found.ok == (found.margin >= 0)


@pytest.mark.parametrize(
    ("result", "ok"),
    [(None, True), (True, True), (np.True_, True), (False, False), (np.False_, False),
     ("no", False), (Finding(False, "x"), False)],
)  # fmt: skip
def test_as_finding(result, ok):
    assert as_finding(result).ok is ok


def test_as_finding_refuses_other_types():
    with pytest.raises(TypeError):
        as_finding(1.0)


def test_the_cards_own_functions_come_first():
    own = type("Own", (), {"finite": staticmethod(lambda inputs, output: "mine")})
    assert Library(own).property("finite")({}, 1) == "mine"
    with pytest.raises(LibraryError, match="ready ones are"):
        Library(None).property("nothing")


X = np.arange(12.0).reshape(4, 3)
BASE = {"x": X, "y": [1, 2, 3, 4], "s": "ACGT", "m": X > 3, "l": np.array([0, 1, 1, 0])}


def turn(name, **options):
    before = {key: np.copy(value) if isinstance(value, np.ndarray) else value
              for key, value in BASE.items()}  # fmt: skip
    made = getattr(transforms, name)(BASE, np.random.default_rng(3), **options)
    assert isinstance(made, Transformed)
    for key, value in before.items():
        assert np.array_equal(BASE[key], value)
    return made


def test_permute_keeps_rows_together():
    made = turn("permute", arguments={"x": 0, "y": 0, "s": 0})
    order = made.info["permutation"]
    new = made.variants[0]
    assert not np.array_equal(order, np.arange(4))
    assert np.array_equal(new["x"], X[order])
    assert new["y"] == [BASE["y"][i] for i in order]
    assert new["s"] == "".join("ACGT"[i] for i in order)
    assert np.array_equal(
        turn("permute_columns", arguments=["x"]).variants[0]["x"].sum(1), X.sum(1)
    )
    with pytest.raises(ValueError, match="differ in length"):
        turn("permute", arguments={"x": 1, "y": 0})


def test_split_and_join():
    made = turn("split_batch", arguments=["x", "y"])
    assert np.array_equal(np.concatenate([v["x"] for v in made.variants]), X)
    seen = [Observed(v, v["x"] * 2) for v in made.variants]
    assert relations.concatenated(Observed(BASE, X * 2), seen, made.info).ok
    assert not relations.concatenated(Observed(BASE, X * 3), seen, made.info).ok


def test_rotations_are_proper():
    made = turn("rotate", arguments=["x"])
    rotation = made.info["rotations"]["x"]
    assert np.allclose(rotation @ rotation.T, np.eye(3))
    assert np.linalg.det(rotation) == pytest.approx(1)
    assert np.allclose(np.linalg.norm(made.variants[0]["x"], axis=1), np.linalg.norm(X, axis=1))


def test_other_transforms():
    assert np.allclose(turn("scale", arguments=["x"], factor=3).variants[0]["x"], 3 * X)
    assert np.allclose(turn("add_constant", arguments=["x"], by=2).variants[0]["x"], X + 2)
    moved = turn("translate", arguments=["x"])
    assert np.allclose(moved.variants[0]["x"] - X, moved.info["shifts"]["x"])
    assert turn("duplicate", arguments=["y", "s"]).variants[0]["s"] == "ACGTACGT"
    padded = turn("pad", arguments={"y": 0, "s": 0}, values={"s": "N"}, width=1)
    assert padded.variants[0]["s"] == "ACGTN"
    assert padded.variants[0]["y"] == [1, 2, 3, 4, 0]
    assert turn("pad", arguments={"x": 1}).variants[0]["x"].shape == (4, 5)
    assert np.array_equal(turn("swap_labels", argument="l").variants[0]["l"], [1, 0, 0, 1])
    swapped = turn("swap_arguments", arguments=["x", "m"]).variants[0]
    assert swapped["m"] is X
    low, high = turn("widen_dtype", arguments=["x"]).variants
    assert (low["x"].dtype, high["x"].dtype) == (np.float32, np.float64)
    assert turn("same_again").variants[0] == BASE
    fed = turn("feed_back", argument="x", reference=lambda inputs: inputs["x"].cumsum(0))
    assert np.array_equal(fed.variants[0]["x"], X.cumsum(0))
    assert turn("reorder_batch", arguments="y").variants[0]["y"] != BASE["y"]
    assert turn("permute_rows", arguments=["x"]).variants[0]["x"].shape == X.shape


@given(arrays(bool, (4, 5)), st.booleans(), st.integers(0, 2))
def test_a_stronger_mask_masks_more_and_leaves_enough(mask, masked_where, leave):
    made = transforms.stronger_mask(
        {"m": mask}, np.random.default_rng(0), argument="m", masked_where=masked_where, leave=leave
    )
    before, after = mask != masked_where, made.variants[0]["m"] != masked_where
    assert not (after & ~before).any()
    assert np.array_equal(made.info["newly_masked"], before & ~after)
    free = before.sum(axis=1)
    assert np.array_equal(after.sum(axis=1), np.where(free > leave, free - 1, free))


RELATIONS = [
    ("unchanged", {}, {}, X, X, X + 1),
    ("unchanged", {}, {"key": 0}, (X, 1), (X, 2), (X + 1, 1)),
    ("permuted", {"permutation": [1, 0, 3, 2]}, {}, X, X[[1, 0, 3, 2]], X),
    ("permuted", {"permutation": [1, 0, 2]}, {"axis": 1}, X, X[:, [1, 0, 2]], X),
    ("permuted", {"permutation": [1, 0, 2]}, {"axes": [0, 1]}, X[:3],
     X[[1, 0, 2]][:, [1, 0, 2]], X[:3]),
    ("prefix_unchanged", {"length": 4}, {"padding": 0.0}, X, np.vstack([X, 0 * X]),
     np.vstack([X, X])),
    ("duplicated", {"times": 2}, {}, X, np.vstack([X, X]), X),
    ("scaled", {"factor": 2.0}, {"power": 2}, X, 4 * X, 2 * X),
    ("shifted", {}, {"by": 1.0}, X, X + 1, X),
    ("negated", {}, {}, X, -X, X),
    ("complement", {}, {}, 0.25, 0.75, 0.25),
    ("transposed", {}, {}, X, X.T, X),
    ("not_increased", {}, {}, X, X - 1, X + 1),
    ("not_decreased", {}, {}, X, X + 1, X - 1),
    ("masked_not_increased", {"newly_masked": np.array([[True, False]])}, {},
     np.array([[0.5, 0.5]]), np.array([[0.0, 1.0]]), np.array([[0.6, 0.4]])),
]  # fmt: skip


@pytest.mark.parametrize(("name", "info", "options", "base", "good", "bad"), RELATIONS)
def test_relation_tells_good_from_bad(name, info, options, base, good, bad):
    relation = getattr(relations, name)
    assert relation(Observed({}, base), [Observed({}, good)], info, **options).ok
    found = relation(Observed({}, base), [Observed({}, bad)], info, **options)
    assert not found.ok
    assert found.message


def test_agree_compares_the_variants():
    good = [Observed({}, X), Observed({}, X)]
    assert relations.agree(Observed({}, None), good, {}).ok
    assert not relations.agree(Observed({}, None), [*good, Observed({}, X + 1)], {}).ok


def test_every_ready_relation_is_tried_out():
    assert {case[0] for case in RELATIONS} | {"agree", "concatenated"} == set(relations.__all__)


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("property", "output, inputs"),
        ("transform", "rng, inputs"),
        ("relation", "variants, base, info"),
    ],
)
def test_a_function_whose_parameters_are_in_another_order_is_refused(what, names):
    own = types.ModuleType("properties")
    exec(f"def mine({names}): pass", own.__dict__)
    with pytest.raises(LibraryError, match=r"called with .*; write them in this order"):
        getattr(Library(own), what)("mine")
