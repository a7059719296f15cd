import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomlbench.outcomes import Verifier
from biomlbench.sandbox import STATUSES
from biomlbench.sandbox.codec import CodecError, decode
from biomlbench.sandbox.inside import calls
from biomlbench.sandbox.requests import prepare
from biomlbench.verify import card, compute, decide, evaluate, feedback, judge, local, v1
from biomlbench.verify.evidence import refusing
from biomlbench.verify.library import Library
from biomlbench.verify.modes import get_mode
from biomlbench.verify.oracle import load as load_oracle


@pytest.fixture(scope="module")
def prepared(template_card):
    plan = template_card.plan()
    return template_card, plan, compute(template_card, plan)


def outputs(plan, function):
    """What a Python function gives for every case, as the sandbox would hand it over."""
    found = {}
    for case in plan.cases:
        sent = prepare(case)
        try:
            _, payload = calls.run(lambda _: function, sent.function, sent.body)
            found[case.id] = SimpleNamespace(status="ok", value=decode(payload))
        except Exception:
            found[case.id] = SimpleNamespace(status="exception", value=None)
    return found


def reference(card_):
    return card_.reference["gc_content"]


def rows_of(rows, **wanted):
    return [r for r in rows if all(getattr(r, key) == value for key, value in wanted.items())]


def test_a_right_candidate_passes_with_full_margins(prepared):
    card_, plan, oracle = prepared
    rows = judge(card_, plan, oracle, outputs(plan, reference(card_)))
    assert decide(rows) == ("pass", ["ok"], 1.0)
    assert {row.outcome for row in rows} == {"passed"}
    assert rows_of(rows, check="oracle")[0].margin == 1.0


def test_rows_come_in_the_order_of_the_file(prepared):
    card_, plan, oracle = prepared
    rows = judge(card_, plan, oracle, outputs(plan, reference(card_)))
    expected = [(c.name, s) for c in card_.checks for s in c.suites]
    assert [(r.check, r.suite) for r in rows if r.mode != "gate"] == expected
    suites = ["visible", "hidden", "adversarial"]
    gates = [(r.check, r.suite) for r in rows if r.mode == "gate"]
    assert gates == [
        *(("runs", suite) for suite in suites),
        *(("keeps-arguments", suite) for suite in suites),
        ("keeps-no-state", "adversarial"),
    ]


def test_a_candidate_without_any_output_fails_and_reaches_no_check(prepared):
    card_, plan, oracle = prepared
    lost = {case.id: SimpleNamespace(status="syntax_error", value=None) for case in plan.cases}
    rows = judge(card_, plan, oracle, lost)
    assert decide(rows) == ("fail", ["syntax_error"], 0.0)
    checks = [row for row in rows if row.mode != "gate"]
    assert {row.outcome for row in checks} == {"skipped"}
    assert {row.reason for row in checks} == {"not_reached"}


def test_a_case_that_is_not_there_counts_as_crashed(prepared):
    card_, plan, oracle = prepared
    assert decide(judge(card_, plan, oracle, {})).reasons == ["crashed"]


def test_infrastructure_is_not_booked_on_the_candidate(prepared):
    card_, plan, oracle = prepared
    found = outputs(plan, reference(card_))
    found[plan.suite("hidden")[0].id] = SimpleNamespace(status="stage_failed", value=None)
    rows = judge(card_, plan, oracle, found)
    gate = rows_of(rows, mode="gate", suite="hidden")[0]
    assert (gate.outcome, gate.reason) == ("error", "stage_failed")
    assert decide(rows).verdict == "partial"


@pytest.mark.parametrize(
    ("counts", "fits"), [([1, 2], False), ("int32", False), ("int64", True), (None, False)]
)
def test_arrays_of_a_dict_have_the_declared_dtypes(counts, fits):
    value = np.array([1, 2], dtype=counts) if isinstance(counts, str) else counts
    expected = {"counts": np.array([1, 2])}
    check = SimpleNamespace(options={"kind": "dict", "dtypes": {"counts": "int64"}})
    unit = SimpleNamespace(output={"counts": value}, expected=expected)
    assert get_mode("shape_guard").judge(check, unit, None).ok == fits


