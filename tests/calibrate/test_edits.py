import pytest
from click.testing import CliRunner

from biomlbench.calibrate import edits, proposals, weekly
from biomlbench.calibrate.thresholds import of_check, with_checks
from biomlbench.cli import _cli
from biomlbench.contracts import from_rows, write_table
from biomlbench.errors import TaskError
from biomlbench.stages import Context
from biomlbench.verify.card import load

TEXT = """\
# head
checks:
  - {name: flow, mode: exact_match, atol: 1.0e-3}   # in a flow
  - name: block   # named
    mode: metamorphic
    transform: twice
    relation: unchanged   # bare
    catches: [one,   two,
              three]
  - name: named
    relation: {name: unchanged, atol: 1.0e-8}
"""


@pytest.mark.parametrize(
    ("check", "change", "old", "new"),
    [
        ("flow", {"atol": 0.5}, "atol: 1.0e-3}", "atol: 5.0e-01}"),
        (
            "block",
            {"relation.atol": 1e-6},
            "relation: unchanged ",
            "relation: {name: unchanged, atol: 1.0e-06} ",
        ),
        ("named", {"relation.atol": 1e-6}, "atol: 1.0e-8}", "atol: 1.0e-06}"),
        (
            "named",
            {"relation.rtol": 1e-6},
            "{name: unchanged, atol",
            "{rtol: 1.0e-06, name: unchanged, atol",
        ),
        (
            "block",
            {"severity": "advisory"},
            "block   # named\n",
            "block   # named\n    severity: advisory\n",
        ),
    ],
)
def test_only_the_value_changes(check, change, old, new):
    assert TEXT.count(old) == 1
    assert edits.edited(TEXT, check, change) == TEXT.replace(old, new)


def test_a_check_that_is_not_there():
    with pytest.raises(TaskError, match="no check `nobody`"):
        edits.edited(TEXT, "nobody", {"atol": 1.0})


def test_a_change_that_breaks_a_rule_leaves_the_file(planted):
    path = planted / "kernels" / "shares" / "verifier.yaml"
    before = path.read_text()
    with pytest.raises(TaskError, match="was left as it is"):
        edits.apply(path, "oracle", {"severity": "advisory"})
    assert path.read_text() == before
    assert sorted(p.name for p in path.parent.glob("*.yaml")) == ["config.yaml", "verifier.yaml"]
    edits.apply(path, "large", {"rtol": 1e-6})
    card = load(path.parent)
    assert of_check(card, card.checks[1]) == {"rtol": 1e-6}


def test_thresholds_of_relations_and_their_defaults(planted):
    card = load(planted / "kernels" / "shares")
    relation = with_checks(card, {"range": {"relation": "unchanged"}})
    found = of_check(relation, relation.checks[2])
    assert set(found) >= {"relation.atol", "relation.rtol"}
    changed = with_checks(relation, {"range": {"relation.atol": 3.0, "severity": "advisory"}})
    assert of_check(changed, changed.checks[2])["relation.atol"] == 3.0
    assert changed.checks[2].severity == "advisory"


def _margin(check, label, solution, deviation):
    return {
        "task_id": "t",
        "check": check,
        "label": label,
        "solution": solution,
        "deviation": deviation,
    }


def _kill(check, solution):
    return {"task_id": "t", "check": check, "solution": solution, "killed": True}


@pytest.fixture
def card(planted):
    return load(planted / "kernels" / "shares")


def test_a_proposal_is_never_written_over(tmp_path):
    results = tmp_path / "results"
    week = {"scope": "overall", "name": "overall", "kind": "false_pass", "errors": 0, "n": 1}
    tables = {"rates": [{**week, "week": "2025-W14", "low": 0.0, "high": 1.0}]}
    for name in ("rates", "kills", "margins", "flakes"):
        rows = from_rows(name, tables.get(name, []))
        write_table(name, rows, results / "calibration" / f"{name}.parquet")
    first = weekly.write_proposal(results, Context())
    assert weekly.write_proposal(results, Context()) == first
    edited = first.read_text() + "# what was wanted\n"
    first.write_text(edited)
    second = weekly.write_proposal(results, Context())
    assert (first.name, second.name) == ("proposal.yaml", "proposal-2.yaml")
    assert first.read_text() == edited
    assert "Proposal 2 of this week: the earlier ones" in second.read_text()
    assert f"calibrate apply {second}" in second.read_text()
    assert weekly.read_proposal(second) == []
    said = CliRunner().invoke(_cli, ["calibrate", "propose", "--results", str(results)])
    assert "a further proposal of this week" in said.output


