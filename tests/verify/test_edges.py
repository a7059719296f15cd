"""Edge cases that every card gets from what it declares its arguments to be."""

import itertools
from pathlib import Path

import numpy as np
import pytest

import biomlbench.verify
from biomlbench.errors import TaskError
from biomlbench.verify import (
    card,
    compute,
    decide,
    edge_interplay,
    edge_numbers,
    edge_thresholds,
    edge_values,
    edges,
    judge,
    promises,
)
from biomlbench.verify.edge_sources import Source
from biomlbench.verify.execution import in_process
from biomlbench.verify.pairwise import combinations

KERNELS = Path(biomlbench.verify.__file__).parents[1] / "tasks" / "kernels"


def rng():
    return np.random.default_rng(0)


def test_pairs_come_together_as_far_as_the_number_allows():
    factors = {"a": list("xyz"), "b": list("uv"), "c": list("pqr")}
    rows = list(combinations(factors, 30, rng()))
    assert len(rows) < 18
    for a, b in itertools.combinations(factors, 2):
        seen = {(row[a], row[b]) for row in rows}
        assert seen == set(itertools.product(factors[a], factors[b]))
    few = list(combinations(factors, 3, rng()))
    assert {row["a"] for row in few} == set("xyz")


@pytest.mark.parametrize(
    "spec",
    [
        {"array": ["float64"], "shape": ["n"], "min": 0, "max": 1, "nan": True},
        {"array": ["float64", "float32"], "shape": ["n", 2], "inf": True},
        {"array": ["uint8", "int64"], "shape": ["n"]},
        {"array": ["bool"], "shape": ["n"]},
        {"number": "int", "min": -3, "max": 7},
        {"number": "float", "above": 0, "max": 2},
        {"list": "int", "length": "n", "min": 0},
        {"tuple": "float", "length": 3, "max": 9},
        {"text": "ACGT", "length": "n"},
        {"text": "", "length": "n"},
        {"choice": ["a", None]},
    ],
    ids=str,
)
@pytest.mark.parametrize("size", [0, 1, 2, 9])
def test_values_keep_to_what_is_declared(spec, size):
    for pattern in edge_values.names(spec):
        for seed in range(3):
            drawing = edge_numbers.Drawing(np.random.default_rng(seed), {"n": size})
            value = edge_values.make(pattern, spec, drawing)
            if "array" in spec:
                assert value.dtype.name in spec["array"]
                assert value.shape == tuple(size if n == "n" else n for n in spec["shape"])
                number = value[np.isfinite(value)] if value.dtype.kind == "f" else value
                assert (np.isnan(value).any() <= spec.get("nan", False)) or number.size
                assert (number >= spec.get("min", -np.inf)).all()
                assert (number <= spec.get("max", np.inf)).all()
            elif "text" in spec:
                assert len(value) == size
                assert not spec["text"] or set(value) <= set(spec["text"])
            elif "choice" in spec:
                assert value in spec["choice"]
            else:
                flat = value if isinstance(value, (list, tuple)) else [value]
                kind = spec.get("number") or spec.get("list") or spec.get("tuple")
                assert all(type(n).__name__ == kind for n in flat)
                assert all(n >= spec.get("min", -np.inf) for n in flat)
                assert all(n <= spec.get("max", np.inf) for n in flat)
                assert all(n > spec.get("above", -np.inf) for n in flat)


def test_patterns_are_what_their_names_say():
    spec = {"array": ["float64"], "shape": ["n"], "min": -2, "max": 3, "nan": True}

    def made(pattern):
        return edge_values.make(pattern, spec, edge_numbers.Drawing(rng(), {"n": 12}))

    assert set(made("ends")) == {-2, 3}
    assert set(made("low")) == {-2}
    assert len(set(made("equal"))) == 1
    assert len(set(made("ties"))) < 12
    assert (np.diff(made("ascending")) > 0).all()
    near = made("hardly-apart")
    assert len(set(near)) == 12
    assert np.ptp(near) < 1e-14
    assert np.isnan(made("nan")).any()
    assert np.isnan(made("all-nan")).all()
    assert (made("zeros") == 0).all()
    assert set(made("inexact")) <= set(edge_numbers.INEXACT)


def test_an_array_is_made_of_an_earlier_one_of_more_or_fewer_rows():
    spec = {"array": ["uint8"], "shape": ["m", "k"], "min": 0, "max": 1}
    drawing = edge_numbers.Drawing(rng(), {"n": 4, "m": 7, "k": 30})
    drawing.earlier["a"] = edge_values.make("ties", {**spec, "shape": ["n", "k"]}, drawing)
    assert (edge_values.make("same", spec, drawing)[:4] == drawing.earlier["a"]).all()
    shuffled = edge_values.make("shuffled", spec, drawing)
    assert (shuffled[:4].sum(axis=1) == drawing.earlier["a"].sum(axis=1)).all()
    assert (shuffled[:4] != drawing.earlier["a"]).any()