@pytest.mark.parametrize(
    ("got", "fits"),
    [
        ([("a", 1)], True),
        ([("a", np.int64(1))], True),
        ([("a", 1.0)], False),
        ([["a", 1]], False),
        ((("a", 1),), False),
    ],
)
def test_types_are_declared_where_lists_are_no_tuples_and_counts_whole(got, fits):
    check = SimpleNamespace(options={"types": True, "lengths_free": True})
    unit = SimpleNamespace(output=got, expected=[("b", 2)])
    assert get_mode("shape_guard").judge(check, unit, None).ok == fits


@pytest.mark.parametrize("wrap", [lambda x: {"a": x}, lambda x: ({"a": {"b": [x]}},)])
@pytest.mark.parametrize(
    ("got", "want"),
    [
        ("1.5", 1.5),
        (None, 1.5),
        (True, 1),
        (np.array([1.5]), 1.5),
        ([1.5], np.array([1.5])),
        (np.array(["1"]), np.array([1.5])),
        ({"c": 1}, [1]),
    ],
)
def test_types_are_told_apart_at_every_depth(wrap, got, want):
    check = SimpleNamespace(options={"types": True})
    for value, fits in ((got, False), (want, True)):
        unit = SimpleNamespace(output=wrap(value), expected=wrap(want))
        assert get_mode("shape_guard").judge(check, unit, None).ok is fits


def test_a_complex_number_is_no_number_that_is_declared():
    for value, fits in ((0.5, True), (0, True), (0.5 + 0j, False)):
        unit = SimpleNamespace(output=value, expected=0.5)
        check = SimpleNamespace(options={"kind": "number"})
        assert get_mode("shape_guard").judge(check, unit, None).ok == fits


def test_what_a_shape_guard_refuses_is_looked_at_no_further(prepared):
    card_, plan, oracle = prepared
    rows = judge(card_, plan, oracle, outputs(plan, lambda sequence: "0.5"))
    assert {row.outcome for row in rows_of(rows, check="form")} == {"failed"}
    assert {row.outcome for row in rows_of(rows, check="oracle")} == {"skipped"}
    assert decide(rows).verdict == "fail"


def test_a_value_that_cannot_be_decoded_is_malformed(prepared):
    card_, plan, oracle = prepared

    def broken():
        raise CodecError("bad bytes")

    found = outputs(plan, reference(card_))
    found[plan.suite("hidden")[0].id] = SimpleNamespace(status="ok", value=broken)
    verdict = decide(judge(card_, plan, oracle, found))
    assert (verdict.verdict, verdict.reasons) == ("fail", ["malformed_output"])


@pytest.mark.parametrize("value", [None, [], {}, "x", [[1], [2, 3]], {"a": {1}}, 1 + 2j, b"",
                                   math.nan, math.inf, 10**400, np.zeros(0), np.array("x"),
                                   [None], True, np.zeros((0, 3))])  # fmt: skip
def test_no_output_breaks_the_grader_or_passes(prepared, value):
    card_, plan, oracle = prepared
    rows = judge(card_, plan, oracle, outputs(plan, lambda sequence: value))
    assert {row.outcome for row in rows} <= {"passed", "failed", "skipped"}
    assert decide(rows).verdict == "fail"


def test_messages_about_hidden_cases_show_neither_inputs_nor_expected_values(prepared):
    card_, plan, oracle = prepared
    rows = judge(card_, plan, oracle, outputs(plan, lambda sequence: 2.0))
    secret = {f"{oracle.values[c.id]:.6g}" for c in plan.calls if c.suite != "visible"}
    secret |= {str(a) for c in plan.calls if c.suite != "visible" for a in c.args}
    secret = {text for text in secret if len(text) > 3}
    for row in rows:
        if row.suite != "visible":
            assert not any(text in row.message for text in secret)
    visible = rows_of(rows, check="oracle-visible")[0]
    assert re.search(r"expected 0\.\d+, got 2\.0", visible.message)


