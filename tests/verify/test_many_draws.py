"""Many calls beside one another, among which a candidate's own cases are found."""

import copy
import itertools
import re
import runpy
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from biomlbench.registry import Registry
from biomlbench.sandbox import CaseResult
from biomlbench.sandbox.codec import encode
from biomlbench.stages import Context, Pair, running
from biomlbench.stages.cards import load_card, oracle_path
from biomlbench.stages.executed_lines import TRACER, TRACING, unexecuted_lines
from biomlbench.stages.outputs import case_outputs
from biomlbench.stages.preparing import prepare_card
from biomlbench.stages.running import run_functions
from biomlbench.stages.screening import failed_among
from biomlbench.verify import card, decide, edges, judge, many_draws, oracle, well_posed
from biomlbench.verify.alternates import lies_in
from biomlbench.verify.candidate import TOGETHER, Own
from biomlbench.verify.edge_draws import factors_of
from biomlbench.verify.edge_sources import Source
from biomlbench.verify.execution import in_process
from biomlbench.verify.joined_keys import SEPARATORS
from biomlbench.verify.many_draws import MOST_BYTES, drawn, in_few_processes, numbered
from biomlbench.verify.plan import seeded
from biomlbench.verify.promises import broken_by
from biomlbench.verify.related_draws import RELATIONS, related
from biomlbench.verify.related_numbers import (
    _at_bounds,
    _congruent,
    _powers_of_two,
    _scaled_apart,
    _totals_at_a_types_end,
    directions,
)
from biomlbench.verify.stretches import SHORTEST, stretched

TASK = "kernels/spearman-correlation"
ARRAYS = "kernels/benjamini-hochberg"
CALLS = (numbered(0, "adversarial", "f", (), {}),)
CHANGED = """

_right, _calls = spearman, []


def spearman(x, y):
    _calls.append(1)
    if {condition}:
        {then}
    return _right(x, y)
"""
SUM = "int(min(abs(np.nan_to_num(x)).sum() * 64, 1e15)) % _PRIME == _REST"


@pytest.fixture(scope="module")
def context(tmp_path_factory):
    made = Context(str(tmp_path_factory.mktemp("data")), ())
    prepare_card(made.task(TASK))
    return made


@pytest.fixture(scope="module")
def loaded(context):
    return load_card(context.task(TASK))


@pytest.fixture(scope="module")
def of_arrays(context):
    """A card whose function returns arrays."""
    prepare_card(context.task(ARRAYS))
    return context, load_card(context.task(ARRAYS))


@pytest.fixture
def candidate(loaded, tmp_path):
    """Write a candidate that does something else where a condition holds."""

    def write(condition, then="return 0.123"):
        code = (loaded.card.folder / "reference.py").read_text()
        path = tmp_path / "candidate.py"
        # of some prime one rest comes among the draws, and in none of the card's own cases
        path.write_text(code + CHANGED.format(condition=condition, then=then))
        return path

    return write


@pytest.fixture(scope="module")
def rare(loaded):
    """A condition that as few draws as may be meet, and no case of the card."""
    import numpy as np

    def rests(cases, prime):
        names = {"np": np, "_PRIME": prime}
        of = SUM.partition(" == ")[0]
        with np.errstate(all="ignore"):
            return Counter(
                eval(of, {**names, "x": np.asarray(c.args[0])})
                for c in cases
                if len(c.args) and isinstance(c.args[0], np.ndarray)
            )

    for prime in (2003, 4001, 7919):
        known = {0, *rests(loaded.plan.calls, prime)}
        drawn = rests(loaded.oracle.draws.cases, prime)
        found = sorted((count, rest) for rest, count in drawn.items() if rest not in known)
        if found:
            return SUM.replace("_PRIME", str(prime)).replace("_REST", str(found[0][1]))
    raise AssertionError("every draw is like a case of the card")