def test_a_pattern_of_fractions_is_not_lost_on_an_integer_dtype():
    spec = {"array": ["int32", "float64"], "shape": ["n"], "min": 0}
    assert "tiny" in edge_values.names(spec)
    chosen = edge_values.of_dtype(spec, "int32", "tiny")
    values = edge_values.make("tiny", chosen, edge_numbers.Drawing(rng(), {"n": 20}))
    assert values.min() > 0
    assert values.max() < 1e-6
    assert edge_values.of_dtype(spec, "int32", "ties")["array"] == ["int32"]


def test_whole_numbers_beyond_doubles_are_equal_as_doubles_only():
    spec = {"array": ["int64"], "shape": ["n"]}
    values = edge_values.make("beyond-doubles", spec, edge_numbers.Drawing(rng(), {"n": 40}))
    assert len(set(values.tolist())) > len(set(values.astype(float).tolist()))
    assert "beyond-doubles" not in edge_values.names({**spec, "max": 10**6})


def test_every_dtype_meets_other_dtypes_and_patterns():
    factors = {"dtype(a)": ["any-uint8", "any-int64"], "dtype(b)": ["any-uint8", "any-int64"]}
    rows = list(combinations({**factors, "a": ["ties", "low"]}, 12, rng()))
    assert {(row["dtype(a)"], row["dtype(b)"]) for row in rows} == set(
        itertools.product(*factors.values())
    )


def test_a_number_above_zero_comes_close_to_it():
    spec = {"number": "float", "above": 0}
    assert {"barely", "vast"} <= set(edge_values.names(spec))
    assert 0 < edge_values.make("barely", spec, edge_numbers.Drawing(rng(), {})) < 1e-30
    assert edge_values.make("vast", spec, edge_numbers.Drawing(rng(), {})) == edge_numbers.VAST
    assert "vast" not in edge_values.names({**spec, "max": 2})


def test_the_template_gets_edges_and_its_solutions_pass(template):
    loaded = card.load(template)
    plan = loaded.plan()
    made = [case for case in plan.cases if case.id in plan.edges]
    assert len(made) > 20
    assert {len(case.args[0]) for case in made} >= {0, 1, 2}
    assert all(not list(promises.broken_by(loaded, case)) for case in made)
    oracle = compute(loaded)
    for solution in loaded.solutions:
        rows = judge(loaded, plan, oracle, in_process(solution.path, plan.cases, loaded))
        assert (decide(rows).verdict == "pass") == solution.right, solution.path.name


def test_a_fault_that_no_case_of_the_author_shows_is_caught(template):
    path = template / "solutions" / "wrong_about_blocks.py"
    path.write_text(
        "def gc_content(sequence):\n"
        "    s = sequence.upper()\n"
        "    s = s[1:] if 126 < len(s) < 130 else s\n"
        "    known = sum(s.count(x) for x in 'ACGT')\n"
        "    return (s.count('G') + s.count('C')) / known if known else 0.0\n"
    )
    loaded = card.load(template)
    plan, oracle = loaded.plan(), compute(loaded)
    outputs = in_process(path, plan.cases, loaded)
    caught = [case for case in plan.calls if outputs[case.id].value != oracle.values[case.id]]
    assert caught
    assert {case.id for case in caught} <= plan.edges
    assert decide(judge(loaded, plan, oracle, outputs)).verdict != "pass"


def test_a_build_makes_inputs_or_says_that_they_are_not_promised(template, change):
    change(template, "sizes:", "edges:\n  gc_content: {build: odd_only}\nsizes:", "config.yaml")
    with (template / "properties.py").open("a") as file:
        file.write(
            "\n\ndef odd_only(sequence):\n"
            '    return {"sequence": sequence} if len(sequence) % 2 else None\n'
        )
    loaded = card.load(template)
    lengths = [len(inputs["sequence"]) for _, inputs in edges.made(loaded, "gc_content")]
    assert lengths
    assert all(length % 2 for length in lengths)


def test_what_the_reference_refuses_is_left_out(template, change):
    before = len(card.load(template).plan().edges)
    change(template, "    bases =", "    assert len(sequence) != 1\n    bases =", "reference.py")
    plan = card.load(template).plan()
    made = [case for case in plan.cases if case.id in plan.edges]
    assert 0 < len(made) < before
    assert all(len(case.args[0]) != 1 for case in made)


def test_a_card_may_ask_for_none(template, change):
    change(template, "sizes:", "edges:\n  gc_content: {count: 0}\nsizes:", "config.yaml")
    assert card.load(template).plan().edges == frozenset()