def test_the_candidates_words_are_kept_out_of_hidden_rows(prepared):
    card_, plan, oracle = prepared
    said = SimpleNamespace(status="exception", value=None, message="ValueError: SECRETINPUT")
    rows = judge(card_, plan, oracle, {case.id: said for case in plan.cases})
    assert not any("SECRETINPUT" in row.message for row in rows)
    told = feedback(card_, plan, oracle, {case.id: said for case in plan.cases})
    assert all("SECRETINPUT" in item.message for item in told)


def test_feedback_is_about_visible_cases_only(prepared):
    card_, plan, oracle = prepared
    told = feedback(card_, plan, oracle, outputs(plan, lambda sequence: 0.25))
    assert [item.case for item in told] == ["short", "unknown", "all"]
    assert {item.outcome for item in told} == {"failed"}
    assert told[2].expected == "1.0"
    assert told[2].got == "0.25"
    assert "GCGC" in told[2].inputs
    right = feedback(card_, plan, oracle, outputs(plan, reference(card_)))
    assert {item.outcome for item in right} == {"passed"}


def test_a_broken_property_is_the_graders_fault(template, change):
    (template / "properties.py").write_text(
        (template / "properties.py").read_text()
        + "\n\ndef broken(inputs, output):\n    raise RuntimeError\n"
    )
    change(template, "property: {name: bounded, low: 0, high: 1}", "property: broken")
    card_ = card.load(template)
    plan = card_.plan()
    rows = judge(card_, plan, compute(card_, plan), outputs(plan, reference(card_)))
    found = rows_of(rows, check="is-a-share")
    assert {(row.outcome, row.reason) for row in found} == {("error", "grader_error")}
    assert decide(rows).reasons == ["grader_error"]


def test_a_check_that_refuses_the_reference_is_the_cards_fault(template, change):
    change(template, "{name: bounded, low: 0, high: 1}", "{name: bounded, low: 0, high: 0.9}")
    card_ = card.load(template)
    plan = card_.plan()
    oracle = compute(card_, plan)
    rows = judge(card_, plan, oracle, outputs(plan, reference(card_)))
    found = rows_of(rows, check="is-a-share")
    assert {(row.outcome, row.reason) for row in found} == {("error", "reference_refused")}
    assert decide(rows)[:2] == ("partial", ["reference_refused"])
    assert refusing(card_, plan, oracle).endswith(": is-a-share")
    # what is wrong where the reference is right stays the candidate's own
    wrong = judge(card_, plan, oracle, outputs(plan, lambda sequence: 1.5))
    assert {row.outcome for row in rows_of(wrong, check="is-a-share")} == {"failed"}


def test_a_property_that_cannot_read_an_output_fails_the_candidate(template, change):
    change(template, "    severity: blocker\n    kind: number", "    severity: advisory\n    kind: "
           "number")  # fmt: skip
    card_ = card.load(template)
    plan = card_.plan()
    rows = judge(card_, plan, compute(card_, plan), outputs(plan, lambda sequence: "high"))
    assert {r.outcome for r in rows_of(rows, check="is-a-share")} == {"failed"}


def test_the_same_table_twice_and_from_a_stored_oracle(prepared, tmp_path):
    card_, plan, oracle = prepared
    path = tmp_path / "private" / "oracle.bin"
    oracle.save(path)
    stored = load_oracle(path)
    assert stored.belongs_to(card_, plan)
    found = outputs(plan, lambda sequence: 0.5)
    assert judge(card_, plan, oracle, found) == judge(card_, plan, stored, found)
    again = card.load(card_.folder)
    assert judge(again, again.plan(), stored, found) == judge(card_, plan, oracle, found)


