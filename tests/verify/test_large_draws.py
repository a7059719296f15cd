"""Large calls among the draws, for code that goes wrong from some size on."""

from dataclasses import replace
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import biomlbench.tasks
from biomlbench.outcomes import Reason
from biomlbench.verify import card as cards
from biomlbench.verify import edge_draws
from biomlbench.verify.edge_sources import sources
from biomlbench.verify.edges import is_promised
from biomlbench.verify.long_pairs import long_pair
from biomlbench.verify.many_draws import MOST_BYTES, TOGETHER_BYTES, drawn, in_few_processes
from biomlbench.verify.on_cases import OnCases
from biomlbench.verify.oracle import Oracle, load

KERNELS = Path(biomlbench.tasks.__file__).parent / "kernels"
LEAST = 400


@cache
def all_draws_of(name):
    loaded = cards.load(KERNELS / name)
    return loaded, drawn(replace(loaded, config={**loaded.config, "draws": 480}))


def draws_of(name):
    loaded, draws = all_draws_of(name)
    return loaded, [case for case in draws if weight(case) > MOST_BYTES // 2]


def weight(case):
    return sum(np.asarray(value).nbytes for value in case.args)


def rows_of(case):
    return max(np.shape(value)[0] for value in case.args if np.ndim(value))


def zeros_count_as_ones(labels, scores, weights=None):
    return labels, scores, weights if weights is None else np.where(weights == 0, 1.0, weights)


def infinities_are_cut(labels, scores, weights=None):
    return labels, np.clip(scores, -1e300, 1e300), weights


def ties_are_broken(labels, scores, weights=None):
    return labels, scores + 1e-9 * np.abs(scores) * np.arange(len(scores)), weights


@pytest.mark.parametrize("change", [zeros_count_as_ones, infinities_are_cut, ties_are_broken])
def test_what_goes_wrong_in_large_calls_alone_is_met(change):
    """Each is right on all calls of few rows, and on large ones of ordinary numbers."""
    loaded, draws = draws_of("roc-auc")
    function, passes = loaded.reference["roc_auc"], OnCases(loaded).passes
    large = [case for case in draws if rows_of(case) > LEAST]
    with np.errstate(all="ignore"):
        given = [(case, function(*change(*case.args, **case.kwargs))) for case in large]
        right = [function(*case.args, **case.kwargs) for case in large]
        failed = [
            not passes(case, expected, Reason.OK, value)
            for (case, value), expected in zip(given, right, strict=True)
        ]
    assert 1 <= sum(failed) < len(failed)


@pytest.mark.parametrize("name", ["roc-auc", "dice-coefficient", "contact-map"])
def test_large_calls_are_promised_and_have_other_ids(name):
    loaded, draws = draws_of(name)
    assert len(draws) > 20
    assert all(is_promised(loaded, case) for case in draws)
    assert len({case.id for case in draws}) == len(draws)


def test_large_calls_share_a_process_with_few_others():
    _, draws = draws_of("roc-auc")
    groups = in_few_processes(draws).values()
    assert max(sum(map(weight, group.steps)) for group in groups) <= TOGETHER_BYTES
    assert sorted(case.id for group in groups for case in group.steps) == sorted(
        c.id for c in draws
    )


@pytest.mark.parametrize(("name", "function", "size"), [
    ("chain-contacts", "interface", 20_000),
    ("guide-off-targets", "find_sites", 3_000),
    ("spectrum-matching", "read_mgf", 3_000),
    ("variant-consequences", "coding_sequence", 2_000),
])  # fmt: skip
def test_what_is_built_is_built_large_too(name, function, size):
    """Bounds of sizes that are for small calls do not hold for the large ones beside them."""
    loaded, draws = all_draws_of(name)
    large = [
        case
        for case in draws
        if case.function == function and len(case.args[0]) > size  # the text of the call
    ]
    assert len(large) >= 5
    assert all(is_promised(loaded, case) for case in large)


def test_long_texts_of_a_call_are_related():
    loaded = cards.load(KERNELS / "needleman-wunsch")
    (source,) = sources(loaded, "global_score", 1)
    rng, factors = np.random.default_rng(0), edge_draws.factors_of(source)
    made = [long_pair(loaded, source, factors, rng, turn) for turn in range(28)]
    sizes = {(len(call["a"]), len(call["b"])) for call in made}
    assert max(min(pair) for pair in sizes) > 600
    assert any(one != other for one, other in sizes)
    assert all(one * other <= loaded.config["product"] for one, other in sizes)
    kept = [SequenceMatcher(None, call["a"], call["b"], autojunk=False) for call in made[:8]]
    assert sum(one.find_longest_match().size > 20 for one in kept) > 4
    assert {call["a"] == call["b"] for call in made} == {True, False}
    numbers = [abs(call[name]) for call in made for name in ("match", "gap")]
    assert min(numbers) < 10
    assert max(numbers) > 1e6


def test_an_oracle_holds_more_than_one_value_may(tmp_path):
    values = {f"case-{number}": {"text": str(number) * (1 << 20)} for number in range(10)}
    Oracle(values, dict.fromkeys(values, 0.0), "made").save(tmp_path / "oracle.bin")
    assert load(tmp_path / "oracle.bin").values == values


def both_in_bytes(a, b):
    """Right but where the 256 bits of two fingerprints are all set."""
    both = a.astype(float) @ b.astype(float).T
    if a.shape[1] <= 256:
        both %= 256
    union = a.sum(axis=1)[:, None] + b.sum(axis=1) - both
    return np.where(union == 0, 1.0, both / np.maximum(union, 1))


def test_each_size_comes_at_the_numbers_where_code_changes():
    loaded, draws = all_draws_of("tanimoto-matrix")
    function, passes = loaded.reference["tanimoto_matrix"], OnCases(loaded).passes
    of_256 = [case for case in draws if case.args[0].shape[1] == 256]
    assert not all(
        passes(case, function(*case.args), Reason.OK, both_in_bytes(*case.args)) for case in of_256
    )
    rows = {len(fingerprints) for case in draws for fingerprints in case.args}
    assert {255, 256, 257, 511, 512, 513, 600} <= rows
