"""Cases that are drawn for one candidate, next to the constants of its code."""

import shutil
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomlbench.registry import Registry
from biomlbench.verify import Results, candidate, card, decide, disputes, judge
from biomlbench.verify.candidate import Own, for_candidate
from biomlbench.verify.constants import MAX_NUMBERS, Constants, constants_of
from biomlbench.verify.disputes import settled
from biomlbench.verify.edges import is_promised
from biomlbench.verify.local import LocalResult, run
from biomlbench.verify.oracle import compute
from biomlbench.verify.plan import planned_case
from biomlbench.verify.probes import MAX_PROBES, probes

FAULTS = {
    "size": ("layer-norm", "x.shape[-1] == 611"),
    "rows": ("layer-norm", "x.ndim == 2 and 700 < len(x) < 900"),
    "rest": ("spearman-correlation", "len(x) % 20 == 1 and 25 < len(x) < 60"),
    "value": ("spearman-correlation", "(x == 83.625).any()"),
    "magnitude": ("log1p-cpm", "0 < counts.max(initial=0) < 3e-37"),
    "distance": ("spearman-correlation", "((x > 1 + 1e-7) & (x < 1 + 8e-4)).any()"),
    "stretch": ("smith-waterman", "(c := a[2:3]) * 37 in a and c * 41 not in a"),
    "word": ("needleman-wunsch", "a.startswith('GATTACAT')"),
    "share": ("spearman-correlation", "1 / 0.0023 < len(x) < 1.01 / 0.0023"),
}
"""What each is wrong for, in a condition on the arguments of the card's first function."""


@pytest.fixture(scope="module")
def loaded():
    kept = {}

    def load(name):
        if name not in kept:
            one = card.load(Registry().get_task(name).folder)
            kept[name] = one, one.plan(), compute(one)
        return kept[name]

    return load


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_next_to_a_constant_passes_all_fixed_cases_and_none_drawn_for_it(
    tmp_path, loaded, fault
):
    name, condition = FAULTS[fault]
    one, plan, oracle = loaded(name)
    function = one.entry_points[0]
    path = tmp_path / "candidate.py"
    path.write_text(
        (one.folder / "reference.py").read_text()
        + f"""

import inspect
import numpy as np

_right, _named = {function}, inspect.signature({function})


def {function}(*args, **kwargs):
    given = _named.bind(*args, **kwargs).arguments
    result = _right(*args, **kwargs)
    return result * 1.25 + 1 if eval({condition!r}, {{**globals(), **given}}) else result
"""
    )
    constants = constants_of(condition.encode())
    whole, outputs = for_candidate(one, plan, oracle, Own(constants))
    results = run(path, whole.cases)
    assert decide(judge(one, plan, oracle, results)).verdict == "pass"
    assert decide(judge(one, whole, outputs, results)).verdict != "pass"


@pytest.mark.parametrize("name", ["layer-norm", "chain-contacts", "hardy-weinberg"])
def test_probes_are_promised_are_few_and_are_the_same_each_time(loaded, name):
    one, _, _ = loaded(name)

    def planned(suite, *call):
        return planned_case(one, suite, *call)

    constants = Constants((1e-9, 40, 0.3, 1e-4, 900, 17), (6,), ("AG",))
    drawn = probes(one, constants, planned)
    assert 20 < len(drawn) <= MAX_PROBES
    assert all(is_promised(one, case) for case in drawn)
    assert [case.id for case in probes(one, constants, planned)] == [case.id for case in drawn]


def test_sizes_differ_from_a_number_of_code_by_an_option_of_the_call(loaded):
    one, _, _ = loaded("reverse-complement-kmers")
    drawn = probes(one, Constants((256,)), lambda suite, *call: planned_case(one, suite, *call))
    inputs = [one.inputs_of(case) for case in drawn if case.function == "canonical_kmers"]
    sizes = {(len(call["sequence"]) - sign * call["k"]) for call in inputs for sign in (1, -1)}
    assert {256, 512} <= sizes


OTHER_READING = """

def layer_norm(x, gamma, beta, eps=1e-5):
    return _right(x, gamma, beta, eps) * (1 if x.shape[-1] < 612 else 2)
"""


def test_what_right_solutions_disagree_on_does_not_count(tmp_path):
    folder = shutil.copytree(Registry().get_task("layer-norm").folder, tmp_path / "layer-norm")
    reading = (folder / "reference.py").read_text().replace("def layer_norm(", "def _right(")
    reading += OTHER_READING
    candidate = tmp_path / "candidate.py"
    candidate.write_text(reading)

    def judged(constants):
        one = card.load(folder)
        plan = one.plan()
        whole, oracle = for_candidate(one, plan, compute(one, plan), Own(constants))
        results = Results(run(candidate, whole.cases))
        left = settled(one, whole, oracle, results)
        asked = {case.args[0].shape[-1] for case in whole.probes}
        kept = {case.args[0].shape[-1] for case in left.cases if case in whole.probes}
        return asked, kept

    asked, kept = judged(Constants((611,)))
    assert kept == asked
    (folder / "solutions" / "right" / "other_reading.py").write_text(reading)
    asked, kept = judged(Constants((611,)))
    assert {611, 612} <= asked
    assert 611 in kept
    assert 612 not in kept