def test_plan_ids_are_opaque_stable_and_in_an_order_that_tells_nothing(prepared):
    card_, plan, _ = prepared
    again = card.load(card_.folder).plan()
    assert [c.id for c in again.cases] == [c.id for c in plan.cases]
    assert again.fingerprint == plan.fingerprint
    assert all(re.fullmatch("[0-9a-f]{12}", c.id) for c in plan.cases)
    suites = [c.suite for c in plan.cases]
    assert suites != sorted(suites)


def test_another_reference_does_not_fit_a_stored_oracle(template, change):
    before = card.load(template)
    oracle = compute(before)
    change(template, '"""GC content of a DNA sequence."""', '"""Another text."""', "reference.py")
    after = card.load(template)
    assert not oracle.belongs_to(after, after.plan())


def test_v1_looks_at_visible_cases_only(prepared):
    card_, plan, oracle = prepared
    rows = v1.judge(plan, oracle, outputs(plan, reference(card_)))
    assert [row.check for row in rows] == ["runs", "v1-shape", "v1-allclose"]
    assert decide(rows).verdict == "pass"
    assert decide(v1.judge(plan, oracle, outputs(plan, lambda s: 0.5))).verdict == "fail"
    assert decide(v1.judge(plan, oracle, outputs(plan, lambda s: "x"))).verdict == "fail"
    assert decide(v1.judge(plan, oracle, {})).reasons == ["crashed"]


def upper_only(sequence):
    known = sum(sequence.count(base) for base in "ACGT")
    return (sequence.count("G") + sequence.count("C")) / known if known else 0.0


def test_shadow_decides_by_v1_and_reports_disagreement(prepared):
    card_, plan, oracle = prepared
    found = outputs(plan, upper_only)
    assert evaluate(card_, plan, oracle, found, Verifier.V1).decision.verdict == "pass"
    assert evaluate(card_, plan, oracle, found, Verifier.V2).decision.verdict == "fail"
    shadow = evaluate(card_, plan, oracle, found, Verifier.SHADOW)
    assert shadow.decision.verdict == "pass"
    agreement = rows_of(shadow.outcomes, check="shadow-agrees")[0]
    assert (agreement.outcome, agreement.severity) == ("failed", "advisory")
    assert agreement.message == "v1: pass; v2: fail (wrong_output)"
    right = evaluate(card_, plan, oracle, outputs(plan, reference(card_)), Verifier.SHADOW)
    assert rows_of(right.outcomes, check="shadow-agrees")[0].outcome == "passed"


def test_a_missing_function_is_named(tmp_path, prepared):
    card_, plan, oracle = prepared
    (tmp_path / "candidate.py").write_text("x = 1\n")
    rows = evaluate(card_, plan, oracle, local.run(tmp_path / "candidate.py", plan.cases)).outcomes
    gate = rows_of(rows, check="runs")[0]
    assert gate.reason == "missing_function"
    assert gate.message.endswith(" Missing: gc_content.")


@given(
    status=st.sampled_from(STATUSES[1:]),
    said=st.sampled_from(("all cases together leaked QQQQ 1.5 s", "QQQQ", "")),
    lost=st.sets(st.integers(0, 200), max_size=4),
)
def test_no_text_of_a_case_is_in_a_row_and_none_is_taken_for_the_graders(
    prepared, status, said, lost
):
    card_, plan, oracle = prepared
    found = outputs(plan, reference(card_))
    for number in lost:
        case = plan.cases[number % len(plan.cases)]
        if status != "input_modified":  # of which the outside finds out and writes the message
            found[case.id] = SimpleNamespace(status=status, value=None, message=said)
    for row in evaluate(card_, plan, oracle, found, Verifier.SHADOW).outcomes:
        assert "QQQQ" not in row.message
        assert "In all" not in row.message
        assert "Missing: ." not in row.message
        assert "+sequence" not in row.message


