"""The weekly round on a card with planted faults, and on runs whose true rates are known."""

import os
import random
import re
import subprocess
import sys

import pytest

from biomlbench.calibrate import flaky, jobs, weekly
from biomlbench.calibrate.intervals import wilson
from biomlbench.calibrate.labels import Labelled
from biomlbench.calibrate.settings import Settings
from biomlbench.contracts import from_rows, provenance, read_table, write_table
from biomlbench.stages import Context, Pair, run_pair
from biomlbench.stages.cards import load_card
from biomlbench.stages.prepare import compute
from biomlbench.verify import judge
from biomlbench.verify.local import run
from tests.bars import recorded

TASK = "kernels/shares"


def _context(planted, data):
    context = Context(data_dir=str(data), tasks_dirs=(str(planted),))
    compute(TASK, context)
    return context


def test_the_planted_flaky_check_is_found_by_name_and_cause(planted):
    folder = planted / "kernels" / "shares"
    found = flaky.trials(folder, [flaky.Condition("repetition", 1)] * 2 + [
        flaky.Condition("hash seed", seed) for seed in range(2, 8)
    ])  # fmt: skip
    rows = {row["check"]: row for row in flaky.flaky_checks(TASK, found)}
    assert rows["words"]["disagreements"] > 0
    assert rows["words"]["causes"] == ["hash seed"]
    assert rows["words"]["low"] < rows["words"]["rate"] < rows["words"]["high"]
    assert all(row["disagreements"] == 0 for name, row in rows.items() if name != "words")


GRADER = """
import sys
from pathlib import Path
from biomlbench.calibrate.batch import grade
from biomlbench.calibrate.controls import of_card
from biomlbench.contracts import write_table
from biomlbench.stages import Context, Pair, run_pair
from biomlbench.stages.cards import load_card

task, tasks, data, out, *wanted = sys.argv[1:]
context = Context(data_dir=data, tasks_dirs=(tasks,))
loaded = load_card(context.task(task))
for solution in loaded.card.solutions:
    name = solution.path.stem
    if name in wanted:
        run_pair(Pair(task, name, str(solution.path), "functions"), context, Path(out) / name)
if "controls" in wanted:
    found = [c for c in of_card(loaded) if c.family != "rewrite"]
    write_table("controls", grade(task, found, context), Path(out) / "controls.parquet")
"""
WEEKS = ("2025-W14", "2025-W15", "2025-W16")
# what the simulated agents hand in, and how often; `words` fails under some hash seeds
SHARES = {
    "wrong": {"twice_eps": 0.2, "no_eps": 0.4, "percent": 0.4},
    "right": {"single_precision": 0.25, "loop": 0.75},
}
PASSED_WRONGLY, FAILED_WRONGLY = "twice_eps", "single_precision"
RUNS = 80