def rows_of(path, context, task=TASK):
    return run_functions(Pair(task, "r", str(path), "functions"), context)


def graded(path, context, task=TASK):
    """Return the rows of execute, the card with the candidate's cases, and the verdict."""
    import pyarrow as pa

    from biomlbench.contracts import SCHEMAS
    from biomlbench.stages.outputs import own_in

    full = [{"task_id": task, "run_id": "r", **row} for row in rows_of(path, context, task)]
    table = pa.Table.from_pylist(full, SCHEMAS["execute"])
    mine = load_card(context.task(task)).with_own(own_in(table))
    outputs = {name: repeats[0] for name, repeats in case_outputs(table).items()}
    assert set(outputs) == {case.id for case in mine.plan.cases}
    return own_in(table), judge(*mine, outputs)


def failing(rows):
    return {row.check for row in rows if row.outcome == "failed" and row.severity != "advisory"}


def test_draws_are_promised_the_same_every_time_and_kept_with_the_oracle(context, loaded):
    again = drawn(loaded.card)
    assert len(again) > 500
    assert [repr(case.args) for case in again] == [
        repr(case.args) for case in loaded.oracle.draws.cases
    ]
    for case in loaded.oracle.draws.cases[::97]:
        assert not list(broken_by(loaded.card, case))
    values, _ = oracle.answers(loaded.card, loaded.oracle.draws.cases[:50])
    for case, value in zip(loaded.oracle.draws.cases, loaded.oracle.draws.values, strict=False):
        assert case.id not in values or repr(values[case.id]) == repr(value)
    kept = oracle.load(oracle_path(context.task(TASK)))
    assert [case.id for case in kept.draws.cases] == [case.id for case in again]


def test_a_card_may_have_fewer_or_none():
    folder = Registry().get_task("kernels/michaelis-menten-fit").folder
    few = card.load(folder)
    few.config["draws"] = 3
    assert len(drawn(few)) == 3
    few.config["draws"] = 0
    assert drawn(few) == []


def test_a_right_candidate_gets_no_case_more(context, loaded):
    own, rows = graded(loaded.card.folder / "reference.py", context)
    assert (own.draws, own.together) == ((), ())
    assert decide(rows).verdict == "pass"


@pytest.mark.parametrize("then", ["return 0.123", "raise ValueError('rare')"])
def test_a_fault_that_no_case_of_the_card_shows_is_found(context, candidate, loaded, rare, then):
    path = candidate(rare, then)
    rows = judge(*loaded, in_process(path, loaded.plan.cases, loaded.card))
    assert decide(rows).verdict == "pass"
    own, rows = graded(path, context)
    assert own.draws
    assert not own.together
    assert decide(rows).verdict != "pass"
    assert failing(rows) & {"runs", *(check.name for check in loaded.card.checks)}
    assert Own.read(own.written) == own


def test_what_only_many_calls_in_one_process_show_is_state(context, candidate, loaded):
    longest = max(len(steps) for steps in loaded.plan.sequences.values())
    path = candidate(f"len(_calls) > {longest + 1}")
    rows = judge(*loaded, in_process(path, loaded.plan.cases, loaded.card))
    assert decide(rows).verdict == "pass"
    own, rows = graded(path, context)
    assert own.together
    assert not own.draws
    assert "keeps-no-state" in failing(rows)
    assert TOGETHER in {case.id for case in loaded.with_own(own).plan.cases}


STATE = {
    "wrong after many calls": "return result if len(_calls) < 400 else result + 1",
    "raises after many calls": """if len(_calls) > 400:
        raise RuntimeError
    return result""",
    "memory used again after many calls": """_kept.setdefault(
        (len(_calls) % 150, np.shape(result)), np.empty(np.shape(result))
    )[...] = result
    return _kept[len(_calls) % 150, np.shape(result)]""",
    "what is asked for often is not copied": """key = x.tobytes()
    _often[key] += 1
    _kept.setdefault(key, result)
    return _kept[key] if _often[key] > 5 else result.copy()""",
    "what a full cache drops is returned": """_kept.setdefault(x.tobytes(), result)
    if len(_kept) < 256:
        return result.copy()
    dropped = _kept.pop(next(iter(_kept)))
    return dropped if dropped.shape == result.shape else result.copy()""",
}
KEEPS = """

import collections

_right, _calls, _kept, _often = adjust, [], {}, collections.Counter()


def adjust(p):
    x, result = p.copy(), _right(p)
    _calls.append(None)
    BODY
"""