def test_edges_that_cannot_be_made_are_told(template, change):
    change(
        template, "sizes:", "edges:\n  gc_content: {build: complement_bases}\nsizes:", "config.yaml"
    )
    with pytest.raises(TaskError, match=r"`edges` of `gc_content`: TypeError"):
        card.load(template).plan()


def test_a_format_without_a_length_is_made_as_its_space_says(template, change):
    change(template, 'text: "", length: n', 'text: ""', "config.yaml")
    plan = card.load(template).plan()
    texts = [case.args[0] for case in plan.cases if case.id in plan.edges]
    assert texts
    assert all(set(text) <= set("ACGTacgtN") and len(text) <= 30 for text in texts)


def test_an_earlier_argument_comes_again_all_but_equal():
    spec = {"array": ["float64"], "shape": ["n"]}
    drawing = edge_numbers.Drawing(rng(), {"n": 50})
    drawing.earlier["x"] = edge_values.make("spread", spec, drawing)
    near = edge_values.make(edge_values.NEAR, spec, drawing)
    assert np.allclose(near, drawing.earlier["x"])
    assert not np.any(near == drawing.earlier["x"])
    assert edge_values.NEAR not in edge_values.names({"array": ["int64"], "shape": ["n"]})


def test_whole_numbers_are_near_the_sizes_of_their_call():
    spec = {"number": "int", "min": 1, "max": 200}
    found = {
        edge_values.make(
            "size", spec, edge_numbers.Drawing(np.random.default_rng(seed), {"n": 130})
        )
        for seed in range(40)
    }
    assert found == {129, 130, 131}


def test_zeros_have_both_signs():
    spec = {"array": ["float64"], "shape": ["n"], "min": 0}
    zeros = edge_values.make("zeros", spec, edge_numbers.Drawing(rng(), {"n": 60}))
    assert not zeros.any()
    assert 0 < np.signbit(zeros).sum() < 60


def test_each_size_is_large_by_itself_and_all_together(template):
    loaded = card.load(template)
    names = [case.name for case in loaded.plan().calls if case.id in loaded.plan().edges]
    assert any(name.endswith("large") for name in names)
    assert any(name.endswith("large-of-few-letters") for name in names)


@pytest.mark.parametrize(
    ("spec", "ends"),
    [
        ({"array": ["float64"]}, (1e20, -1e20)),
        ({"array": ["float64"], "min": -3, "max": 5}, (5, -3)),
        ({"array": ["int64"]}, (2**63 - 1, -(2**63))),
        ({"list": "int", "min": 0}, (10**6, 0)),
    ],
)
def test_one_number_is_far_from_the_others(spec, ends):
    shape = {"shape": ["n"]} if "array" in spec else {"length": "n"}
    for pattern, end in zip(edge_numbers.OUTLIERS, ends, strict=True):
        drawing = edge_numbers.Drawing(rng(), {"n": 50})
        numbers = np.asarray(edge_values.make(pattern, {**spec, **shape}, drawing))
        assert (numbers == end).any()
        assert (abs(numbers) <= edge_numbers.SCALE).sum() >= 49
        assert len(np.unique(numbers)) > 3


def test_several_arguments_are_of_a_kind_at_once():
    """Of survival data: all times differ, all had the event, and risks are tied."""
    loaded = card.load(KERNELS / "concordance-index")
    found = [inputs for name, inputs in edges.made(loaded, "concordance_index") if "inter" in name]
    assert 12 <= len(found) <= 2 * edge_interplay.MOST
    assert any(
        one["event"].all()
        and len(np.unique(one["time"])) == len(one["time"])
        and 1 < len(np.unique(one["risk"])) < len(one["risk"])
        for one in found
    )


def test_large_arrays_run_against_each_other():
    loaded = card.load(KERNELS / "spearman-correlation")
    (inputs,) = (one for name, one in edges.made(loaded, "spearman") if name.endswith("opposed"))
    steps = [np.sign(np.diff(inputs[name])) for name in ("x", "y")]
    assert len(inputs["x"]) > 1861  # from here on the sum of squares leaves 32 bits
    assert {int(one.max()) for one in steps} | {int(one.min()) for one in steps} == {1, -1}


def test_an_argument_that_edges_narrows_is_tried_to_the_ends_that_it_is_declared_to_have():
    loaded = card.load(KERNELS / "sir-step")
    narrow = loaded.config["edges"]["simulate_sir"]["arguments"]["state"]["max"]
    wide = {name: inputs for name, inputs in edges.made(loaded, "simulate_sir") if "wide" in name}
    states = [inputs["state"] for name, inputs in wide.items() if "wide-state" in name]
    assert max(float(state.max()) for state in states) > narrow
    assert any(state.max() == 10**18 for state in states if state.dtype == np.int64)
    assert any("wide-steps=high" in name for name in wide)


