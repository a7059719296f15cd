import itertools
from types import SimpleNamespace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from biomlbench.outcomes import Outcome, Reason
from biomlbench.verify import modes
from biomlbench.verify.modes import all_modes
from biomlbench.verify.policy import GATE, TABLE, CheckOutcome, decide

MODES = [*all_modes(), GATE]
SEVERITIES = ["blocker", "critical", "advisory"]
OUTCOMES = [str(outcome) for outcome in Outcome]

rows = st.builds(
    CheckOutcome,
    check=st.sampled_from("abcd"),
    suite=st.sampled_from(["visible", "hidden", "adversarial"]),
    mode=st.sampled_from(MODES),
    severity=st.sampled_from(SEVERITIES),
    outcome=st.sampled_from(OUTCOMES),
    reason=st.sampled_from([str(reason) for reason in Reason]),
    message=st.just(""),
    margin=st.none(),
    weight=st.floats(0, 10),
    pattern=st.just(""),
)
tables = st.lists(rows, max_size=12)


def make(**changes):
    base = CheckOutcome("a", "hidden", "exact_match", "blocker", "passed", "ok", "", 1.0, 1.0, "")
    return base._replace(**changes)


@given(tables, rows)
def test_any_blocker_failure_gives_fail(table, row):
    bad = row._replace(severity="blocker", outcome="failed")
    assert decide([*table, bad]).verdict == "fail"


@given(tables)
def test_all_pass_gives_pass(table):
    good = [row._replace(outcome="passed") for row in table]
    assert decide([*good, make()]) == ("pass", ["ok"], decide([*good, make()]).hidden_score)


@given(tables, rows)
def test_a_critical_failure_never_gives_pass(table, row):
    bad = row._replace(severity="critical", outcome="failed")
    assert decide([*table, bad]).verdict != "pass"


@given(tables, st.lists(rows, max_size=5))
def test_an_advisory_row_never_changes_anything(table, more):
    advisory = [row._replace(severity="advisory") for row in more]
    assert decide([*table, *advisory]) == decide(table)


@given(tables)
def test_a_shape_guard_alone_never_gives_pass(table):
    guards = [row._replace(mode="shape_guard", outcome="passed") for row in table]
    assert decide(guards).verdict == "partial"


def test_a_mode_says_itself_whether_it_is_evidence(monkeypatch):
    """One that does not look at values never makes a pass, whatever it is called."""
    found = {}
    for semantic in (True, False, "yes", None):
        shape_like = SimpleNamespace(MODE="has_columns", SEMANTIC=semantic)
        monkeypatch.setattr(modes, "all_modes", lambda mode=shape_like: {"has_columns": mode})
        found[semantic] = decide([make(mode="has_columns")]).verdict
        failed = make(mode="has_columns", severity="critical", outcome="failed")
        assert decide([failed]).verdict == ("partial" if semantic is True else "fail")
    assert found == {True: "pass", False: "partial", "yes": "partial", None: "partial"}


def test_an_unknown_mode_is_no_evidence():
    with pytest.raises(KeyError):
        decide([make(mode="hearsay")])


@given(tables)
def test_what_was_not_carried_out_never_gives_pass(table):
    assume(any(r.outcome in ("skipped", "error") and r.severity != "advisory" for r in table))
    assert decide(table).verdict != "pass"


@given(tables)
def test_reasons_are_those_of_rows_that_decided(table):
    verdict = decide(table)
    assert verdict.reasons
    assert len(set(verdict.reasons)) == len(verdict.reasons)
    if verdict.verdict == "pass":
        assert verdict.reasons == ["ok"]
    else:
        known = {r.reason for r in table if r.outcome != "passed" and r.severity != "advisory"}
        assert set(verdict.reasons) <= known | {"not_reached"}


@given(tables)
def test_order_of_rows_does_not_change_verdict_or_score(table):
    a, b = decide(table), decide(table[::-1])
    assert a.verdict == b.verdict
    assert set(a.reasons) == set(b.reasons)
    assert (a.hidden_score is None) == (b.hidden_score is None)


@given(tables)
def test_one_more_failure_never_improves_the_verdict(table):
    rank = {"fail": 0, "partial": 1, "pass": 2}
    before = rank[decide(table).verdict]
    for i, row in enumerate(table):
        if row.outcome == "passed":
            worse = [*table[:i], row._replace(outcome="failed"), *table[i + 1 :]]
            assert rank[decide(worse).verdict] <= before


def test_table_is_complete():
    wanted = itertools.product((GATE, "guard", "semantic"), SEVERITIES, Outcome)
    assert set(TABLE) == {(kind, severity, outcome) for kind, severity, outcome in wanted}


def test_partial_needs_the_right_form():
    guard = make(mode="shape_guard", severity="critical", outcome="failed", reason="wrong_shape")
    assert decide([make(), guard]).verdict == "fail"
    semantic = make(severity="critical", outcome="failed", reason="property_violated")
    assert decide([make(), semantic]).verdict == "partial"
    assert decide([make(), semantic]).reasons == ["property_violated"]


def test_a_grader_error_is_not_booked_on_the_submission():
    broken = make(outcome="error", reason="grader_error")
    verdict = decide([make(), broken])
    assert (verdict.verdict, verdict.reasons) == ("partial", ["grader_error"])
    assert verdict.hidden_score == 1.0


def test_hidden_score_is_the_weighted_share():
    table = [
        make(weight=3.0),
        make(weight=1.0, severity="critical", outcome="failed"),
        make(weight=99.0, suite="adversarial", severity="critical", outcome="failed"),
        make(weight=99.0, severity="advisory", outcome="failed"),
    ]
    assert decide(table).hidden_score == 0.75
    assert decide([make(suite="visible")]).hidden_score is None


def test_nothing_at_all_is_no_evidence():
    assert decide([]) == ("partial", ["not_reached"], None)