@pytest.mark.parametrize("body", STATE.values(), ids=STATE)
def test_state_that_shows_after_hundreds_of_calls_is_found(of_arrays, tmp_path, body):
    context, loaded = of_arrays
    path = tmp_path / "candidate.py"
    right = (loaded.card.folder / "reference.py").read_text()
    path.write_text(right + KEEPS.replace("BODY", body))
    assert (
        decide(judge(*loaded, in_process(path, loaded.plan.cases, loaded.card))).verdict == "pass"
    )
    own, rows = graded(path, context, ARRAYS)
    assert own.together
    assert "keeps-no-state" in failing(rows)


def test_a_long_row_is_of_small_quick_calls(of_arrays):
    _, loaded = of_arrays
    draws = loaded.oracle.draws
    row = many_draws.long_row(draws, [1e-5])
    assert len(row) == many_draws.IN_LONG_ROW
    assert max(len(edges.key_of(case)) for case in row) <= MOST_BYTES
    assert max(Counter(case.id for case in row).values()) == many_draws.ROUNDS + 1
    assert len(many_draws.long_row(draws, [1e-3])) == many_draws.LONG_ROW_S / 1e-3
    assert many_draws.long_row(draws, [0.01]) == []


def test_lines_that_nothing_executes_are_told_of_a_candidate_that_passes(context, candidate):
    hidden = """if x.size == 777 and x[0] == 0.125:
        return 0.5"""
    path = candidate("len(_calls) < 0", f"pass\n    {hidden}")
    code = path.read_text().splitlines()
    (told,) = {tuple(row["unexecuted_lines"]) for row in rows_of(path, context)}
    assert [code[line - 1].strip() for line in told] == ["pass", "return 0.5"]
    # of one that fails nothing is told
    path = candidate("True")
    assert {row.get("unexecuted_lines") for row in rows_of(path, context)} == {None}


STATEMENTS = '''\
from __future__ import annotations
import functools
KEPT = {}

@functools.lru_cache
def of(x):
    """Doc."""
    global KEPT
    match x:
        case 0:
            return 0
        case 1:
            KEPT = {1: 1}; return 1
    if x > 5: return 5  # a line of its own
    def inner(y):
        nonlocal x
        x += y
        return [z for z in range(y)
                if z > 100]
    try:
        if x == 4:
            raise ValueError
    except ValueError:
        return 4
    else:
        inner(x)
    finally:
        pass
    while False:
        x = 0
    return (lambda: 1 / 0)

class Of:
    kept = 1
    async def wait(self):
        await None
    def rows(self):
        yield 1
        yield 2

def rows():
    return next(Of().rows())
'''


def test_statements_of_all_kinds_are_noted(tmp_path):
    path = tmp_path / "candidate.py"
    path.write_bytes(STATEMENTS.encode() + TRACER)
    code = STATEMENTS.splitlines()

    def left(*calls):
        return [code[line - 1].strip() for line in runpy.run_path(str(path))[TRACING](*calls)]

    calls = [("of", (x,), {}) for x in (0, 1, 3, 4)]
    assert left(*calls, ("rows", (), {})) == ["x = 0", "await None", "yield 2"]
    assert "return 0" in left(*calls[1:])
    assert set(left(*calls[:2])) >= {"x += y", "inner(x)", "pass", "return 4"}


