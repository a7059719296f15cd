"""Calls whose values hardly differ, just meet, or end in different ways."""

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import biomlbench.tasks
from biomlbench.verify import card, edges
from biomlbench.verify.cases import joined_lines
from biomlbench.verify.edge_sources import Source
from biomlbench.verify.many_draws import drawn
from biomlbench.verify.plan import planned_case
from biomlbench.verify.related_runs import RUN_RELATIONS, meeting_runs
from biomlbench.verify.related_steps import STEP_RELATIONS
from biomlbench.verify.well_posed import is_well_posed
from tests.verify.test_many_draws import with_absolute_limits

KERNELS = Path(biomlbench.tasks.__file__).parent / "kernels"
FEW = 900
SEEDS = st.integers(0, 2**32 - 1)
FLAGS = {"array": ["uint8"], "shape": ["n", "m"], "min": 0, "max": 1}
FLOATS = {"array": ["float64"], "shape": ["n"], "any_magnitude": True}


def _source(**arguments):
    return Source(arguments, {}, None, (), 1)


def _related(relations, values, source, seed):
    rng = np.random.default_rng(seed)
    return [relation(values, source, rng) for relation in relations]


@given(seed=SEEDS, width=st.integers(2, 600), share=st.floats(0, 1, exclude_max=True))
def test_each_row_has_a_run_that_ends_or_begins_next_to_one_place(seed, width, share):
    place = int(share * width)
    rows = meeting_runs((5, width), place, np.random.default_rng(seed))
    for row in rows:
        ends = np.flatnonzero(row)[[0, -1]]
        assert np.abs(ends - place).min() <= 1


def test_runs_of_wide_rows_share_one_place_none_or_a_few():
    loaded = card.load(KERNELS / "tanimoto-matrix")
    made = dict(edges.made(loaded, "tanimoto_matrix"))
    call = next(inputs for name, inputs in made.items() if "runs-along-bits" in name)
    common = call["a"].astype(int) @ call["b"].T.astype(int)
    assert call["a"].shape[1] > 4000
    assert {0, 1} <= set(common.ravel().tolist())


@given(seed=SEEDS)
def test_runs_are_made_for_flags_alone(seed):
    flags, numbers = np.zeros((4, 30), np.uint8), np.full((4, 30), 7)
    source = _source(a=FLAGS, b={"array": ["int64"], "shape": ["n", "m"], "min": 5})
    runs, _ = _related(RUN_RELATIONS, {"a": flags, "b": numbers}, source, seed)
    assert set(runs) == {"a"}
    assert runs["a"].dtype == np.uint8
    assert runs["a"].any(axis=1).all()


@given(seed=SEEDS)
def test_intervals_touch_overlap_or_miss_by_one(seed):
    values = {"a": np.zeros((6, 2), np.int64), "b": [(3, 4), (5, 9), (0, 1)]}
    _, found = _related(RUN_RELATIONS, values, _source(), seed)
    for made in found.values():
        pairs = [tuple(map(int, pair)) for pair in made]
        assert all(start <= stop for start, stop in pairs)
        alone = [one for one in pairs if not any(abs(one[1] - other[0]) <= 1 for other in pairs)]
        assert len(alone) <= 1
    assert all(type(pair) is tuple for pair in found["b"])


@given(seed=SEEDS)
def test_numbers_are_a_few_smallest_steps_apart_far_from_0(seed):
    values = {"x": np.array([1.0, 2.0, math.nan, 4.0, 5.0])}
    made, _ = _related(STEP_RELATIONS, values, _source(x=FLOATS), seed)
    numbers = made["x"][[0, 1, 3, 4]]
    assert np.isnan(made["x"][2])
    assert np.abs(numbers).min() >= 1e15
    assert np.ptp(numbers) <= 1600 * np.spacing(np.abs(numbers).min())


@given(seed=SEEDS, most=st.sampled_from([1.0, 1e12]))
def test_nearly_equal_numbers_keep_to_their_bounds(seed, most):
    spec = {"array": ["float64"], "shape": ["n"], "min": 0, "max": most}
    values = {"x": np.linspace(0, 1, 8)}
    far, near = _related(STEP_RELATIONS, values, _source(x=spec), seed)
    assert far == {} or most > 1e12
    assert near["x"].min() >= 0
    assert near["x"].max() <= most
    assert len(near["x"]) == 8


