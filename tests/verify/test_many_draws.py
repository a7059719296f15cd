"""Many calls beside one another, among which a candidate's own cases are found."""

import copy

import numpy as np
import pytest

from biomlbench.registry import Registry
from biomlbench.sandbox.codec import encode
from biomlbench.stages import Context, Pair
from biomlbench.stages.cards import load_card, oracle_path
from biomlbench.stages.outputs import case_outputs
from biomlbench.stages.preparing import prepare_card
from biomlbench.stages.running import run_functions
from biomlbench.verify import card, decide, judge, oracle
from biomlbench.verify.candidate import TOGETHER, Own
from biomlbench.verify.edge_draws import factors_of
from biomlbench.verify.edge_sources import Source
from biomlbench.verify.execution import in_process
from biomlbench.verify.many_draws import drawn, in_few_processes
from biomlbench.verify.plan import seeded
from biomlbench.verify.promises import broken_by
from biomlbench.verify.related_draws import RELATIONS, related

TASK = "kernels/spearman-correlation"
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
    """A condition that some draws meet, and no case of the card."""
    import numpy as np

    def rests(cases, prime):
        names = {"np": np, "_PRIME": prime}
        of = SUM.partition(" == ")[0]
        with np.errstate(all="ignore"):
            return {
                eval(of, {**names, "x": np.asarray(c.args[0])})
                for c in cases
                if len(c.args) and isinstance(c.args[0], np.ndarray)
            }

    for prime in (2003, 4001, 7919):
        own = rests(loaded.plan.calls, prime)
        found = sorted(rests(loaded.oracle.draws.cases, prime) - own - {0})
        if found:
            return SUM.replace("_PRIME", str(prime)).replace("_REST", str(found[0]))
    raise AssertionError("every draw is like a case of the card")


def graded(path, context):
    """Return the rows of execute, the card with the candidate's cases, and the verdict."""
    import pyarrow as pa

    from biomlbench.contracts import SCHEMAS
    from biomlbench.stages.outputs import own_in

    rows = run_functions(Pair(TASK, "r", str(path), "functions"), context)
    full = [{"task_id": TASK, "run_id": "r", **row} for row in rows]
    table = pa.Table.from_pylist(full, SCHEMAS["execute"])
    mine = load_card(context.task(TASK)).with_own(own_in(table))
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


@pytest.mark.slow
def test_a_call_that_does_not_end_is_found(context, candidate, loaded, rare):
    own, rows = graded(candidate(rare, "while True: pass"), context)
    assert own.draws
    assert "runs" in failing(rows)


def test_processes_share_calls_in_their_order(loaded):
    cases = loaded.oracle.draws.cases[:25]
    groups = in_few_processes(cases, 10)
    assert [len(group.steps) for group in groups.values()] == [10, 10, 5]
    assert [case for group in groups.values() for case in group.steps] == list(cases)


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
        assert len(pairs) >= 5
        for one, other in pairs:
            assert one.tobytes() == other.tobytes()
            assert one.shape != other.shape

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
        for first, second in self.drawn(80):
            other = [name for name in first if encode(first[name]) != encode(second[name])]
            assert len(other) <= 1
            differing |= {*other}
        assert differing == set(self.SOURCE.arguments)