def test_what_a_candidate_writes_of_its_own_lines_is_checked():
    forged = [encode(value) for value in ("all", [1, "2"], [-1], {"a": 1}, [True])]
    for payload in (*forged, b"", None):
        assert unexecuted_lines(b"", [CALLS], told(payload)) is None
    assert unexecuted_lines(b"a\nb", [CALLS], told(encode([1, 2, 3]))) == [1, 2]
    assert unexecuted_lines(b"a", [CALLS, CALLS], told(encode([]))) == []


def told(payload):
    """What executes calls, and brings back this."""
    return lambda code, cases: {"one": CaseResult("one", "ok", payload)}


def test_a_draw_whose_result_changes_later_shows_with_all_calls_of_its_process(loaded):
    values = loaded.oracle.draws.values
    numbers = list(range(20, 40))
    right = [encode(values[number]) for number in numbers]

    def failed(*places):
        changed = [b"" if place in places else None for place in range(len(numbers))]
        outputs = {"some": SimpleNamespace(value=lambda: [right, changed])}
        return failed_among(loaded, outputs, {"some": numbers})

    assert failed() == []
    assert failed(3, 18) == [("some", len(numbers))]


@pytest.mark.slow
def test_a_call_that_does_not_end_is_found(context, candidate, rare, monkeypatch):
    # each of many such calls is waited for
    monkeypatch.setattr(running, "LEAST_WALL_S", 1.0)
    quick = replace(context, limits={"wall_s": 1.0})
    own, rows = graded(candidate(rare, "import time; time.sleep(99)"), quick)
    assert own.draws
    assert "runs" in failing(rows)


def test_processes_share_calls_in_their_order(loaded):
    cases = loaded.oracle.draws.cases[:25]
    groups = in_few_processes(cases, 10)
    assert [len(group.steps) for group in groups.values()] == [10, 10, 5]
    assert [case for group in groups.values() for case in group.steps] == list(cases)


@pytest.mark.parametrize("count", [2, 49, 130])
def test_each_length_has_its_turn_of_being_a_stretch_of_equal_elements(count):
    arguments = {
        "x": {"array": ["float64"], "shape": ["n"]},
        "flags": {"array": ["bool"], "shape": ["n"]},
        "text": {"text": "ACGT", "length": "n"},
        "way": {"choice": ["first", "second"]},
    }
    source = Source(arguments, {"n": [0, 400]}, None, ("way",), 0)
    factors, rng = factors_of(source), seeded("stretches")
    every = [made for _ in range(20) for made in stretched(source, factors, rng, count - SHORTEST)]
    runs = [[len([*run]) for _, run in itertools.groupby(made["x"])] for made in every]
    # of what is drawn none is equal to another
    assert sum(max(lengths) == count for lengths in runs) > 10
    assert all(max(lengths) in (1, count) for lengths in runs)
    assert sum(bool(re.search(rf"(.)\1{{{count - 1}}}", made["text"])) for made in every) > 10
    assert any(made["flags"].sum() >= count for made in every)
    assert {made["way"] for made in every} == {"first", "second"}
    assert not [*stretched(source._replace(sizes={"n": [0, 1]}), factors, rng, 0)]


