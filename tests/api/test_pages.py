"""Every code block of the documented API runs, on the published page and on ours."""

import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from biomlbench.registry import registry
from biomlbench.task.prepare import prepare_task
from tests.controls import right_submission

REPOSITORY = Path(__file__).resolve().parents[2]
OURS = REPOSITORY / "docs" / "reference" / "grading-api.md"
#: Imports that the published page forgot.
FORGOTTEN = "from pathlib import Path\nimport numpy as np\nimport pandas as pd\n"


def blocks_of(page):
    """The Python blocks of a page, each with its first line's number, for tracebacks."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [(text.count("\n", 0, match.start(1)), match[1]) for match in found]


def run(page, number, line, code, namespace):
    padded = "\n" * line + code
    exec(compile(padded, f"{page.name}, block {number}", "exec"), namespace)


@pytest.fixture
def published(shared, tmp_path, monkeypatch):
    """The page, and around it the files that it names."""
    page = shared / "spec" / "grading-api.md"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BIOMLBENCH_DATA_DIR", str(tmp_path / "data"))
    task = registry.get_task("caco2-wang")
    task.raw_dir.mkdir(parents=True)
    shutil.copy(shared / "data" / "small_molecule" / "caco2_wang.csv", task.raw_dir)
    prepare_task(task)
    group = tmp_path / "runs" / "my-run-group"
    group.mkdir(parents=True)
    for path in (tmp_path / "submission.csv", group / "submission.csv"):
        right_submission(task.gold_submission, path)
    (group / "submission.jsonl").write_text(
        '{"task_id": "caco2-wang", "submission_path": "submission.csv"}\n'
    )
    (tmp_path / "human_baselines.csv").write_text("score\n0.8\n0.85\n0.9\n")
    (tmp_path / "my_module").mkdir()
    (tmp_path / "my_module" / "metrics.py").write_text(
        FORGOTTEN + "def rmse_metric(submission, answers):\n"
        "    errors = answers['target'].values - submission['prediction'].values\n"
        "    return np.sqrt(np.mean(errors**2))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.split(".")[0] == "my_module"]:
        monkeypatch.delitem(sys.modules, name)
    return page


def start():
    """Names that the page uses without saying where they come from."""
    namespace = {"__name__": "page"}
    exec(FORGOTTEN, namespace)
    namespace["submission_df"] = pd.DataFrame({"prediction": [1.0, 2.0]})
    namespace["answers_df"] = pd.DataFrame({"target": [1.0, 4.0]})
    return namespace


def test_the_published_page_runs_in_order(published, capsys, tmp_path):
    namespace = start()
    blocks = blocks_of(published)
    assert len(blocks) == 6
    for number, (line, code) in enumerate(blocks, 1):
        run(published, number, line, code, namespace)
    shown = capsys.readouterr().out
    assert "Score: 0.0\n" in shown
    assert "Medal: \N{FIRST PLACE MEDAL}" in shown
    assert "Agent beats human median: True" in shown
    assert f"Agent percentile vs humans: {100 * 2 / 3}%" in shown
    assert namespace["score"] == np.sqrt(2.0)
    assert len(list((tmp_path / "results").glob("*_grading_report.json"))) == 1
    assert len(list((tmp_path / "results").glob("*_individual_reports/caco2-wang.json"))) == 1
    # By then `submission_path` names the list of submissions, which is none itself.
    assert "Submission error: Submission invalid!" in shown


def test_each_block_of_the_published_page_runs_by_itself(published, capsys):
    """With the single submission of the first block where a block takes one up."""
    from biomlbench.grade import grade_csv

    for number, (line, code) in enumerate(blocks_of(published), 1):
        namespace = start()
        namespace |= {
            "task": registry.get_task("caco2-wang"),
            "submission_path": Path("submission.csv"),
            "grade_csv": grade_csv,
        }
        run(published, number, line, code, namespace)
    shown = capsys.readouterr().out
    assert "Submission is valid" in shown
    assert "Gold medal: True" in shown
    assert namespace["report_dict"]["score"] == 0.0


def test_the_names_that_the_published_page_documents_exist(shared):
    import importlib

    text = (shared / "spec" / "grading-api.md").read_text(encoding="utf-8")
    names = re.findall(r"^::: (\S+)$", text, re.MULTILINE)
    assert len(names) == 6
    for name in names:
        module, _, attribute = name.rpartition(".")
        assert getattr(importlib.import_module(module), attribute).__doc__


def test_our_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "page"}
    blocks = blocks_of(OURS)
    assert len(blocks) == 9
    for number, (line, code) in enumerate(blocks, 1):
        run(OURS, number, line, code, namespace)
    assert "silver is out of reach" in capsys.readouterr().out
