"""Cases that share processes tell of a candidate what they tell when each has its own."""

import numpy as np
import pytest

from biomlbench.outcomes import Suite
from biomlbench.sandbox import CaseResult, run_functions
from biomlbench.sandbox.codec import encode
from biomlbench.stages import Context, Pair, running, shared_processes
from biomlbench.stages.cards import load_card
from biomlbench.stages.outputs import CaseOutput
from biomlbench.stages.preparing import prepare_card
from biomlbench.stages.shared_processes import MOST, MOST_BYTES, apart, in_shared_processes
from biomlbench.verify import judge
from biomlbench.verify.edges import key_of

TASK = "kernels/spearman-correlation"
CHANGED = """

import os
_right, _calls = spearman, []


def spearman(x, y):
    _calls.append(1)
    {line}
    return _right(x, y)
"""
LINES = {
    "right": "",
    "wrong in some": "if len(x) == 5: return 0.123",
    "raises in some": "if len(x) == 5: raise ValueError(len(x))",
    "ends its process": "if len(x) == 5: os._exit(0)",
    "changes an argument": "x[:1] = 0",
    "wrong from the third call on": "if len(_calls) > 2: return 0.123",
    "wrong at once": "return 0.123",
    "raises from the third call on": "if len(_calls) > 2: raise ValueError",
}

QUICK = ("raises in some", "wrong from the third call on")


@pytest.fixture(scope="module")
def context(tmp_path_factory):
    made = Context(str(tmp_path_factory.mktemp("data")), ())
    task = made.task(TASK)
    prepare_card(task)
    return made


@pytest.fixture(scope="module")
def loaded(context):
    return load_card(context.task(TASK))


@pytest.fixture(scope="module")
def groups(loaded):
    return in_shared_processes(loaded.plan, loaded.oracle)


def judged(loaded, path, context):
    rows = running.run_functions(Pair(TASK, "r", str(path), "functions"), context)
    outputs = {
        row["case_id"]: CaseOutput(row["status"], row["output"], row["message"])
        for row in rows
        if row["repeat"] == 0
    }
    return judge(loaded.card, loaded.plan, loaded.oracle, outputs)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(line, id=name, marks=() if name in QUICK else pytest.mark.slow)
        for name, line in LINES.items()
    ],
)
def test_outcomes_are_those_of_cases_alone(line, context, loaded, tmp_path, monkeypatch):
    path = tmp_path / "candidate.py"
    code = (loaded.card.folder / "reference.py").read_text()
    path.write_text(code + CHANGED.format(line=line or "pass"))
    beside_others = judged(loaded, path, context)
    monkeypatch.setattr(shared_processes, "in_shared_processes", lambda *_: {})
    alone = judged(loaded, path, context)

    def told(rows):
        return [(row.check, row.suite, row.outcome, row.reason) for row in rows]

    assert told(beside_others) == told(alone)


def test_a_right_candidate_needs_half_the_processes(context, loaded, monkeypatch):
    asked = []

    def counted(code, cases, **options):
        asked.append(len(cases))
        return run_functions(code, cases, **options)

    monkeypatch.setattr("biomlbench.sandbox.run_functions", counted)
    judged(loaded, loaded.card.folder / "reference.py", context)
    assert asked[0] < len(loaded.plan.cases) / 2


def test_only_small_adversarial_calls_share(loaded, groups):
    cases = [case for group in groups.values() for case in group.steps]
    assert len({case.id for case in cases}) == len(cases) > 100
    assert {case.suite for case in cases} == {"adversarial"}
    assert not {case.id for case in cases} & loaded.plan.sequences.keys()
    for group in groups.values():
        assert len(group.steps) <= MOST
        assert sum(len(key_of(case)) for case in group.steps) <= MOST_BYTES


def test_only_as_many_encoded_values_are_taken_apart(groups):
    (name, group), *_ = groups.items()
    count = len(group.steps)
    right = [encode(float(number)) for number in range(count)]

    def told(value, status="ok"):
        payload = None if value is None else encode(value)
        return apart({name: group}, {name: CaseResult(name, status, payload, cpu_s=1.0)})

    found = told([right, [None] * count])
    assert [result.value() for result in found] == list(range(count))
    assert [result.id for result in found] == [case.id for case in group.steps]
    assert sum(result.cpu_s for result in found) == pytest.approx(1)
    for hostile in (
        None,
        0,
        [],
        [right[1:], [None] * (count - 1)],
        [right, [None] * (count - 1) + [b""]],
        [dict.fromkeys(map(str, range(count)), 0.0), [None] * count],
        [np.frombuffer(b"".join(right), np.uint8), [None] * count],
        [[*right[1:], "text"], [None] * count],
        [[*right[1:], b"no value"], [None] * count],
    ):
        assert told(hostile) == []
    assert told([right, [None] * count], "input_modified") == []
    assert told([right, [None] * count], "crashed") == []


@pytest.fixture
def candidate(tmp_path):
    def write(code):
        (tmp_path / "candidate.py").write_text(code)
        return Pair(TASK, "r", str(tmp_path / "candidate.py"), "functions")

    return write


def test_what_is_returned_beyond_all_measure_is_not_kept(context, loaded, candidate):
    """A few bytes of code would fill the disk: of random bytes nothing is saved by compression."""
    code = "import os\n\ndef spearman(x, y):\n    return list(os.urandom(4_000))\n"
    rows = running.run_functions(candidate(code), context)
    suite_of = {case.id: case.suite for case in loaded.plan.cases}
    hidden = [row for row in rows if suite_of.get(row["case_id"]) != Suite.VISIBLE]
    assert {(row["status"], row["output"]) for row in hidden} == {("output_limit", None)}
    visible = [row for row in rows if suite_of.get(row["case_id"]) == Suite.VISIBLE]
    assert {row["status"] for row in visible} == {"ok"}
    limits = running.function_limits(context.task(TASK), context, loaded.oracle)
    assert limits.total_output_mb == running.LEAST_OUTPUT_MB < limits.all_output_mb * 8


def test_limits_that_a_task_declares_stay(context, loaded):
    own = Context(context.data_dir, (), limits={"total_output_mb": 50})
    assert running.function_limits(own.task(TASK), own, loaded.oracle).total_output_mb == 50


def test_suites_and_draws_run_under_hash_seeds_of_their_own(
    context, loaded, candidate, monkeypatch
):
    """What hangs on the order of a set shows under some seeds only."""
    seeds = {}
    execute = running._execute

    def noting(task, code, card, context, calls):
        for call in calls if code == written.encode() else ():  # not those of the tracer
            case_id = call.id.removesuffix("-0")
            kind = suite_of.get(case_id) or ("draws" if "draw" in case_id else Suite.ADVERSARIAL)
            seeds.setdefault(kind, set()).add(call.hash_seed)
        return execute(task, code, card, context, calls)

    suite_of = {case.id: case.suite for case in loaded.plan.cases}
    monkeypatch.setattr(running, "_execute", noting)
    written = (loaded.card.folder / "reference.py").read_text()
    running.run_functions(candidate(written), context)
    assert {len(found) for found in seeds.values()} == {1}
    assert seeds[Suite.VISIBLE] == seeds[Suite.HIDDEN]
    assert len({*seeds[Suite.HIDDEN], *seeds[Suite.ADVERSARIAL], *seeds["draws"]}) == 3