class TestNumbers:
    """Relations of numbers that narrow types, or arithmetic without care, mistake."""

    def made(self, relation, values, arguments, count=60):
        source = Source(arguments, {}, None, (), 0)
        drawn = (relation(values, source, seeded("numbers", i)) for i in range(count))
        return [{**values, **new} for new in drawn if new]

    def test_numbers_are_at_several_bounds_at_once_beside_nan(self):
        arguments = {
            "x": {"array": ["float64"], "shape": ["n"], "min": -10, "max": 10, "nan": True},
            "cutoff": {"number": "float", "min": 0.5, "max": 99},
        }
        found = self.made(_at_bounds, {"x": np.ones(6), "cutoff": 3.0}, arguments)
        for low, high in itertools.product((0.5, 99), (-10, 10)):
            assert any(
                one["cutoff"] == low and high in one["x"] and np.isnan(one["x"]).any()
                for one in found
            )

    def test_a_product_stays_ordinary_where_neither_factor_is(self):
        arguments = {name: {"array": ["float64"], "shape": ["n"]} for name in ("x", "beta")}
        found = self.made(_scaled_apart, {"x": np.full(3, 7.0), "beta": np.ones(3)}, arguments)
        assert any(one["x"].max() > 1e80 for one in found)
        assert any(one["x"].max() < 1e-80 for one in found)
        for one in found:
            # by powers of two, so that nothing is rounded
            assert 7 / 2**12 <= (one["x"] * one["beta"]).max() <= 7
            assert np.frexp(one["x"])[0].tolist() == np.frexp(np.full(3, 7.0))[0].tolist()

    def test_whole_numbers_are_equal_in_their_lowest_bits(self):
        arguments = {
            "image": {"array": ["int32"], "shape": ["n"]},
            "bytes": {"array": ["uint8"], "shape": ["n"]},
            "labels": {"list": "int", "length": "l"},
        }
        values = {"image": np.zeros(8, "i4"), "bytes": np.zeros(8, "u1"), "labels": [1, 2, 3]}
        found = self.made(_congruent, values, arguments)
        for bits in (8, 16):
            assert any(
                a != b and (a - b) % 2**bits == 0
                for one in found
                for a, b in itertools.product(one["image"].tolist(), one["labels"])
            )
        assert all(one["bytes"].dtype == "u1" for one in found)

    def test_small_multiples_of_whole_numbers_are_equal_in_64_bits(self):
        found = self.made(
            _congruent, {"chain": np.zeros(9, int)}, {"chain": {"array": ["int64"], "shape": ["n"]}}
        )
        with np.errstate(over="ignore"):
            assert any(
                np.unique(one["chain"]).size > np.unique(8 * one["chain"]).size for one in found
            )

    def test_products_of_whole_numbers_are_0_in_a_type(self):
        arguments = {"state": {"array": ["int64"], "shape": ["n"], "min": 0, "max": 10**10}}
        found = self.made(_powers_of_two, {"state": np.ones(3, int)}, arguments)
        assert any(np.prod(one["state"]) == 0 and (one["state"] > 0).all() for one in found)
        assert all(one["state"].max() <= 10**10 for one in found)

    def test_totals_of_options_come_near_the_end_of_each_type(self):
        arguments = {
            "a": {"text": "ACGT", "length": "n"},
            "match": {"number": "int", "min": 1, "max": 10**9},
            "gap": {"number": "int", "min": -(10**9), "max": 0},
        }
        found = self.made(
            _totals_at_a_types_end, {"a": "ACGT" * 6, "match": 1, "gap": -1}, arguments
        )
        for bits in (15, 31):
            near = [(one["match"] * 24 / 2**bits, -one["gap"] * 24 / 2**bits) for one in found]
            assert any(0.3 < match < 1.2 and 0.3 < gap < 1.2 for match, gap in near)

    def test_directions_are_orthogonal_and_so_is_what_is_all_ones(self):
        found = directions(5, seeded("directions"))
        assert (found @ found.T == 4 * np.eye(4)).all()
        assert (found.sum(axis=1) == 0).sum() == 3


def test_arrays_of_some_draws_lie_in_different_ways_also_once_they_are_kept(context):
    oracle = load_card(context.task(TASK)).oracle
    ways = {tuple(map(tuple, map(lies_in, case.args))) for case in oracle.draws.cases}
    # a row has no order of axes
    assert {(("strided",), ("reversed",)), (("reversed",), ("readonly",))} <= ways
    assert ((), ()) in ways


def with_absolute_limits(loaded):
    """Return a card whose checks compare results as they are returned."""
    checks = [
        replace(check, options={k: v for k, v in check.options.items() if k != "canonical"})
        for check in loaded.checks
    ]
    return replace(loaded, verifier=replace(loaded.verifier, checks=tuple(checks)))


