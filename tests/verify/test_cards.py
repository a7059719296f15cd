"""The contract of every problem card: right work passes, wrong work is caught and named."""

import pickle
import re
import sys
import time
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest

import biomlbench.tasks
import biomlbench.verify
from biomlbench.sandbox.codec import encode
from biomlbench.verify import card, compute, decide, evidence, impure, judge, promises, stock
from biomlbench.verify.execution import in_process, in_sandbox, preload_for
from biomlbench.verify.modes import get_mode
from tests.shared import once

KERNELS = Path(biomlbench.tasks.__file__).parent / "kernels"
TEMPLATE = Path(biomlbench.verify.__file__).parent / "template"
FOLDERS = [TEMPLATE, *sorted(path.parent for path in KERNELS.glob("*/verifier.yaml"))]
NAMES = [folder.name for folder in FOLDERS]
# All tests of a card one after another, so that one worker needs what they share, and not each.
every_card = pytest.mark.parametrize("name", NAMES, scope="module")
QUICK = (TEMPLATE.name, "kabsch-rmsd")
"""Cards of which everything is looked at by the fast tests; of others by the slow ones."""
every_card_in_full = pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in NAMES],
    scope="module",
)


OTHER_TYPES = """

import collections as _collections

import numpy as _np


def _as_stated(value):
    if isinstance(value, dict):
        made = {}(type(None))
        made.update((_as_stated(key), _as_stated(item)) for key, item in value.items())
        return made
    if isinstance(value, (list, tuple)):
        return type(value)(map(_as_stated, value))
    if isinstance(value, (float, int)) and not isinstance(value, bool):
        return {}(value)
    return value


def _number(value):
    return int(value) if value == value // 1 and abs(value) < 2**60 else value


def _numpy(value):
    return _np.float64(value) if isinstance(value, float) else _whole(value)


def _array(value):
    made = _np.array(_numpy(value))
    return value if made.dtype == object else made  # a whole number beyond 64 bits has no array


def _whole(value):
    return _np.int64(value) if abs(value) < 2**60 else value
"""


def with_other_libraries():
    """Name the cards whose right solutions import what those of no card before do."""
    seen, found = {"numpy"}, []
    for folder in FOLDERS:
        texts = [path.read_text() for path in folder.glob("solutions/right/*.py")]
        names = {n for t in texts for n in re.findall(r"^(?:import|from) (\S+)", t, re.MULTILINE)}
        if needed := {n for n in names if n.split(".")[0] not in sys.stdlib_module_names} - seen:
            found.append(folder.name)
            seen |= needed
    return [TEMPLATE.name, *found]


def sandbox_or_skip():
    from biomlbench import sandbox

    try:
        from biomlbench.sandbox import providers

        providers.choose("auto")
    except sandbox.SandboxUnavailable as error:
        pytest.skip(f"no sandbox on this host: {error}")


@cache
def prepared(name):
    loaded = card.load(FOLDERS[NAMES.index(name)])
    # other work on the machine must not make the reference seem slow
    return loaded, compute(loaded, clock=time.process_time)


def kill_matrix(loaded, oracle):
    """The reference on all cases; right solutions on all but the largest tenth, where plain loops
    take minutes and which `biomlbench evidence` runs; wrong ones on as many as catch them.

    What a check catches on some of the cases, it catches on all of them.
    """
    plan = loaded.plan()
    executed = partial(in_process, sent={})
    own = evidence.kill_matrix(loaded, in_process, oracle=oracle, only=["reference"])
    right = [s.name for s in loaded.solutions if s.right and s.name != "reference"]
    few = with_small_cases(plan, 0.9)
    found = evidence.kill_matrix(loaded, executed, plan=few, oracle=oracle, only=right)
    rest = [solution.name for solution in loaded.solutions if not solution.right]
    rest += [f"stock/{name}" for name in (*stock.NAMES, *impure.fitting(plan, oracle))]
    rows = [*own.rows, *found.rows]
    for share in (0.1, 0.5, 0.9, 1):
        few = with_small_cases(plan, share)
        found = evidence.kill_matrix(loaded, executed, plan=few, oracle=oracle, only=rest)
        # with more cases what fails in part could only fail for good, which stock ones must
        enough = {"fail"} if share < 0.5 else {"fail", "partial"}
        clear = [
            row
            for row in found.rows
            if not row.problems
            and row.verdict in ({"fail"} if row.solution.startswith("stock/") else enough)
        ]
        rows += found.rows if share == 1 else clear
        rest = [name for name in rest if name not in {row.solution for row in rows}]
    return replace(found, rows=tuple(rows))


