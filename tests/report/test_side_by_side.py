"""Two agents side by side: who is ahead where, which runs belong together, which checks differ."""

import json

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from biomlbench.cli import _cli
from biomlbench.report.inputs import Tables
from biomlbench.report.side_by_side import (
    CRITERIA,
    NoSuchAgentError,
    best_pair,
    by_task,
    differing_checks,
    matched_runs,
)
from biomlbench.runtime.words import counted
from biomlbench.summary.agents import summarize_agents
from biomlbench.summary.level_means import level_mean
from tests.report import fixtures

CARD = "kernels/attention-weights"


@pytest.fixture(scope="module")
def tables():
    return fixtures.frames(165, calibrated=False)


def test_counts_are_those_of_the_runs(tables):
    found = {row["task_id"]: row for row in by_task(tables.pairs, "aide", "dummy")}
    assert set(found) == {task[0] for task in fixtures.TASKS}
    for task, row in found.items():
        for place, agent in enumerate(("aide", "dummy")):
            own = tables.runs[(tables.runs["task_id"] == task) & (tables.runs["agent"] == agent)]
            assert row["runs"][place] == len(own)
            assert row["passed"][place] == (own["verdict"] == "pass").sum()
    rmse = found["clinical/diabetes-progression"]
    own = tables.runs[tables.runs["task_id"] == "clinical/diabetes-progression"]
    passed = own[(own["agent"] == "aide") & (own["verdict"] == "pass")]
    assert rmse["best"][0] == passed["score"].min()
    assert found[CARD]["medal"] == found[CARD]["medal_rate"] == [None, None]
    assert None not in found[CARD]["pass_rate"]
    assert "aide" in {row["ahead"] for row in found.values()}


@settings(max_examples=10, deadline=None)
@given(st.permutations(sorted(fixtures.AGENTS)))
def test_the_other_way_round_is_its_mirror(tables, agents):
    one, two, *_ = agents
    forth, back = by_task(tables.pairs, one, two), by_task(tables.pairs, two, one)
    assert [row["ahead"] for row in forth] == [row["ahead"] for row in back]
    for left, right in zip(forth, back, strict=True):
        for name in ("runs", "passed", "best", "medal", "percentile"):
            assert left[name] == right[name][::-1]
    assert {row["ahead"] for row in by_task(tables.pairs, one, one)} <= {"level", None}


def test_what_decides_is_told_with_its_numbers(tables):
    decided = set()
    for other in ("dummy", "stella", "biomni"):
        for row in by_task(tables.pairs, "aide", other):
            assert (row["by"] == "") == (row["ahead"] in ("level", None))
            if not row["by"]:
                continue
            place = row["ahead"] == other
            one, two = (level_mean(value) for value in row[row["by"]])
            assert (one is None or two is None) or (one < two) == place or row["by"] == "best"
            before = CRITERIA[: CRITERIA.index(row["by"])]
            assert all(row[name][0] == pytest.approx(row[name][1]) for name in before)
            decided.add(row["by"])
    assert {"medal_rate", "pass_rate"} & decided


def test_versus_shows_what_decides(tmp_path):
    fixtures.write(tmp_path, 165)
    done = CliRunner().invoke(_cli, ["versus", "aide", "dummy", str(tmp_path)])
    assert all(word in done.stdout for word in ("medal", "rate", " by "))
    told = CliRunner().invoke(_cli, ["versus", "--help"]).stdout
    assert "more verified medals a fair run (medal_rate)" in " ".join(told.split())


def test_the_best_runs_are_beside_each_other_whatever_their_seeds(tables):
    """Those that the page shows rows of: passes before better scores without one."""
    task = "clinical/diabetes-progression"
    pairs = tables.pairs[tables.pairs["task_id"].eq(task)].copy()
    own = pairs.index[pairs["agent"].eq("aide")]
    pairs.loc[own, ["score", "verdict", "fault"]] = [50.0, "pass", "none"]
    pairs.loc[own[0], ["score", "verdict", "fault"]] = [1.0, "partial", "submission"]
    pairs.loc[own[1], "score"] = 40.0
    one, two = best_pair(pairs, task, "aide", "dummy")
    assert one["run_id"] == pairs.loc[own[1], "run_id"]
    (row,) = by_task(pairs, "aide", "dummy")
    assert row["best"] == [40.0, two["score"]]
    assert best_pair(pairs.assign(score=None), task, "aide", "dummy") is None


def test_versus_shows_the_best_runs_too(tmp_path):
    fixtures.write(tmp_path, 165)
    pairs = Tables.load(tmp_path).pairs
    task = "clinical/diabetes-progression"
    best = best_pair(pairs, task, "aide", "dummy")
    matched = matched_runs(pairs, task, "aide", "dummy")
    ids = [tuple(row["run_id"] for row in both) for both in (*matched, best)]
    words = ["versus", "aide", "dummy", str(tmp_path), "--task", task, "--rows", "0", "--json"]
    told = json.loads(CliRunner().invoke(_cli, words).stdout)
    shown = [tuple(row["run_id"] for row in item["runs"]) for item in told]
    assert shown == list(dict.fromkeys(ids))
    assert [ids for ids, item in zip(shown, told, strict=True) if item["best"]] == ids[-1:]