def test_the_proposal_lies_between_right_and_wrong(card):
    margins = [_margin("oracle", "right", "a", 1e-6), _margin("oracle", "wrong", "b", 1e-2)]
    (found,) = proposals.propose("t", card, margins, [])
    assert (found.action, found.separates, found.wrong_passed) == ("tighten", (1e-6, 1e-2), ["b"])
    assert found.proposed == {"atol": pytest.approx(1e-1 * 1e-4)}


def test_what_another_check_catches_does_not_need_this_one(card):
    margins = [_margin("oracle", "right", "a", 1e-6), _margin("oracle", "wrong", "b", 1e-2)]
    assert proposals.propose("t", card, margins, [_kill("range", "b")]) == []
    # unless that other one is flaky
    flake = {"task_id": "t", "check": "range", "rate": 0.2, "low": 0.1, "high": 0.3, "runs": 10,
             "disagreements": 2, "causes": ["load"]}  # fmt: skip
    found = proposals.propose("t", card, margins, [_kill("range", "b")], [flake])
    assert [p.action for p in found] == ["tighten", "advisory"]
    assert proposals.propose("t", card, margins, [_kill("range", "b")], [flake], 0.25) == []


def test_too_tight_is_loosened_by_room_or_to_the_middle(card):
    margins = [_margin("large", "right", "a", 1e4)]
    (found,) = proposals.propose("t", card, margins, [])
    assert (found.action, found.right_failed) == ("loosen", ["a"])
    assert found.proposed == {"rtol": pytest.approx(1e-12 * 1e5)}
    margins += [_margin("large", "wrong", "b", 1e6), _margin("large", "wrong", "c", 10.0)]
    (found,) = proposals.propose("t", card, margins, [])
    assert found.proposed == {"rtol": pytest.approx(1e-12 * 1e5)}
    assert found.inseparable == ["c"]


@pytest.mark.parametrize(
    ("check", "change", "deviation", "is_doubtful"),
    [
        ("large", {}, 5e8, False),
        ("large", {}, 2.7e11, True),
        ("large", {}, float("inf"), True),
        ("large", {"rtol": 1e-2}, 5.0, False),
        ("large", {"rtol": 1e-2}, 100.0, True),  # as far off as the value itself
        ("oracle", {"atol": 1e-8}, 1e8, False),
        ("oracle", {"atol": 1e-8, "rtol": 1e-7}, 1e4, False),
        ("oracle", {"atol": 1e-8}, 1e9, True),
    ],
)
def test_right_work_that_is_far_off_is_a_label_to_look_at(
    card, check, change, deviation, is_doubtful
):
    margins = [_margin(check, "right", "a", deviation), _margin(check, "right", "b", 2.0)]
    (found,) = proposals.propose("t", with_checks(card, {check: change}), margins, [])
    assert found.right_failed == ["a", "b"]
    assert bool(found.proposed) != is_doubtful
    assert ("look first at the label" in found.why) == is_doubtful
    if is_doubtful:
        assert found.action == "look"
        assert "fail it, a by up to" in found.why
        assert "numeric_tolerance" not in found.why


@pytest.mark.parametrize(
    ("change", "wrong", "told"),
    [
        # what is far off of 0 only, no limit that scales with the value has to make room for
        ({"atol": 1e-8, "rtol": 1e-2}, {}, "`rtol` would be 1000,"),
        ({"atol": 1e-8, "ulp": 1e12}, {}, "`ulp` would be 1e+17,"),
        ({"atol": 1e-8}, {"b": 3e4}, "no wrong control would fail it any more"),
        ({"atol": 1e-8}, {"b": 3e4, "c": 2e5}, None),
        ({"atol": 1e-8}, {"b": 0.5}, None),
    ],
)
def test_no_check_is_loosened_until_nothing_fails_it(card, change, wrong, told):
    margins = [_margin("oracle", "right", "a", 1e4)]
    margins += [_margin("oracle", "wrong", name, value) for name, value in wrong.items()]
    kills = [_kill("range", name) for name in wrong]
    (found,) = proposals.propose("t", with_checks(card, {"oracle": change}), margins, kills)
    assert (found.action, not found.proposed) == (
        ("loosen", False) if told is None else ("look", True)
    )
    if told is not None:
        assert told in found.why
        assert "look at this check" in found.why


def test_nothing_is_proposed_where_nothing_is_wrong(card):
    margins = [_margin("oracle", "right", "a", 0.5), _margin("oracle", "wrong", "b", 1.5)]
    assert proposals.propose("t", card, margins, []) == []


def test_rounding_is_no_reason_to_tighten(card):
    margins = [_margin("large", "right", "a", 0.0), _margin("large", "wrong", "b", 0.1)]
    (found,) = proposals.propose("t", card, margins, [])
    assert (found.action, found.proposed, found.wrong_passed) == ("look", {}, ["b"])
    assert "need another case" in found.why
