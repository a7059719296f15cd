"""Problem cards under audit: what their checks do not notice is a finding."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

import biomlbench.verify
from biomlbench.audit.card_findings import FINDINGS, kind_of
from biomlbench.audit.write import write_audit
from biomlbench.calibrate import batch, card_audit, controls, edits
from biomlbench.calibrate.mutants import Mutant
from biomlbench.scoring.stored_audit import read_stored_audit
from biomlbench.stages import Context
from biomlbench.stages.prepare import compute
from tests.calibrate.conftest import write_planted

TEMPLATE = Path(biomlbench.verify.__file__).parent / "template"
WEAK, STRONG = "kernels/shares", "kernels/gc-content"


@pytest.fixture
def context(tmp_path):
    """Return where a weak card and a strong one are, prepared."""
    write_planted(tmp_path / "tasks" / WEAK)
    rules = tmp_path / "tasks" / WEAK / "verifier.yaml"
    text = rules.read_text()
    rules.write_text(text[: text.index("  - name: words")])  # flaky
    edits.apply(rules, "large", {"rtol": 0.5})
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(TEMPLATE, tmp_path / "tasks" / STRONG, ignore=ignored)
    found = Context(data_dir=str(tmp_path / "data"), tasks_dirs=(str(tmp_path / "tasks"),))
    for name in (WEAK, STRONG):
        compute(name, found)
    return found


@pytest.mark.slow
def test_what_no_check_notices_is_found_in_a_weak_card(context, tmp_path):
    task = context.task(WEAK)
    audit = card_audit.audit_card(task, context, mutants=8, inputs=200)
    kinds = {kind_of(one.name) for one in audit.findings}
    assert kinds == {"mutant-unnoticed", "known-bad-unnoticed"}
    assert audit.worst == "severe"
    assert "known-bad-unnoticed.no_eps" in {one.name for one in audit.findings}
    for one in audit.findings:
        if one.name.startswith("mutant"):
            assert one.after == audit.perfect
            assert "the nearest check is " in one.what
    folder = write_audit(audit, tmp_path / "audit").parent
    with (folder / "findings.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            assert (folder / row["submission"]).suffix == ".py"
            compile((folder / row["submission"]).read_bytes().decode("utf-8-sig"), "x", "exec")
    stored = read_stored_audit(folder / "findings.json", task)
    assert stored.state == "open"
    (task.folder / "reference.py").open("a").write("\n")
    assert read_stored_audit(folder / "findings.json", task).changed == ("task",)


@pytest.mark.slow
def test_a_strong_card_is_clean(context):
    task = context.task(STRONG)
    audit = card_audit.audit_card(task, context, mutants=5, inputs=300)
    assert audit.findings == ()
    assert audit.clean
    assert audit.tried >= 20


LIVE = Mutant("boundary-3-01234567", "boundary", "< for <=", 3, "def shares(): ...", "", "live", 7)


@pytest.fixture
def graded(context, monkeypatch):
    """Audit the card as if its controls had come out so: by name, credit and rows of checks."""

    def audit(credited, checks, mutants=(LIVE,)):
        def grade(task_id, found, context):
            rows = []
            for control in found:
                right = control.label == controls.RIGHT
                seen = checks if control.name in credited else []
                base = {"control": control.name, "score": 1.0, "verdict": "pass",
                        "credited": right != (control.name in credited)}  # fmt: skip
                rows += [{**base, **row} for row in seen or [NOTHING]]
            return Table(rows)

        monkeypatch.setattr(batch, "grade", grade)
        monkeypatch.setattr(card_audit, "choose", lambda *_: list(mutants))
        return card_audit.audit_card(context.task(STRONG), context)

    return audit


class Table(list):
    def to_pylist(self):
        return self


NOTHING = {"check": "c", "suite": "hidden", "outcome": "passed", "margin": None, "deviation": None}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([NOTHING], "no check measures how far it is off"),
        ([{**NOTHING, "check": "far", "margin": 0.9}, {**NOTHING, "check": "near", "margin": 0.25}],
         "the nearest check is near (hidden), at 0.75 of its limit"),
        ([{**NOTHING, "margin": 1.0, "deviation": 1e-9}], "at 1e-09 of its limit"),
        ([{**NOTHING, "check": "hint", "outcome": "failed"}, {**NOTHING, "margin": 0.1}],
         "only hint fails it, which decides nothing"),
    ],
)  # fmt: skip
def test_the_nearest_check_is_named(rows, said, graded):
    (one,) = graded({"stock/zero"}, rows).findings
    assert one.name == "stock-unnoticed.zero"
    assert one.severity == "severe"
    assert one.remedy == FINDINGS["stock-unnoticed"]
    assert one.what.endswith(said)


def test_few_mutants_are_moderate_and_half_of_them_severe(graded):
    others = [Mutant(f"sign-{i}-0", "sign", "-", i, "", "", "live", 1) for i in range(2)]
    assert graded({f"mutant/{LIVE.name}"}, [], (LIVE, *others)).worst == "moderate"
    found = graded({f"mutant/{LIVE.name}", "mutant/sign-0-0"}, [], (LIVE, *others))
    assert found.worst == "severe"
    assert "with boundary in line 3 (< for <=) passes" in found.findings[0].what


def test_right_work_that_is_refused_is_found(graded):
    failed = {**NOTHING, "check": "narrow", "outcome": "failed"}
    (one,) = graded({"reference"}, [failed]).findings
    assert (one.name, one.severity) == ("right-refused.reference", "moderate")
    assert one.what == "reference is right, and does not pass; failed by narrow"


def test_a_card_without_live_mutants_is_not_clean(graded):
    audit = graded(set(), [], ())
    assert audit.findings == ()
    assert (audit.clean, audit.skipped) == (False, (card_audit.NO_MUTANT,))


def test_findings_are_waived_by_kind_or_by_name(graded, context):
    folder = context.task(STRONG).folder
    other = Mutant("sign-4-76543210", "sign", "-", 4, "", "", "live", 1)
    passing = {f"mutant/{LIVE.name}", f"mutant/{other.name}"}
    for name, open_ones in ((f"mutant-unnoticed.{LIVE.name}", 1), ("mutant-unnoticed", 0)):
        entry = {"waived": [{"finding": name, "reason": "known"}]}
        (folder / "audit.yaml").write_text(json.dumps(entry))
        audit = graded(passing, [], (LIVE, other))
        assert sum(one.counts for one in audit.findings) == open_ones
        assert audit.waiver_notes == ()