def test_lost_runs_decide_nothing(tables):
    lost = tables.pairs.copy()
    told = {"fault": "infrastructure", "verdict": "fail", "valid_submission": False}
    lost.loc[lost["agent"] == "dummy", list(told)] = list(told.values())
    assert {row["ahead"] for row in by_task(lost, "aide", "dummy")} == {None}


def test_an_invalid_run_has_the_percentile_nothing_as_in_the_agents_table(tables):
    task = "clinical/diabetes-progression"
    pairs = tables.pairs[tables.pairs["task_id"] == task].copy()
    own = pairs.index[(pairs["agent"] == "aide") & pairs["label"].isna()]
    assert len(own) > 1
    pairs.loc[own, ["fault", "valid_submission"]] = ["none", True]
    pairs.loc[own, "leaderboard_percentile"] = 60.0
    pairs.loc[own[0], ["fault", "valid_submission"]] = ["submission", False]
    pairs.loc[own[0], "leaderboard_percentile"] = float("nan")
    table = summarize_agents(pairs).set_index(["agent", "domain"])
    (row,) = by_task(pairs, "aide", "dummy")
    assert row["percentile"][0] == pytest.approx(60.0 * (len(own) - 1) / len(own))
    assert row["percentile"][0] == table.loc["aide", "all"]["leaderboard_percentile"]


def test_an_unknown_agent_has_near_ones_named(tables):
    with pytest.raises(NoSuchAgentError, match="no run is of agent 'aidee'; there are aide"):
        by_task(tables.pairs, "aide", "aidee")
    many = tables.pairs.assign(agent=[f"agent-{number}" for number in range(len(tables.pairs))])
    with pytest.raises(NoSuchAgentError, match=r"the nearest of \d+ agents are agent-7,"):
        by_task(many, "agent-8", "Agent 7")


def test_runs_of_one_seed_and_attempt_stand_beside_each_other(tables):
    pairs = tables.pairs[tables.pairs["task_id"] == CARD]
    found = matched_runs(pairs, CARD, "aide", "stella")
    assert len(found) == 3
    for one, two in found:
        assert (one["agent"], two["agent"]) == ("aide", "stella")
        assert (one["seed"], one["attempt"]) == (two["seed"], two["attempt"])
    fewer = pairs[~((pairs["agent"] == "stella") & (pairs["attempt"] == 1))]
    found = matched_runs(fewer, CARD, "aide", "stella")
    assert [(one["attempt"], two and two["attempt"]) for one, two in found] == [
        (2, 2), (3, 3), (1, None),
    ]  # fmt: skip
    # Nothing is known of seeds and attempts: the order of the ids decides.
    blank = pairs.assign(seed=None, attempt=float("nan"))
    found = matched_runs(blank, CARD, "aide", "stella")
    assert [one["run_id"][-1] + two["run_id"][-1] for one, two in found] == ["11", "22", "33"]


def test_only_checks_that_differ_are_told(tables):
    pairs = matched_runs(tables.pairs, CARD, "aide", "dummy")
    seen = 0
    for one, two in pairs:
        names = [row["run_id"] for row in (one, two)]
        outcomes = [
            tables.checks[(tables.checks["task_id"] == CARD) & (tables.checks["run_id"] == name)]
            .set_index("check")["outcome"].to_dict() for name in names
        ]  # fmt: skip
        told = {
            row["check"]: row["outcome"] for row in differing_checks(tables.checks, CARD, *names)
        }
        every = {*outcomes[0], *outcomes[1]}
        assert told == {
            check: [side.get(check) for side in outcomes]
            for check in every
            if outcomes[0].get(check) != outcomes[1].get(check)
        }
        seen += len(told)
    assert seen
    assert differing_checks(tables.checks, CARD, names[0], names[0]) == []


def test_the_command_tells_it_as_table_and_json(tmp_path):
    fixtures.write(tmp_path, 110, calibrated=False)

    def run(*args):
        return CliRunner().invoke(_cli, ["versus", "aide", "stella", str(tmp_path), *args])

    told = json.loads(run("--json").output)
    assert len(told["tasks"]) == 11
    padded = [
        "versus",
        "  aide",
        "stella\u00a0\u200b",
        str(tmp_path),
        "--json",
    ]  # as run tables read it
    assert json.loads(CliRunner().invoke(_cli, padded).output) == told
    ahead = sum(row["ahead"] == "aide" for row in told["tasks"])
    assert f"aide is ahead on {counted(ahead, 'task')}, stella on" in run().output
    runs = json.loads(run("--task", "attention-weights", "--json", "--rows", "0").output)
    assert [[row["run_id"] for row in pair["runs"]] for pair in runs] == [
        ["aide-s0-a1", "stella-s0-a1"], ["aide-s0-a2", "stella-s0-a2"],
    ]  # fmt: skip
    shown = run("--task", CARD)
    assert shown.exit_code == 0, shown.output
    assert "aide-s0-a1 | stella-s0-a1" in shown.output
    heads = next(line for line in shown.output.splitlines() if "fact" in line)
    assert [head.strip() for head in heads.strip("┃").split("┃")] == ["fact", "first", "second"]
    # Such results say nothing of what they were made from: the pairs are shown without rows.
    assert "provenance.json" in shown.output