def test_a_candidate_without_constants_gets_the_cards_own_plan(loaded):
    one, plan, oracle = loaded("layer-norm")
    assert for_candidate(one, plan, oracle, Own(constants_of(b"def f(x): return x + 1"))) == (
        plan,
        oracle,
    )


@given(st.binary(max_size=300))
def test_constants_are_read_out_of_any_bytes_and_survive_a_table(source):
    found = constants_of(source)
    assert len(found.numbers) <= MAX_NUMBERS
    assert all(number > 0 for number in found.numbers)
    assert Constants.read(found.written) == found


@pytest.mark.parametrize(
    ("code", "numbers"),
    [
        ("x < 1e-12", (1e-12,)),
        ("n >> 3 or n == 0x1F or n == 1_000", (31, 1000, 3)),
        ("2 ** 31 - 1", (2**31,)),
        ("1 << 20", (2**20,)),
        ("round(x, 6)", (6, 1e-6)),
        ("f'{x:.5f}'", (1e-5, 0.5)),
        ("x.astype(np.float32)", (2**24, 2.0**-24)),
        ('"""Page 77 of 1995."""\n# at 33\ny = 40', (40,)),
        ("x1 = y.z2 + 9e999", ()),
    ],
)
def test_numbers_of_code(code, numbers):
    assert constants_of(code.encode()).numbers == numbers


FAULT = "if len(x) == 1234:\n    y = 5\n"


@pytest.mark.parametrize(
    "code",
    [
        "#" * 300_000 + "\n" + FAULT,
        "a = '''\n\"\"\"\n'''\n" + FAULT + "b = '''\n\"\"\"\n'''\n",
        'a = """\n# "\n"""\n' + FAULT,
        "'\\''\n" + FAULT,
        FAULT.replace("1234", "1_000 + 2 * 100 + 34"),
    ],
    ids=["padded", "fenced", "in-a-text", "escaped", "in-parts"],
)
def test_how_code_is_written_hides_no_number(code):
    assert {1234, 5} <= set(constants_of(code.encode()).numbers)


@pytest.mark.parametrize("unit", ['"', "'", '"""', "'''a", '"\\', "1*", "1 *  ", '"a\n', "\\", "#"])
def test_time_is_linear_in_the_code(unit):
    def seconds(size):
        code = (unit * size)[:size].encode()
        start = time.process_time()
        constants_of(code)
        return time.process_time() - start

    # quadratic would be 64 times
    assert min(seconds(1 << 19) for _ in range(2)) < 30 * max(seconds(1 << 16), 0.01)


def test_of_many_failed_cases_a_few_are_asked_about(tmp_path, loaded, monkeypatch):
    name = "layer-norm"
    one, plan, oracle = loaded(name)
    asked = []
    monkeypatch.setattr(
        disputes, "run", lambda path, cases: asked.append(len(cases)) or run(path, cases)
    )
    whole, outputs = for_candidate(
        one, plan, oracle, Own(Constants((611, 17, 40, 77, 93, 41, 1e-9)))
    )
    wrong = {case.id: LocalResult("exception") for case in whole.probes}
    wrong |= {case.id: LocalResult("ok", oracle.values[case.id]) for case in plan.cases}
    left = settled(one, whole, outputs, Results(wrong))
    assert len(whole.probes) > disputes.MOST_ASKED
    assert max(asked) == disputes.MOST_ASKED
    assert len(left.cases) == len(plan.cases) + disputes.MOST_ASKED


def test_a_drawn_case_takes_no_place_of_the_cards_own(loaded, monkeypatch):
    one, plan, oracle = loaded("layer-norm")
    taken = plan.cases[0].id
    real = candidate.planned_case

    def colliding(*call):
        return replace(real(*call), id=taken)

    monkeypatch.setattr(candidate, "planned_case", colliding)
    whole, outputs = for_candidate(one, plan, oracle, Own(Constants((613,))))
    assert whole.cases == plan.cases
    assert outputs.values == oracle.values


def test_nothing_is_run_for_a_candidate_that_fails_the_cards_own_cases(loaded, monkeypatch):
    one, plan, oracle = loaded("layer-norm")
    monkeypatch.setattr(disputes, "run", pytest.fail)
    whole, outputs = for_candidate(one, plan, oracle, Own(Constants((613,))))
    wrong = {case.id: LocalResult("judging_limit") for case in whole.cases}
    assert settled(one, whole, outputs, Results(wrong)).cases == plan.cases
