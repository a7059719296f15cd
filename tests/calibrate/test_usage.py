import math

import pytest

from biomlbench.calibrate import usage


def row(agent, attempt, verdict, tier=0, task="kernels/toy", fault=None, **more):
    fault = fault or ("none" if verdict == "pass" else "submission")
    return {
        "task_id": task, "run_id": f"{agent}-{attempt}", "agent": agent, "week": "2025-W14",
        "time": None, "attempt": attempt, "hint_tier": tier, "label": None, "verdict": verdict,
        "fault": fault, "reason": "ok" if verdict == "pass" else "wrong_output",
        "checks_failed": [], "hidden_wall_s": None, "reference_s": None,
    } | more  # fmt: skip


RUNS = [
    row("a", 1, "pass"),
    row("b", 1, "fail"), row("b", 2, "pass", 2), row("b", 3, "fail", 3),
    row("c", 1, "fail"),
    row("d", 1, "fail", 1), row("d", 2, "partial", 1), row("d", 3, "pass", 0),
    row("e", 1, "fail", fault="infrastructure"), row("e", 2, "pass"),
]  # fmt: skip


def test_survival_by_hand():
    curve = usage.survival(RUNS)["kernels/toy"]
    # c leaves after one attempt without a pass; e's lost run is no attempt
    assert curve.attempts == [1, 2, 3]
    assert curve.at_risk == [5, 2, 1]
    assert curve.passed == [2, 1, 1]
    assert curve.share == pytest.approx([0.6, 0.3, 0.0])
    # Greenwood: S * sqrt(sum d / (n (n - d))), on the log-log scale
    half = 1.96 * math.sqrt(2 / (5 * 3)) / abs(math.log(0.6))
    assert curve.low[0] == pytest.approx(0.6 ** math.exp(half), rel=1e-3)
    assert all(
        low <= s <= high for low, s, high in zip(curve.low, curve.share, curve.high, strict=True)
    )


def test_the_highest_tier_before_the_pass():
    assert usage.hints_before_pass(RUNS)["kernels/toy"] == {0: 2, 2: 1, 1: 1}


def test_reasons_and_check_rates():
    assert usage.failure_reasons(RUNS) == [("wrong_output", 6)]
    rows = [row("a", 1, "fail", checks_failed=["oracle", "oracle"]), row("b", 1, "pass")]
    (rate,) = usage.check_rates(rows)
    assert (rate["check"], rate["errors"], rate["n"]) == ("oracle", 1, 2)


def test_controls_and_bad_rows_of_run_tables_are_no_runs():
    """What the report's head does not count, no share and no reason does."""
    failed = {"checks_failed": ["oracle"], "hidden_wall_s": [1.0]}
    rows = [row("a", 1, "fail", **failed), row("right", 1, "fail", label="right", **failed),
            row("wrong", 1, "fail", label="wrong", **failed),
            row("bad", 1, "fail", fault="run_table", reason="unknown_task")]  # fmt: skip
    found = usage.report(rows)
    assert found == usage.report(rows[:1])
    assert found["runs"] == 1
    assert found["reasons"] == {"2025-W14": [("wrong_output", 1)]}
    assert [(one["errors"], one["n"]) for one in found["checks"]] == [(1, 1)]


def test_a_slow_machine_is_not_a_slow_solution():
    fast = [row(str(i), 1, "pass", hidden_wall_s=[0.1, 0.1], reference_s=0.1) for i in range(5)]
    slow = [
        row(str(i), 1, "pass", week="2025-W15", hidden_wall_s=[0.3, 0.3], reference_s=0.3)
        for i in range(5)
    ]
    slow[0]["hidden_wall_s"] = [3.0, 3.0]
    first, second = usage.runtimes(fast + slow)
    assert first["ratio"] == pytest.approx(second["ratio"]) == pytest.approx(2.0)
    assert (first["outliers"], second["outliers"]) == (0, 1)
    assert first["cv"] == pytest.approx(0)
    assert second["cv"] > 1


def test_the_report_is_plain_data():
    import json

    found = json.loads(json.dumps(usage.report(RUNS)))
    assert found["runs"] == len(RUNS)
    assert found["reasons"] == {"2025-W14": [["wrong_output", 6]]}
    assert found["survival"]["kernels/toy"]["passed"] == [2, 1, 1]
    assert usage.report([])["survival"] == {}