def test_a_function_that_one_case_claims_to_be_missing_is_not_named(prepared):
    card_, plan, oracle = prepared
    found = outputs(plan, reference(card_))
    case = plan.suite("hidden")[0]
    found[case.id] = SimpleNamespace(status="missing_function", value=None)
    rows = evaluate(card_, plan, oracle, found, Verifier.V2).outcomes
    gate = rows_of(rows, check="runs", suite="hidden")[0]
    assert gate.reason == "missing_function"
    assert "Missing" not in gate.message


def test_a_total_is_what_the_grader_says_is_one(prepared):
    card_, plan, oracle = prepared
    lost = SimpleNamespace(status="time_limit", value=None, total="all cases took 2 s")
    rows = evaluate(card_, plan, oracle, dict.fromkeys((c.id for c in plan.cases), lost)).outcomes
    gates = rows_of(rows, check="runs")
    assert gates
    assert all(row.message.endswith(" In all: all cases took 2 s.") for row in gates)


def test_local_runner_reports_what_the_sandbox_would(tmp_path, prepared):
    _, plan, _ = prepared
    case = plan.cases[:1]
    for text, status in [
        ("def gc_content(:\n", "syntax_error"),
        ("import nothing_there\n", "import_error"),
        ("x = 1\n", "missing_function"),
        ("def gc_content(s):\n    raise ValueError\n", "exception"),
        ("def gc_content(s):\n    return object()\n", "malformed_output"),
        ("def gc_content(s):\n    print('hi')\n    return 1.0\n", "ok"),
    ]:
        path = tmp_path / "candidate.py"
        path.write_text(text)
        assert local.run(path, case)[case[0].id].status == status


_ROWS = """
import json, sys
from pathlib import Path
from biomlbench.verify import card, compute, judge
from biomlbench.verify.execution import in_process

found = []
for folder in map(Path, sys.argv[1:]):
    loaded = card.load(folder)
    plan = loaded.plan()
    oracle = compute(loaded, plan)
    for solution in [one for one in loaded.solutions if one.right][:2]:
        rows = judge(loaded, plan, oracle, in_process(solution.path, plan.cases, loaded))
        found.append([list(row) for row in rows])
print(json.dumps(found))
"""


@pytest.mark.slow
def test_tables_do_not_depend_on_the_number_of_threads():
    import biomlbench.tasks

    kernels = Path(biomlbench.tasks.__file__).parent / "kernels"
    folders = [str(kernels / name) for name in ("kabsch-rmsd", "masked-attention-weights")]
    tables = []
    for threads in ("1", "4"):
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
        done = subprocess.run(
            [sys.executable, "-c", _ROWS, *folders],
            env={**os.environ, **dict.fromkeys(names, threads)},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        tables.append(json.loads(done.stdout))
    assert tables[0] == tables[1]
    assert len(tables[0]) == 4


@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: (1, x), lambda x: {"a": [x]}])
@pytest.mark.parametrize("real", [2.0, np.arange(3.0)])
def test_complex_numbers_are_not_of_the_type_of_real_ones(wrap, real):
    check = SimpleNamespace(options={})
    for got, passed in ((real, True), (real + 0j, False)):
        unit = SimpleNamespace(output=wrap(got), expected=wrap(real))
        assert get_mode("shape_guard").judge(check, unit, None).ok is passed
    both = SimpleNamespace(output=wrap(real + 1j), expected=wrap(real + 2j))
    assert get_mode("shape_guard").judge(check, both, None).ok


@pytest.mark.parametrize("mode", ["exact_match", "numeric_tolerance"])
@pytest.mark.parametrize(("size", "passed"), [(1.0, False), (1e6, True)])
def test_a_canonical_form_may_depend_on_the_inputs(mode, size, passed):
    library = Library(SimpleNamespace(in_units=lambda inputs, output: output / inputs["size"]))
    check = SimpleNamespace(options={"canonical": "in_units", "atol": 1e-3})
    unit = SimpleNamespace(inputs={"size": size}, output=1.0, expected=2.0)
    assert get_mode(mode).judge(check, unit, library).ok is passed
