"""What findings do to medals: in the stages, in the tables, and side by side."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from biomlbench.audit import audit_task
from biomlbench.audit.doors import Outcome
from biomlbench.audit.write import write_audit
from biomlbench.cli.regrade import command
from biomlbench.contracts import read_table, write_table
from biomlbench.errors import TaskError
from biomlbench.outcomes import Reason
from biomlbench.scoring import audit_currency
from biomlbench.scoring.stored_audit import FILE, read_stored_audit
from biomlbench.stages import STAGES, Context, Pair, run_pair
from biomlbench.stages.prepare import compute
from biomlbench.summary.aggregate import aggregate
from biomlbench.summary.regrade import _reasons, regraded
from biomlbench.workflow.code_hash import modules_of
from biomlbench.workflow.job import context_of
from biomlbench.workflow.plan import Benchmark
from tests.audit.cheating import severe, stamped, submitted, write_board, write_runs
from tests.audit.zoo import FLAWED, probabilities

ROOT = Path(__file__).resolve().parents[2]
#: With the fast tests: answers that are public, a grader that takes rows by position, one that
#: drops rows, and a board that chance reaches.
QUICK = ("test_rows_repeated_in_training", "ids_are_not_read", "inner_join", "chance_earns_gold")


@pytest.fixture
def leaky(tmp_path):
    """Return a task whose answers follow from a public file, and a submission that uses it."""
    task = FLAWED["test_rows_repeated_in_training"][1]().write(tmp_path)
    audit = audit_task(task)
    (finding,) = severe(audit)
    write_board(task.folder, finding)
    path = tmp_path / "cheat.csv"
    path.write_bytes(submitted(finding))
    return task, stamped(audit, task), path


def medal(task, path, root, **overrides):
    context = Context(str(root / "data"), (str(root / "tasks"),), bootstrap=0, overrides=overrides)
    tables = run_pair(Pair(task.id, "cheat", str(path)), context, root / "pair")
    return tables["medal"].to_pylist()[0]


def test_a_verified_medal_is_withheld_where_no_check_covers_a_severe_finding(leaky, tmp_path):
    task, audit, path = leaky
    before = medal(task, path, tmp_path)
    assert (before["medal"], before["verified_medal"], before["reason"]) == ("gold", True, "ok")
    write_audit(audit, task.home / "audit")
    row = medal(task, path, tmp_path)
    assert (row["medal"], row["verified_medal"]) == ("gold", False)
    assert (row["reason"], row["fault"]) == (Reason.OPEN_FINDING, "task")
    assert "medal on a task whose answers are public (severe: answers-by-" in row["medal_note"]
    assert "no check covers what the audit found: answers-by-duplicates" in row["message"]
    # One that the results hold comes before the one beside the data; waived, it costs nothing.
    waived = tuple(replace(finding, waived="known") for finding in audit.findings)
    write_audit(replace(audit, findings=waived), tmp_path / "waived")
    assert medal(task, path, tmp_path, audit=str(tmp_path / "waived" / FILE))["verified_medal"]


CHANGES = {
    "task": lambda task: (task.folder / "audit.yaml").write_text("waived: []\n"),
    "data": lambda task: (task.public_dir / "notes.csv").write_text("a\n1\n"),
    "grader": None,
    "detectors": None,
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_stale_audit_says_so_and_counts_neither_way(what, leaky, tmp_path):
    task, audit, path = leaky
    stored = task.home / "audit" / FILE
    write_audit(audit, stored.parent)
    assert read_stored_audit(stored, task).state == "open"
    if CHANGES[what]:
        CHANGES[what](task)
    else:  # the code that the record tells of was another
        record = json.loads(stored.read_text())
        record["made_of"][what] = "another"
        stored.write_text(json.dumps(record))
    found = read_stored_audit(stored, task)
    assert (found.state, found.standing, found.changed) == ("stale", (), (what,))
    row = medal(task, path, tmp_path)
    assert row["verified_medal"]
    assert row["medal_note"] == f"the audit is stale: {what} changed since; audit the task again"


@pytest.mark.parametrize("most", [0, 200])
def test_data_in_folders_make_an_audit_stale(leaky, tmp_path, monkeypatch, most):
    task, _, _ = leaky
    monkeypatch.setattr(audit_currency, "MOST_HASHED", most)
    deep = task.public_dir / "more" / "tables"
    deep.mkdir(parents=True)
    (deep / "a.csv").write_text("a\n1\n")
    then = audit_currency.made_of(task)
    (deep / "a.csv").write_text("a\n2\n")
    # of so many files that not all are read, the size tells
    assert audit_currency.changed(then, task) == (("data",) if most else ())
    (deep / "a.csv").write_text("a\n1\n2\n")
    assert audit_currency.changed(then, task) == ("data",)
    (deep / "a.csv").rename(deep / "b.csv")
    assert audit_currency.changed(then, task) == ("data",)


def test_what_an_audit_depends_on_is_found():
    """Files that are named and not there would make no audit stale."""
    named = (
        *(*audit_currency._OF_TABLES, *audit_currency._OF_CARDS),
        *(*audit_currency._CHECKS, *audit_currency._METRICS),
    )
    for pattern in named:
        assert list(audit_currency._PACKAGE.glob(pattern)), pattern


def test_all_that_makes_mutants_makes_an_audit_of_cards_stale():
    used = modules_of("biomlbench.calibrate.mutants")
    named = [path for pattern in audit_currency._OF_CARDS
             for path in audit_currency._PACKAGE.glob(pattern)]  # fmt: skip
    there = {path.relative_to(audit_currency._PACKAGE).as_posix() for path in named}
    assert {path for path in used if path.startswith("calibrate/")} <= there


def test_a_broken_audit_verifies_no_medal(leaky, tmp_path):
    task, _, path = leaky
    stored = task.home / "audit" / FILE
    stored.parent.mkdir()
    for text in ("", "[]", '{"grader": "x", "skipped": []}', '{"findings": [{}]}'):
        stored.write_text(text)
        with pytest.raises(TaskError, match="audit the task again"):
            read_stored_audit(stored)
        row = medal(task, path, tmp_path)
        assert (row["medal"], row["verified_medal"]) == ("gold", False)
        assert "audit the task again" in row["message"]


CLIPPED = """
def grade(submission, answers):
    s = checked(submission, answers)
    p = s[["low", "middle", "high"]].to_numpy()
    if (p < 0).any():
        raise InvalidSubmissionError("negative")
    hit = p[range(len(p)), answers["y"].map(["low", "middle", "high"].index)]
    return float(np.minimum(hit, 1).mean())