def _made(problem, function, part):
    loaded = card.load(KERNELS / problem)
    return {name: inputs for name, inputs in edges.made(loaded, function) if part in name}


def test_single_numbers_at_thresholds_have_something_to_do_beside_them():
    found = _made("reverse-complement-kmers", "canonical_kmers", "-bits-").values()
    assert {inputs["k"] for inputs in found} == {n for n in edge_thresholds.BITS if n <= 200}
    # of nucleotides alone: other letters leave no window of such a length
    assert all(set(one["sequence"]) <= set("ACGT") for one in found)
    assert all(len(one["sequence"]) > 5 * one["k"] for one in found)


def test_whole_numbers_come_near_the_end_of_each_type():
    found = _made("needleman-wunsch", "global_score", "-full-").values()
    sums = {one["match"] * len(one["a"]) for one in found}
    for bits in (24, 31):
        assert any(0.5 < total / 2**bits < 1 for total in sums)
    assert not any(total > 2**31 for total in sums)  # beyond what is declared
    assert all(one["gap"] < -(2**24) / 2 / edge_thresholds.SIZE for one in found)
    assert any(sorted(one["a"]) == sorted(one["b"]) and one["a"] != one["b"] for one in found)


def test_large_arrays_have_large_ties():
    found = _made("spearman-correlation", "spearman", "large-odd-one").values()
    ties = [max(np.unique(one[name], return_counts=True)[1]) for one in found for name in "xy"]
    assert max(ties) > 1290  # from here on the cube of a tie leaves 32 bits


def test_rows_are_told_apart_behind_64_equal_numbers():
    (inputs,) = _made("tanimoto-matrix", "tanimoto_matrix", "told-apart-late").values()
    for rows in inputs.values():
        assert len(np.unique(rows[:, :64], axis=0)) == 1 < len(np.unique(rows, axis=0))


def test_the_largest_double_stands_beside_infinity():
    scores = np.concatenate([i["scores"] for i in _made("roc-auc", "roc_auc", "").values()])
    assert np.isinf(scores).any()
    assert (np.abs(scores) == np.finfo(float).max).any()
    assert not any(
        (np.abs(one[name]) == np.finfo(float).max).any()
        for one in _made("kabsch-rmsd", "kabsch_rmsd", "").values()
        for name in ("mobile", "target")
    )


def test_matrices_have_structures_beside_ordinary_numbers():
    mask = {"array": ["bool"], "shape": ["n", "n"]}
    drawing = edge_numbers.Drawing(rng(), {"n": 7})
    found = {p: edge_values.make(p, mask, drawing) for p in edge_values.structures(mask)}
    hole = found["lower"] & ~found["lower-but-one"]
    assert hole.sum() == 1
    assert not hole[:, 0].any()
    assert not hole.diagonal().any()
    assert not found["last-row-empty"][-1].any()
    assert found["last-row-empty"][:-1].all()
    counts = {"array": ["int64"], "shape": ["n", "g"], "min": 0, "max": 9}
    assert "lower-but-one" in edge_values.structures(counts)
    assert edge_values.structures({**counts, "min": 1}) == ()
    assert edge_values.structures({"array": ["bool"], "shape": ["n"]}) == ()


def test_structures_come_beside_numbers_that_do_not_hide_them():
    loaded = card.load(KERNELS / "masked-attention-weights")
    cases = [c for c in loaded.plan().cases if "lower-but-one-mask" in c.name]
    assert cases
    for case in cases:
        weights = loaded.reference[case.function](*case.args, **case.kwargs)
        assert np.sort(weights, axis=1)[1:, -2].max() > 1e-3  # not one key takes all


def test_whole_numbers_without_a_bound_are_beyond_words():
    spec = {"number": "int", "min": 0}
    source = Source({"k": spec, "n": {**spec, "max": 9}, "x": {"number": "float"}}, {}, None, (), 9)
    found = [*edge_thresholds.beyond_words(source)]
    assert {name for name, _ in found} == {"k"}
    assert min(value for _, value in found) >= 2**63
    free = source._replace(arguments={"k": {"number": "int"}})
    assert min(value for _, value in edge_thresholds.beyond_words(free)) < -(2**63)


def test_one_number_comes_to_more_than_a_type_along_long_texts():
    number = {"number": "int", "min": -(10**9), "max": 10**9}
    source = Source({"a": number, "b": {**number, "max": -1}}, {}, None, (), 9)
    found = [*edge_thresholds.long_and_full(source, 700)]
    assert {(name, value > 0) for name, value, _ in found} == {
        ("a", True),
        ("a", False),
        ("b", False),
    }
    for name, value, narrow in found:
        assert abs(value) * 700 > 2**31
        other = narrow.arguments["b" if name == "a" else "a"]
        assert -9 <= other["min"] <= other["max"] <= 9
