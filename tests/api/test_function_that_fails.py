"""A task's own function that fails with one submission alone: the run counts, without a score."""

import pytest

from biomlbench.errors import GraderError
from biomlbench.grade import grade_csv
from biomlbench.registry import Registry

CONFIG = """
name: Own
grader: {name: own, grade_fn: "grade:grade", direction: maximize}
submission: {id: id, target: y, columns: {y: {type: number}}}
"""
CODE = """
def grade(submission, answers):
    worst = submission["y"].max()
    if worst > 1e5:
        WAY
    return float((submission["y"] == answers["y"]).mean())
"""
WAYS = {
    "raises": "raise ValueError('beyond the box')",
    "index": "return [1.0][3]",
    "none": "return None",
    "text": "return 'good'",
    "ends": "raise SystemExit(0)",
    "file": "open(f'/nowhere/{worst}')",
}
OF_MACHINES = {
    "memory": "raise MemoryError",
    "disk": "raise OSError(28, 'No space left on device')",
    "library": "import no_such_library",
}


@pytest.fixture
def graded(tmp_path):
    def of(way, *, own=("gold_submission", "sample_submission"), y="1e6"):
        task = tmp_path / "tasks" / "own" / "own"
        prepared = tmp_path / "data" / "own" / "own" / "prepared"
        for folder in (task, prepared / "public", prepared / "private"):
            folder.mkdir(parents=True, exist_ok=True)
        (task / "config.yaml").write_text(CONFIG)
        (task / "description.md").write_text("Predict y.\n")
        (task / "grade.py").write_text(CODE.replace("WAY", way))
        rows = "id,y\na,1\nb,2\n"
        (prepared / "private" / "answers.csv").write_text(rows)
        if "gold_submission" in own:
            (prepared / "private" / "gold_submission.csv").write_text(rows)
        bad = "sample_submission" not in own
        sample = "id,y\na,1e9\nb,0\n" if bad else "id,y\na,0\nb,0\n"
        (prepared / "public" / "sample_submission.csv").write_text(sample)
        (tmp_path / "s.csv").write_text(f"id,y\na,1\nb,{y}\n")
        registry = Registry([tmp_path / "tasks"], tmp_path / "data")
        return grade_csv(tmp_path / "s.csv", registry.get_task("own/own"))

    return of


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "own", [("gold_submission",), ("gold_submission", "sample_submission"), ("sample_submission",)]
)
def test_it_is_the_submissions_fault_where_others_are_graded(graded, way, own):
    report = graded(WAYS[way], own=own)
    assert (report.fault, report.reason, report.score) == ("submission", "invalid_score", None)
    assert "with the task's own submission it did not" in report.message


@pytest.mark.parametrize("way", WAYS)
def test_it_is_the_functions_where_it_grades_nothing(graded, way):
    with pytest.raises(GraderError):
        graded(WAYS[way], own=())


@pytest.mark.parametrize("way", OF_MACHINES)
def test_what_comes_of_the_machine_is_never_the_submissions(graded, way):
    with pytest.raises(GraderError):
        graded(OF_MACHINES[way])


def test_what_it_can_cope_with_has_its_score(graded):
    assert graded(WAYS["raises"], y="7").score == 0.5
