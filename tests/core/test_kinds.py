"""What every kind of submission must declare and keep, whichever there are."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from biomlbench.stages import kinds
from biomlbench.stages.kinds import (
    Kind,
    all_kinds,
    get_kind,
    has_cases,
    kind_of,
    kinds_for,
    shares_jobs,
)
from biomlbench.task.task import KINDS

FOUND = all_kinds()
ACTIONS = [n for n, value in vars(Kind).items() if inspect.isfunction(value) and n[0] != "_"]


@pytest.mark.parametrize("kind", FOUND.values(), ids=FOUND)
class TestKind:
    def test_declaration(self, kind):
        assert Path(kind.__file__).stem == kind.NAME
        assert kind.__doc__.startswith(f"`{kind.NAME}`: ")
        assert kind.TASK in KINDS
        assert FOUND[kind.TASK].TASK == kind.TASK  # the kind that prepares those tasks
        endings = (*kind.ENDINGS, kind.SUFFIX)
        assert all(ending.startswith(".") and ending == ending.lower() for ending in endings)
        assert {type(kind.IS_CODE), type(kind.HAS_CASES), type(kind.SHARES_JOBS)} == {bool}
        assert kind.VALID.startswith("Submission is valid.")

    def test_code_has_a_job_of_its_own(self, kind):
        assert not (kind.IS_CODE and kind.SHARES_JOBS)
        assert kind.IS_CODE or not kind.HAS_CASES

    @pytest.mark.parametrize("action", ACTIONS)
    def test_actions(self, kind, action):
        declared = list(inspect.signature(getattr(Kind, action)).parameters)[1:]
        found = getattr(kind, action)
        assert list(inspect.signature(found).parameters) == declared
        assert found.__doc__

    def test_a_file_of_its_name_is_of_its_kind(self, kind):
        for ending in (kind.SUFFIX, kind.SUFFIX.upper(), kind.SUFFIX.title()):
            assert kind_of(f"a{ending}", kind.TASK) == kind.NAME


def test_there_is_a_kind_for_every_task():
    assert {kind.TASK for kind in FOUND.values()} == set(KINDS)
    for task in KINDS:
        assert len([k for k in kinds_for(task).values() if not k.ENDINGS]) == 1


def test_an_unknown_kind_is_refused_by_name():
    with pytest.raises(ValueError, match=rf"no kind of submission 'essay'.*{', '.join(FOUND)}"):
        get_kind("essay")
    assert not has_cases("")  # a bad row of a run table
    assert not shares_jobs("")


def test_planning_loads_nothing_that_does_the_work():
    code = (
        "import sys; from biomlbench.stages.kinds import all_kinds; all_kinds(); "
        "heavy = {'numpy', 'pandas', 'pyarrow', 'sklearn', 'biomlbench.sandbox', "
        "'biomlbench.verify', 'biomlbench.metrics'}; print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


NOTEBOOK = '''"""`notebook`: a made-up kind, for the test."""

from biomlbench.stages.kinds.program import *  # noqa: F403

NAME = "notebook"
TASK = "predictions"
ENDINGS = (".ipynb",)
SUFFIX = ".ipynb"
IS_CODE = True
HAS_CASES = False
SHARES_JOBS = False
VALID = "Submission is valid. It is a notebook."


def validate(submission, task):
    """Look at nothing."""
    return [{"check": "file", "outcome": "passed", "reason": "ok", "message": ""}]


def execute(pair, context):
    """Run nothing, and write the sample submission."""
    from biomlbench.stages.outputs import case_row

    sample = context.task(pair.task_id).sample_submission.read_bytes()
    return [case_row(status="ok", output=sample.replace(b",0.5", b",0.25", 1))]


def grade(pair, context, execute):
    """Score it."""
    from biomlbench.stages import scored

    return scored.grade(pair, context, *scored.written(execute))


def verify(pair, context, execute, grade):
    """Verify it."""
    from biomlbench.stages import scored

    return scored.verify(pair, context, *scored.written(execute), grade)
'''


def test_a_kind_is_one_file(tmp_path, monkeypatch):
    """Found, offered, read from a run table, graded and reported, without a change elsewhere."""
    import json

    from biomlbench.stages import Context, Pair, run_pair
    from biomlbench.workflow.runs import read_runs

    (tmp_path / "more").mkdir()
    (tmp_path / "more/notebook.py").write_text(NOTEBOOK)
    monkeypatch.setattr(kinds, "__path__", [*kinds.__path__, str(tmp_path / "more")])
    all_kinds.cache_clear()
    try:
        assert "notebook" in all_kinds()
        (tmp_path / "runs.csv").write_text(
            "run_id,agent,task_id,submission\nrun,ada,demo/toy,a.ipynb\n"
        )
        (run,), bad = read_runs([tmp_path / "runs.csv"], lambda name: (name, "predictions"))
        assert (run.kind, bad) == ("notebook", [])
        folder, data = tmp_path / "tasks/demo/toy", tmp_path / "data/demo/toy/prepared"
        for path in (folder, data / "public", data / "private"):
            path.mkdir(parents=True)
        config = {
            "name": "Toy",
            "grader": {"name": "e", "metric": "rmse"},
            "submission": {"id": "id", "target": "y"},
        }
        (folder / "config.yaml").write_text(json.dumps(config))
        rows = "".join(f"r{i},0.5\n" for i in range(5))
        (data / "public/sample_submission.csv").write_text("id,y\n" + rows)
        (data / "private/answers.csv").write_text("id,y\n" + rows)
        (tmp_path / "a.ipynb").write_text("{}")
        context = Context(str(tmp_path / "data"), (str(tmp_path / "tasks"),), bootstrap=0)
        pair = Pair("demo/toy", "run", str(tmp_path / "a.ipynb"), run.kind)
        (row,) = run_pair(pair, context, tmp_path / "pair")["medal"].to_pylist()
        assert row["valid_submission"]
        assert row["score"] == pytest.approx(0.25 / 5**0.5)
        assert row["verdict"] == "pass"
    finally:
        all_kinds.cache_clear()
        sys.modules.pop("biomlbench.stages.kinds.notebook", None)