def test_order_does_not_hang_on_last_digits_and_differences_do():
    loaded = card.load(KERNELS / "spearman-correlation")
    far = 2.0**64 + 4096 * np.array([3.0, 1.0, 2.0, 0.0, 2.0])
    call = planned_case(loaded, "hidden", "far", "spearman", (far, np.arange(5.0)), {})
    assert is_well_posed(loaded, call)
    loaded = card.load(KERNELS / "cox-partial-log-likelihood")
    args = (np.arange(5.0), np.ones(5, bool), far[:, None], np.zeros(1), "efron")
    call = planned_case(loaded, "hidden", "far", "cox_log_likelihood", args, {})
    assert is_well_posed(loaded, call)
    assert not is_well_posed(with_absolute_limits(loaded), call)


@given(
    lines=st.lists(st.text("ab"), max_size=5),
    ends=st.lists(st.sampled_from(["\n", "\r\n"]), min_size=1, max_size=3),
)
def test_lines_that_are_joined_are_there_again_whatever_they_end_in(lines, ends):
    text = joined_lines(lines, ends)
    assert text.replace("\r\n", "\n").split("\n") == [*lines, ""]
    rest = joined_lines(lines, ends, finish=False)
    assert rest.replace("\r\n", "\n") == "\n".join(lines)


@cache
def _loaded(name):
    loaded = card.load(KERNELS / name)
    loaded.config["draws"] = FEW
    return loaded, drawn(loaded)


def calls(name, function):
    """Arguments by name of the first calls that are drawn for an entry point."""
    loaded, cases = _loaded(name)
    every = (case for case in cases if case.function == function)
    return [loaded.bind(function, case.args, case.kwargs) for case in every]


def _ends_differ(call):
    text = call.get("text", call.get("pdb"))
    return 0 < text.count("\r\n") < text.count("\n")


def _last_has_no_end(call):
    return call["text"][-1:] not in ("\n", "")


def _nearly_equal_intensities(call):
    return any(
        0 < np.ptp(peaks[:, 1]) < 1e-7 * peaks[:, 1].max()
        for peaks in (call["a"], call["b"])
        if len(peaks)
    )


def _two_candidates_where_the_mean_tolerance_has_one(call):
    x, y, part = call["a"][:, 0], call["b"][:, 0], 1e-6 * call["ppm"]
    if min(len(x), len(y)) < 2:
        return False
    apart = min(np.diff(np.sort(x)).min(), np.diff(np.sort(y)).min())
    near = np.abs(x[:, None] - y) <= part * (x[:, None] + y) / 2
    return apart > part * (x.mean() + y.mean()) and near.sum(axis=0).max() > 1


def _far_apart_and_yet_seen(call):
    left, right = call["pairs"].T
    moved = call["mobile"][left] @ call["rotation"].T + call["translation"]
    distance = np.linalg.norm(moved - call["target"][right], axis=1)
    size = len(call["target"])
    unit = max(1.24 * (size - 15) ** (1 / 3) - 1.8, 0.5) if size > 15 else 0.5
    if not len(left) or np.isnan(distance).any() or distance.min() < 1e4 * unit:
        return False
    return (unit / distance) @ (unit / distance) / size > 2e-9


@pytest.mark.parametrize(
    ("name", "function", "is_one"),
    [
        ("variant-consequences", "read_vcf", _ends_differ),
        ("variant-consequences", "read_vcf", _last_has_no_end),
        ("spectrum-matching", "read_mgf", _ends_differ),
        ("spectrum-matching", "read_mgf", _last_has_no_end),
        ("chain-contacts", "sequence", _ends_differ),
        ("guide-off-targets", "read_fasta", _ends_differ),
        ("spectrum-matching", "similarity", _nearly_equal_intensities),
        ("spectrum-matching", "match_peaks", _two_candidates_where_the_mean_tolerance_has_one),
        ("tm-score", "tm_score", _far_apart_and_yet_seen),
    ],
)
def test_each_kind_is_among_the_draws(name, function, is_one):
    assert any(map(is_one, calls(name, function)))