def with_small_cases(plan, share):
    """Return a plan with a share of the cases, visible and small ones; some for every check."""
    size = {case.id: len(pickle.dumps((case.args, case.kwargs))) for case in plan.calls}
    limit = np.quantile(list(size.values()), share)
    kept = {c.id for c in plan.calls if size[c.id] <= limit or c.suite == "visible"}
    for units in plan.units.values():
        groups = [(unit.case_id, *unit.variant_ids) for unit in units]
        for group in sorted(groups, key=lambda ids: sum(size[i] for i in ids))[:2]:
            kept.update(group)
    kept |= {name for name, steps in plan.sequences.items() if kept.issuperset(steps)}
    return replace(
        plan,
        cases=tuple(case for case in plan.cases if case.id in kept),
        units={
            key: tuple(u for u in units if kept.issuperset((u.case_id, *u.variant_ids)))
            for key, units in plan.units.items()
        },
        same_as={i: other for i, other in plan.same_as.items() if kept.issuperset((i, other))},
        sequences={i: steps for i, steps in plan.sequences.items() if i in kept},
    )


@pytest.fixture(scope="module")
def kills(tmp_path_factory):
    """Return the kill matrix of a card, which one worker makes and the others read."""

    @cache
    def of(name):
        def make(folder):
            found = kill_matrix(*prepared(name))
            (folder / "matrix.pickle").write_bytes(pickle.dumps(found))

        folder = once(tmp_path_factory, f"kill-matrix-{name}", make)
        return pickle.loads((folder / "matrix.pickle").read_bytes())

    return of


@every_card
def test_evidence_is_complete(name):
    found = evidence.matrix(FOLDERS[NAMES.index(name)])
    assert found.complete, found.missing
    assert evidence.missing(FOLDERS[NAMES.index(name)]) == []


@every_card_in_full
def test_right_solutions_pass_and_known_bad_ones_are_caught_as_they_claim(name, kills):
    assert kills(name).problems == []


@every_card_in_full
def test_every_deciding_check_catches_something(name, kills):
    assert kills(name).idle == []


@every_card_in_full
def test_stock_candidates_fail(name, kills):
    verdicts = {row.solution: row.verdict for row in kills(name).rows}
    found = {stock_name: verdicts[f"stock/{stock_name}"] for stock_name in stock.NAMES}
    # echoing is the right answer where the input is its own result
    assert set(found.values()) == {"fail"}, found


@every_card_in_full
def test_right_values_with_side_effects_fail(name, kills):
    loaded, oracle = prepared(name)
    verdicts = {row.solution: row.verdict for row in kills(name).rows}
    found = {n: verdicts[f"stock/{n}"] for n in impure.fitting(loaded.plan(), oracle)}
    assert found
    assert set(found.values()) == {"fail"}, found


@every_card
def test_every_promise_has_a_case_and_no_case_lies_outside(name):
    assert promises.problems(prepared(name)[0]) == []


@every_card_in_full
def test_a_known_bad_is_caught_by_a_check_of_a_mode_that_it_claims(name, kills):
    modes = {name: mode for name, mode, _ in kills(name).checks}
    for row in kills(name).rows:
        if row.claims:
            claimed = {modes.get(claim, claim) for claim in row.claims}
            assert claimed & {modes[check] for check in row.caught_by}, row.solution


@every_card_in_full
def test_right_solutions_keep_a_margin(name, kills):
    for row in kills(name).rows:
        if row.right:
            margins = {o.check: o.margin for o in row.outcomes if o.margin is not None}
            assert min(margins.values()) >= 0.5, (row.solution, margins)


@every_card
def test_the_plan_is_of_a_size_that_can_be_executed_quickly(name):
    plan = prepared(name)[0].plan()
    assert len(plan.suite("hidden")) >= 12
    assert len(plan.suite("visible")) >= 1
    # each entry point has sequences of large calls, and near draws of each of its arguments
    assert len(plan.cases) - len(plan.edges) <= 280
    assert 10 <= len(plan.edges) <= 300


@every_card_in_full
def test_the_plan_and_the_oracle_are_the_same_every_time(name):
    loaded, oracle = prepared(name)
    again = card.load(loaded.folder)
    assert again.plan().fingerprint == loaded.plan().fingerprint
    assert encode(compute(again).values) == encode(oracle.values)