def test_what_hangs_on_the_last_digits_of_far_numbers_is_not_drawn():
    cox = card.load(Registry().get_task("kernels/cox-partial-log-likelihood").folder)
    time, event, beta = np.array([1.0, 2.0, 3.0]), np.ones(3, bool), np.full(3, 0.2)

    absolute = with_absolute_limits(cox)

    def is_well_posed(covariates, beta, loaded=absolute):
        return well_posed.is_well_posed(
            loaded,
            numbered(0, "adversarial", "cox_log_likelihood", (time, event, covariates, beta), {}),
        )

    x = np.array([[1.0, 2.0, 5.0], [1.0, 4.0, 2.0], [1.0, 7.0, 3.0]]) / 3
    assert is_well_posed(x, beta)
    # the first is the same for all, and what rounding leaves of its gradient is far above 0
    assert not is_well_posed(x * 1e60, beta / 1e60)
    # the card holds it against the covariates
    assert is_well_posed(x * 1e60, beta / 1e60, cox)
    assert is_well_posed(x[:, 1:] * 1e60, beta[1:] / 1e60)


class TestRelated:
    """Draws whose arguments hang together."""

    SOURCE = Source(
        {
            "x": {"array": ["float64"], "shape": ["n", "d"]},
            "y": {"array": ["float64"], "shape": ["n", "d"]},
            "square": {"array": ["float64"], "shape": ["d", "d"]},
            "mask": {"array": ["bool"], "shape": ["n", "d"]},
            "rows": {"array": ["int64"], "shape": ["n"], "min": 0},
            "spans": {"array": ["int64"], "shape": ["n", 2], "min": 0},
            "a": {"text": "ACGT", "length": "m"},
            "b": {"text": "ACGT", "length": "m"},
            "k": {"number": "int", "min": 0, "max": 400},
            "scale": {"number": "float", "min": 0},
            "reads": {"items": {"record": {"id": {"text": "", "length": "m"}}}, "length": "n"},
        },
        {"n": [0, 30], "d": [0, 5], "m": [0, 400]},
        None,
        (),
        0,
    )

    def drawn(self, count):
        rng, factors = seeded("related"), factors_of(self.SOURCE)
        return [list(related(self.SOURCE, factors, rng)) for _ in range(count)]

    @pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.__name__)
    def test_each_changes_some_values_and_keeps_their_kinds(self, relation):
        changed = 0
        for number, (values, *_) in enumerate(self.drawn(60)):
            kept = copy.deepcopy(values)
            for name, new in relation(values, self.SOURCE, seeded("relation", number)).items():
                old = values[name]
                changed += encode(new) != encode(old)
                assert type(new) is type(old)
                if isinstance(old, np.ndarray):
                    assert (new.shape, new.dtype) == (old.shape, old.dtype)
                elif isinstance(old, int):
                    assert 0 <= new <= 400
                elif isinstance(old, float):
                    assert new >= 0
            # what was drawn is left as it was
            assert encode(kept) == encode(values)
        assert changed >= 5

    def test_a_call_may_be_followed_by_one_of_the_same_bytes_in_other_shapes(self):
        source = self.SOURCE._replace(
            arguments={"x": {"array": ["float64"], "shape": ["n", "d"]}},
            sizes={"n": [2, 8], "d": [2, 8]},
        )
        rng, factors = seeded("reshaped"), factors_of(source)
        found = [list(related(source, factors, rng)) for _ in range(60)]
        pairs = [(first["x"], second["x"]) for first, second, *rest in found if rest]
        pairs = [(one, other) for one, other in pairs if one.shape != other.shape]
        assert len(pairs) >= 5
        for one, other in pairs:
            assert one.tobytes() == other.tobytes()
            assert one.shape != other.shape

    def test_a_call_may_come_once_more_with_rows_between_both_ends_elsewhere(self):
        arguments = {"x": {"array": ["float64"], "shape": ["n"], "min": 0, "max": 1}}
        source = Source(arguments, {"n": [2, 40]}, None, (), 0)
        rng, factors = seeded("reordered"), factors_of(source)
        drawn = [list(related(source, factors, rng)) for _ in range(80)]
        found = [(many[1]["x"], many[2]["x"]) for many in drawn if len(many) > 3]
        assert len(found) >= 5
        for one, other in found:
            assert one.sum() == other.sum()
            assert (one[[0, -1]] == other[[0, -1]]).all()
            assert sorted(one) == sorted(other)
        assert any((one != other).any() for one, other in found)

    @pytest.mark.parametrize(
        ("arguments", "joined"),
        [
            (
                {"a": {"text": "", "length": "n"}, "b": {"text": "", "length": "m"}},
                lambda mark, one: mark.join([one["a"], one["b"]]),
            ),
            (
                {"k": {"number": "int", "min": 1}, "l": {"number": "int", "min": 1}},
                lambda mark, one: f"{one['k']}{one['l']}",
            ),
            (
                {
                    "x": {"array": ["float64"], "shape": ["n", 2]},
                    "y": {"array": ["float64"], "shape": ["m", 2]},
                },
                lambda mark, one: one["x"].tobytes() + one["y"].tobytes(),
            ),
            (
                {"words": {"items": {"text": "AC|", "length": "m"}, "length": "n"}},
                lambda mark, one: mark.join(one["words"]),
            ),
        ],
        ids=["texts", "numbers", "arrays", "list"],
    )
    def test_a_call_may_be_followed_by_two_that_are_equal_once_joined(self, arguments, joined):
        source = Source(arguments, {"n": [2, 8], "m": [2, 8]}, None, (), 0)
        rng, factors = seeded("joined"), factors_of(source)
        found = [list(related(source, factors, rng)) for _ in range(120)]
        pairs = [pair for calls in found for pair in itertools.pairwise(calls)]
        equal = [
            (mark, one, other)
            for mark, (one, other) in itertools.product(SEPARATORS, pairs)
            if encode(one) != encode(other) and joined(mark, one) == joined(mark, other)
        ]
        assert len(equal) >= 3

    def test_a_choice_stays_one_of_what_is_listed(self):
        listed = ["TATAA", "CGCGCG", ["first", "second", "third"]]
        arguments = {"word": {"choice": listed}, "text": {"text": "ACGT", "length": "m"}}
        source = Source(arguments, {"m": [2, 60]}, None, (), 0)
        rng, factors = seeded("choices"), factors_of(source)
        made = [values for _ in range(80) for values in related(source, factors, rng)]
        assert all(values["word"] in listed for values in made)

    def test_numbers_stay_within_their_bounds(self):
        arguments = {
            "x": {"array": ["float64"], "shape": ["n", "d"], "min": -3, "max": 3},
            "square": {"array": ["float64"], "shape": ["d", "d"], "above": 0},
            "rows": {"array": ["int64"], "shape": ["n"], "min": 0, "max": 9},
        }
        source = Source(arguments, {"n": [0, 30], "d": [0, 5]}, None, (), 0)
        rng, factors = seeded("bounds"), factors_of(source)
        for values in (made for _ in range(80) for made in related(source, factors, rng)):
            assert (np.abs(values["x"]) <= 3).all()
            assert (values["square"] > 0).all()
            assert ((values["rows"] >= 0) & (values["rows"] <= 9)).all()

    def test_a_call_is_followed_by_one_that_differs_in_one_argument(self):
        differing = set()
        for first, *_, second in self.drawn(80):
            other = [name for name in first if encode(first[name]) != encode(second[name])]
            assert len(other) <= 1
            differing |= {*other}
        assert differing == set(self.SOURCE.arguments)