"""


def test_a_verified_medal_depends_on_the_check_that_covers_a_finding(tmp_path):
    recipe = probabilities("")
    task = recipe.by(CLIPPED, "maximize").write(tmp_path)
    audit = audit_task(task)
    (finding,) = severe(audit)
    assert (finding.name, finding.covered_by) == ("unnormalised", "probabilities-sum-to-one")
    write_board(task.folder, finding)
    write_audit(stamped(audit, task), task.home / "audit")
    path = tmp_path / "submission.csv"
    path.write_bytes(finding.submission)
    cheat = medal(task, path, tmp_path)
    assert (cheat["medal"], cheat["verified_medal"]) == ("gold", False)
    # Probabilities: what they earn counts.
    truth = pd.get_dummies(recipe.answers["y"])[["low", "middle", "high"]]
    frame = pd.read_csv(io.BytesIO(finding.submission))[["id"]]
    frame.join(0.8 * truth + 0.2 / 3).to_csv(path, index=False)
    honest = medal(task, path, tmp_path)
    assert honest["any_medal"]
    assert honest["verified_medal"]


def test_the_workflow_takes_the_audits_of_its_results(leaky, tmp_path, monkeypatch):
    task, audit, _ = leaky
    monkeypatch.chdir(tmp_path)
    Path("runs.csv").write_text(f"run_id,agent,task_id,submission\ncheat,a,{task.id},cheat.csv\n")
    config = {"runs": ["runs.csv"], "data_dir": "data", "tasks_dirs": ["tasks"]}
    without = Benchmark(config, ROOT)
    jobs = {stage: without.task_job(stage, task.id) for stage in STAGES}
    clean = Path("results/audit") / task.id
    write_audit(audit, clean)
    benchmark = Benchmark(config, ROOT)
    for stage in STAGES[:-1]:
        assert benchmark.task_job(stage, task.id) == jobs[stage]
    job = benchmark.task_job("medal", task.id)
    assert job != jobs["medal"]
    # Other findings in the same place: medals are made again.
    stored = json.loads((clean / FILE).read_text())
    (clean / FILE).write_text(json.dumps({**stored, "findings": []}))
    assert Benchmark(config, ROOT).task_job("medal", task.id) != job
    (clean / FILE).write_text(json.dumps(stored))
    write_table("prepare", compute(task.id, Context("data", ("tasks",))),
                f"results/tasks/{task.id}/prepare.parquet")  # fmt: skip
    place = Path("results") / benchmark.place(task.id, "cheat")
    run_pair(Pair(task.id, "cheat", "cheat.csv"), context_of(job), place)
    aggregate(benchmark, "results")
    (row,) = read_table("tasks", "results/tasks.parquet").to_pylist()
    assert row["audit"] == "open"
    assert row["audit_findings"][0].startswith("severe answers-by-duplicates: ")
    (pair,) = read_table("pairs", "results/pairs.parquet").to_pylist()
    assert (pair["any_medal"], pair["verified_medal"]) == (True, False)


def cases(names):
    return [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow, id=n) for n in names]


@pytest.mark.parametrize("name", cases(FLAWED))
def test_no_cheating_submission_keeps_its_medal(name, tmp_path):
    """Each severe finding's submission earns gold by the task's grader, and nothing verified."""
    task = FLAWED[name][1]().write(tmp_path)
    own_board = task.leaderboard is not None
    audit = audit_task(task)
    for finding in severe(audit):
        if finding.name in ("direction-wrong", "not-deterministic"):
            continue  # no board of the one is accepted; what the other gives is chance
        if not own_board:
            write_board(task.folder, finding)
        write_audit(stamped(audit, task), tmp_path / "audit" / task.id)
        table = write_runs(tmp_path, [(task.id, finding.name, submitted(finding))])
        done = CliRunner().invoke(
            command,
            [str(table), "--audits", str(tmp_path / "audit"), "--json",
             "--tasks-dir", str(tmp_path / "tasks"), "--data-dir", str(tmp_path / "data")],
        )  # fmt: skip
        assert done.exit_code == 0, done.output
        (run,) = (found := json.loads(done.output))["runs"]
        assert run["published_medal"] == "gold"
        assert run["verified_medal"] == "none"
        assert run["why"]
        assert found["counts"] == {"runs": 1, "published": 1, "verified": 0, "changed": 1,
                                   "lost": 1, "gained": 0}  # fmt: skip


def test_regrade_says_why_a_grader_gives_no_score(leaky, tmp_path):
    task, _, _ = leaky
    path = tmp_path / "wrong.csv"
    path.write_text("id\nr0\n")
    context = Context(str(tmp_path / "data"), (str(tmp_path / "tasks"),), bootstrap=0)
    row = regraded(Pair(task.id, "wrong", str(path)), context)
    assert row["published_score"] is None
    assert row["why"].startswith("the published grader gives no score (")
    assert row["why"].count("missing column") == 2  # to either grader


@pytest.mark.parametrize(
    ("published", "medal", "note", "why"),
    [
        (
            0.5,
            "none",
            "silver is out of reach",
            "silver is out of reach; the score here earns none",
        ),
        (
            0.6,
            "none",
            "",
            "the score here is 0.5, the published one 0.6, of the rows as they were handed in",
        ),
        (0.5, "gold", "", ""),
    ],
)
def test_regrade_says_what_differs(published, medal, note, why):
    row = {"message": "", "medal_note": note, "score": 0.5, "medal": medal}
    changes = medal == "none"
    found = _reasons(Outcome("score", published), row, changes=changes)
    assert "; ".join(found) == why


def test_regrade_shows_what_stays_and_what_could_not_be_graded(leaky, tmp_path):
    task, _, _ = leaky
    good = pd.read_csv(task.answers)
    good["y"] += 0.65  # better than the board, and not beyond belief
    table = write_runs(tmp_path, [(task.id, "fair", good.to_csv(index=False).encode())])
    with table.open("a") as file:
        file.write("x,a,gone,runs/gone.csv\n")
    options = ["--tasks-dir", str(tmp_path / "tasks"), "--data-dir", str(tmp_path / "data")]
    done = CliRunner().invoke(command, [str(table), *options, "--csv", str(tmp_path / "m.csv")])
    assert done.exit_code == 3
    assert "1 runs: 1 medals by the graders as published, 1 verified; 0 change" in done.output
    assert "gone" in done.output
    (row,) = pd.read_csv(tmp_path / "m.csv").to_dict("records")
    assert row["published_score"] == row["score"]
    assert (row["published_medal"], row["verified_medal"]) == ("gold", "gold")
