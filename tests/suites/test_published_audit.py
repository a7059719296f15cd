"""What the audit finds in published tasks, and that it is so by the published code alone."""

from __future__ import annotations

import pytest

from biomlbench.audit import audit_task
from biomlbench.audit.write import write_audit
from biomlbench.registry import Registry
from biomlbench.scoring.stored_audit import FILE
from biomlbench.stages import Context, Pair
from biomlbench.summary.regrade import regraded
from tests.audit.cheating import MISGRADED, severe, submitted

from .public_shapes import invent_task
from .test_published import HERE, TOLERANCE, job, published_scores

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        "bioml-bench" not in HERE,
        reason="BIOMLBENCH_SUITES names no folder with bioml-bench (biomlbench suite get)",
    ),
]
GYM = {"answers-by-key", "answers-displaced", "duplicates-counted", "rows-dropped"}
#: Of each, severe findings that cheat, those that grading here lets through as well, and what
#: gives right work a worse score.
TASKS = {
    "proteingym-dms/SPIKE_SARS2_Starr_2020_binding": (
        GYM,
        {"answers-by-key"},
        {"columns-by-place"},
    ),
    "polarishub/tdcommons-caco2-wang": ({"positional"}, set(), set()),
    "kaggle/uw-madison-gi-tract-image-segmentation": ({"key-ignored"}, set(), {"row-order-counts"}),
}


@pytest.mark.parametrize("task_id", TASKS)
def test_severe_findings_of_published_tasks(task_id, tmp_path):
    task = Registry(data_dir=tmp_path / "data").get_task(task_id)
    assert invent_task(task, tmp_path / "data")
    audit = audit_task(task)
    assert audit.grader == "published"
    write_audit(audit, tmp_path / "audit")
    expected, still_open, misgrades = TASKS[task_id]
    found = {one.name: one for one in severe(audit)}
    assert set(found) == expected
    assert {name for name, one in found.items() if one.open} == still_open
    misgraded = {one.name for one in audit.findings if one.name in MISGRADED}
    assert misgraded == misgrades
    jobs = [
        job(task, tmp_path / "audit" / "submissions" / f"{name}.csv") for name in sorted(expected)
    ]
    for name, score in zip(sorted(expected), published_scores(jobs), strict=True):
        assert score == pytest.approx(found[name].after, abs=TOLERANCE), name
    context = Context(
        str(tmp_path / "data"), bootstrap=0, overrides={"audit": str(tmp_path / "audit" / FILE)}
    )
    for name, one in found.items():
        path = tmp_path / f"{name}.csv"
        path.write_bytes(submitted(one))
        row = regraded(Pair(task_id, name, str(path)), context)
        assert row["published_score"] == pytest.approx(one.after)
        assert row["verified_medal"] == "none"
        if one.after == pytest.approx(audit.perfect):
            assert (row["published_medal"], row["changes"]) == ("gold", True)