def _graded(planted, data, out, seeds):
    """Grade what agents hand in under some hash seeds, and controls under one; return folders."""
    solutions = [name for shares in SHARES.values() for name in shares]
    for seed in seeds:
        environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
        call = [sys.executable, "-c", GRADER, TASK, str(planted), str(data), str(out / str(seed))]
        call += [*solutions, *(["controls"] if seed == min(seeds) else [])]
        done = subprocess.run(call, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return {seed: out / str(seed) for seed in seeds}


def _words_pass(seed):
    """Tell whether the planted flaky check passes under a hash seed."""
    code = 'print(next(iter({"adenine", "cytosine", "guanine", "thymine"})))'
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
    return done.stdout.decode().strip() in ("adenine", "guanine")


def _simulated(week, seeds):
    """Draw a week's runs: (run, label, solution, hash seed of the process that judges it)."""
    rng = random.Random(week)
    runs = []
    for i in range(RUNS):
        label = rng.choice(("right", "wrong"))
        solutions, shares = zip(*SHARES[label].items(), strict=True)
        (solution,) = rng.choices(solutions, shares)
        runs.append((f"{week}-{i}", label, solution, rng.choice(seeds)))
    return runs


def _calibrate(context, results, week, folders, runs, flakes):
    """Calibrate on the card's controls and on graded runs whose label is known."""
    from biomlbench.contracts import SCHEMAS

    rows = []
    for run_id, label, solution, seed in runs:
        folder = results / "pairs" / TASK / run_id
        for stage in ("execute", "verify", "medal"):
            table = read_table(stage, folders[seed] / solution / f"{stage}.parquet").to_pylist()
            named = [{**row, "run_id": run_id} for row in table]
            write_table(stage, from_rows(stage, named), folder / f"{stage}.parquet")
        row = dict.fromkeys(SCHEMAS["pairs"].names) | named[0]
        row |= {"domain": "kernels", "agent": "a", "kind": "functions", "source": "runs.csv:2",
                "submission": f"{solution}.py", "label": label}  # fmt: skip
        rows.append(row)
    write_table("pairs", from_rows("pairs", rows), results / "pairs.parquet")
    write_table("flakes", from_rows("flakes", flakes), results / "flaky.parquet")
    controls = folders[min(folders)] / "controls.parquet"
    jobs.write_tables(
        results / "calibration",
        [controls],
        [],
        [results / "flaky.parquet"],
        context,
        Settings(),
        week,
        [Labelled(TASK, run_id, "functions", label) for run_id, label, *_ in runs],
    )
    rates = read_table("rates", results / "calibration" / "rates.parquet").to_pylist()
    rates = [r for r in rates if r["week"] == week]
    of_runs = {r["kind"]: r for r in rates if (r["scope"], r["name"]) == ("family", "run")}
    overall = {r["kind"]: r for r in rates if r["scope"] == "overall"}
    return of_runs, overall


def _flakes(planted):
    return flaky.flaky_checks(TASK, flaky.trials(planted / "kernels" / "shares", [
        flaky.Condition("repetition", 1), *(flaky.Condition("hash seed", s) for s in range(1, 7))
    ]))  # fmt: skip


@pytest.mark.slow
def test_three_weeks_of_runs_find_the_planted_faults_and_a_proposal_mends_them(
    planted, tmp_path, monkeypatch
):
    results, verifier = tmp_path / "results", planted / "kernels" / "shares" / "verifier.yaml"
    before = verifier.read_text()
    context = _context(planted, tmp_path / "data")
    # two processes judge, one of which the flaky check lets everything pass in
    good = next(seed for seed in range(1, 50) if _words_pass(seed))
    seeds = (good, next(seed for seed in range(good + 1, 99) if not _words_pass(seed)))
    folders = _graded(planted, tmp_path / "data", tmp_path / "before", seeds)
    flakes = _flakes(planted)
    # where the flaky check refuses the reference and nothing else fails, no submission is to blame,
    # and none of these runs counts
    passed, failed = SHARES["wrong"][PASSED_WRONGLY], SHARES["right"][FAILED_WRONGLY]
    true = {
        "false_pass": passed / 2 / (1 - passed / 2),
        "false_fail": failed / (1 - (1 - failed) / 2),
    }
    counts = {kind: [0, 0] for kind in true}
    for week in WEEKS:
        runs = _simulated(week, seeds)
        of_runs, overall = _calibrate(context, results, week, folders, runs, flakes)
        for kind, rate in of_runs.items():
            assert rate["low"] <= true[kind] <= rate["high"], (week, rate)
            counts[kind] = [a + rate[b] for a, b in zip(counts[kind], ("errors", "n"), strict=True)]
        assert all(overall[kind]["errors"] for kind in true)
        path = weekly.write_proposal(results, context)
        assert path == results / "calibration" / week / "proposal.yaml"
    for kind, (errors, n) in counts.items():
        share = wilson(errors, n)
        assert share.low <= true[kind] <= share.high
        assert share.high - share.low < 0.2

    changes = {item["check"]: item for item in weekly.read_proposal(path)}
    assert {name: item["action"] for name, item in changes.items()} == {
        "oracle": "tighten",
        "large": "loosen",
        "words": "advisory",
    }
    by_solution = {run_id: (solution, seed) for run_id, _, solution, seed in runs}
    failed = {name.removeprefix("run/") for name in changes["large"]["right_failed"]}
    assert {by_solution.get(name, (name,))[0] for name in failed} == {
        "right/single_precision",
        FAILED_WRONGLY,
    }
    passed = {name.removeprefix("run/") for name in changes["oracle"]["wrong_passed"]}
    assert {by_solution.get(name, (name,))[0] for name in passed} == {
        "bad/twice_eps",
        PASSED_WRONGLY,
    }
    assert "hash seed" in changes["words"]["why"]
    # every past pair whose verdict would change is named: what the loosened check alone failed
    assert {flip["run_id"] for flip in changes["large"]["flips"]} == {
        name for name, drawn in by_solution.items() if drawn == (FAILED_WRONGLY, good)
    }

    done = weekly.apply_proposal(path, context)
    assert len(done) == 3
    after = verifier.read_text()
    # every comment is still there, and three values have changed
    assert re.findall("#.*", after) == re.findall("#.*", before)
    changed = [
        (a, b) for a, b in zip(before.splitlines(), after.splitlines(), strict=True) if a != b
    ]
    assert len(changed) == 3
    assert weekly.apply_proposal(path, context) == []

    from biomlbench.stages import cards

    cards._load.cache_clear()
    compute(TASK, context)
    folders = _graded(planted, tmp_path / "data", tmp_path / "after", seeds)
    of_runs, overall = _calibrate(context, results, "2025-W17", folders, runs, flakes)
    for rates in (of_runs, overall):
        assert {kind: rates[kind]["errors"] for kind in true} == dict.fromkeys(true, 0)
    came_to_its_end = recorded(monkeypatch)
    assert weekly.read_proposal(weekly.write_proposal(results, context)) == []
    assert came_to_its_end("proposing thresholds")
    rows = weekly.diff(results, WEEKS[-1], "2025-W17")
    assert any(row["scope"] == "overall" and row["after"].startswith("0/") for row in rows)
    # the weekly trend is read from one table
    rates = read_table("rates", results / "calibration" / "rates.parquet")
    assert set(rates.column("week").to_pylist()) == {*WEEKS, "2025-W17"}


@pytest.mark.slow
def test_a_proposal_names_the_past_pairs_that_flip(planted, tmp_path):
    from biomlbench.calibrate.regrade import flips_of_card, regrade
    from biomlbench.contracts import SCHEMAS

    results, context = tmp_path / "results", _context(planted, tmp_path / "data")
    verifier = planted / "kernels" / "shares" / "verifier.yaml"
    verifier.write_text(verifier.read_text().replace('"guanine"', '"guanine", "thymine"'))
    weekly.edits.apply(verifier, "words", {"severity": "advisory"})
    rows = []
    for run_id in ("twice_eps", "no_eps"):
        source = str(planted / "kernels" / "shares" / "solutions" / "bad" / f"{run_id}.py")
        pair = Pair(TASK, run_id, source, "functions")
        tables = run_pair(pair, context, results / "pairs" / TASK / run_id)
        row = dict.fromkeys(SCHEMAS["pairs"].names) | tables["medal"].to_pylist()[0]
        row |= {"domain": "kernels", "agent": "a", "kind": "functions", "source": "runs.csv:2",
                "submission": source}  # fmt: skip
        rows.append(row)
    write_table("pairs", from_rows("pairs", rows), results / "pairs.parquet")
    assert [r["verdict"] for r in rows] == ["pass", "partial"]
    assert list(regrade(results, context)) == []

    change = {"oracle": {"atol": 1e-5}}
    flips = flips_of_card(results, TASK, load_card(context.task(TASK)), change)
    assert {f["run_id"]: f["verdict"] for f in flips} == {
        "twice_eps": ["pass", "fail"],
        "no_eps": ["partial", "fail"],
    }
    # the same after the change has been adopted, by grading again
    weekly.edits.apply(verifier, "oracle", {"atol": 1e-5})
    from biomlbench.stages import cards

    cards._load.cache_clear()
    again = {row["run_id"]: row["verdict"] for row in regrade(results, context)}
    assert again == {f["run_id"]: f["verdict"] for f in flips}


def test_intervals_cover_as_often_as_they_say():
    rng = random.Random(5)
    for n, p in ((60, 0.02), (200, 0.06), (41, 0.1)):
        hits = 0
        for _ in range(800):
            share = wilson(sum(rng.random() < p for _ in range(n)), n)
            hits += share.low <= p <= share.high
        assert hits / 800 > 0.92, (n, p, hits)


def test_deviations_reach_where_margins_are_rounded_or_cut(planted, tmp_path):
    from biomlbench.calibrate.thresholds import deviations

    loaded = load_card(_context(planted, tmp_path / "data").task(TASK))
    bad = planted / "kernels" / "shares" / "solutions"
    seen = deviations(loaded, run(bad / "bad" / "percent.py", loaded.plan.cases))
    assert seen["large", "adversarial"] > 1e12
    seen = deviations(loaded, run(bad / "right" / "loop.py", loaded.plan.cases))
    assert 0 <= seen["oracle", "hidden"] < 1e-12
    seen = deviations(loaded, run(bad / "right" / "single_precision.py", loaded.plan.cases))
    assert 1e3 < seen["large", "adversarial"] < 1e6
    outcomes = judge(*loaded, run(bad / "right" / "single_precision.py", loaded.plan.cases))
    (row,) = [row for row in outcomes if row.check == "large"]
    assert seen["large", "adversarial"] == pytest.approx(1 - row.margin, rel=2e-3)


def test_a_deviation_is_the_same_in_whatever_unit_the_threshold_is(planted, tmp_path):
    from biomlbench.calibrate.thresholds import deviations, with_checks

    loaded = load_card(_context(planted, tmp_path / "data").task(TASK))
    outputs = run(
        planted / "kernels" / "shares" / "solutions" / "right" / "single_precision.py",
        loaded.plan.cases,
    )
    found = []
    for digits in range(2, 19):
        card = with_checks(loaded.card, {"large": {"rtol": 10.0**-digits}})
        seen = deviations(loaded._replace(card=card), outputs)["large", "adversarial"]
        found.append(seen * 10.0**-digits)
    # a rounded margin tells a deviation to one part in a hundred where it is read worst
    assert found == pytest.approx([found[0]] * len(found), rel=0.01)


def test_a_judgement_of_what_is_not_there_is_named(planted, tmp_path, caplog):
    context = _context(planted, tmp_path / "data")
    labels = tmp_path / "labels.csv"
    labels.write_text(f"task_id,run_id,label,who,why\n{TASK},mutant/gone,right,ada,it was fine\n")
    settings = Settings(adjudications=str(labels))
    jobs.write_tables(tmp_path / "calibration", [], [], [], context, settings, "2025-W14")
    for path in (tmp_path / "calibration").glob("*.parquet"):
        made_from = provenance(path)
        assert made_from.keys() >= {"code", "environment", "inputs", "settings"}, path
        assert len(made_from["adjudications_sha256"]) == 64
    said = f"{labels}:2: {TASK}, mutant/gone: no such control or run; {TASK} is not calibrated here"
    assert said in caplog.text


@pytest.mark.parametrize(
    ("name", "told"),
    [("mutant/gon", "(did you mean mutant/gone?) to a run"), ("x", "correct `run_id` to a run of")],
)
def test_the_remedy_for_a_wrong_name_names_those_that_are_alike(name, told):
    there = {(TASK, "mutant/gone"), ("kernels/other", "x")}
    assert told in jobs._remedy(TASK, name, there)
    assert "solution" in jobs._remedy(TASK, name, there)