@every_card
def test_the_reference_leaves_its_inputs_alone(name):
    loaded, _ = prepared(name)
    before = loaded.plan().fingerprint
    for case in loaded.plan().calls:
        called = encode([list(case.args), case.kwargs])
        loaded.reference[case.function](*case.args, **case.kwargs)
        assert encode([list(case.args), case.kwargs]) == called, case.name
    assert loaded.plan().fingerprint == before


@every_card
def test_the_description_states_the_signature_and_an_example(name):
    loaded, _ = prepared(name)
    text = (loaded.folder / "description.md").read_text()
    for function in loaded.entry_points:
        assert f"def {function}(" in text
        assert "->" in text
    assert "xample" in text


@every_card
def test_complex_cards_have_independent_channels(name):
    loaded, _ = prepared(name)
    modes = {check.mode for check in loaded.checks if check.decides}
    assert modes & {"exact_match", "numeric_tolerance"}
    assert modes & {"property_based", "metamorphic"}
    assert any(get_mode(check.mode).SEMANTIC for check in loaded.checks)


@every_card_in_full
def test_in_the_sandbox_the_reference_passes(name):
    sandbox_or_skip()
    loaded, oracle = prepared(name)
    plan = loaded.plan()
    outputs = in_sandbox(loaded.folder / "reference.py", plan.cases, loaded)
    rows = judge(loaded, plan, oracle, outputs)
    assert decide(rows).verdict == "pass", [row for row in rows if row.outcome != "passed"]


@pytest.mark.parametrize("cheat", stock.NAMES)
def test_in_the_sandbox_a_cheat_fails(cheat, tmp_path):
    sandbox_or_skip()
    loaded, oracle = prepared("template")
    plan = loaded.plan()
    path = stock.write(tmp_path, loaded, plan, oracle)[cheat]
    rows = judge(loaded, plan, oracle, in_sandbox(path, plan.cases, loaded))
    assert decide(rows).verdict == "fail"


@pytest.mark.slow
@pytest.mark.parametrize("name", with_other_libraries(), scope="module")
def test_in_the_sandbox_solutions_get_the_verdict_they_get_here(name, kills):
    """A right one of each set of libraries, and a wrong one; of the template many wrong ones.

    What the sandbox does to wrong values is the same for every card, and what it does to code of
    the reference's own means is shown by the reference, which has a test of its own. That right
    ones pass here and wrong ones do not is what the kill matrix shows.
    """
    sandbox_or_skip()
    loaded, oracle = prepared(name)
    means = {preload_for(loaded, s.path.read_bytes()): s for s in loaded.solutions[::-1] if s.right}
    right = [s.name for s in means.values() if s.name != "reference"]
    here = {next(s.name for s in loaded.solutions if not s.right): None}
    plan = with_small_cases(loaded.plan(), 0.5)
    if name == TEMPLATE.name:
        plan = loaded.plan()
        rows = [row for row in kills(name).rows if not row.right]
        caught = sorted({row.caught_by: row for row in rows}.items())
        here = {row.solution: row.verdict for _, row in caught[:: max(1, len(caught) // 4)]}
    found = evidence.kill_matrix(
        loaded, in_sandbox, plan=plan, oracle=oracle, only=[*right, *here]
    ).rows
    assert {row.solution for row in found} == {*right, *here}
    assert [text for row in found if row.right for text in row.problems] == []
    verdicts = {row.solution: row.verdict for row in found if not row.right}
    assert "pass" not in verdicts.values()
    assert all(here[name] in (None, verdict) for name, verdict in verdicts.items())


@pytest.mark.parametrize("types", ["_number", "_numpy", "_array"])
@every_card_in_full
def test_numbers_and_dicts_may_be_of_the_types_that_statements_name(name, types, tmp_path):
    loaded, oracle = prepared(name)
    code = (loaded.folder / "reference.py").read_text() + OTHER_TYPES.replace(
        "{}(type(None))", "_collections.defaultdict(None)"
    ).replace("{}(value)", f"{types}(value)")
    for function in loaded.entry_points:
        code += f"\n_own_{function} = {function}\n\n\ndef {function}(*args, **kwargs):\n"
        code += f"    return _as_stated(_own_{function}(*args, **kwargs))\n"
    path = tmp_path / "candidate.py"
    path.write_text(code)
    plan = with_small_cases(loaded.plan(), 0.8)
    rows = judge(loaded, plan, oracle, in_process(path, plan.cases, loaded))
    assert decide(rows).verdict == "pass", [row for row in rows if row.outcome == "failed"]
