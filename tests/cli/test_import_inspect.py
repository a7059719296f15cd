"""`biomlbench import` of Inspect AI's logs: what in them becomes what here."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from biomlbench.cli import _cli
from biomlbench.importers import ImportRefusedError, inspect_logs
from biomlbench.importers.inspect_logs import NO_SUBMISSION, REMEDY, Taken, find_logs, take
from biomlbench.workflow.runs import read_runs
from tests.cli.test_import import BOARD, place, published  # noqa: F401

CSV = "id,viability\n1,0.5\n"


def sample(name="two-drugs", epoch=1, **more):
    fields = {"store": {}, "metadata": {}, "scores": {}, "attachments": {}, "completed_at": None}
    fields |= {"model_usage": {"m": SimpleNamespace(total_tokens=120)}, "total_time": 2.5}
    return SimpleNamespace(id=name, epoch=epoch, **fields | more)


def score(value=1.0, **metadata):
    return SimpleNamespace(value=value, metadata=metadata)


def log(*samples, task="mine/two-drugs", solver=None):
    spec = SimpleNamespace(
        task=task, model="mockllm/model", solver=solver, created="2025-03-31T12:00:00+00:00",
        revision=SimpleNamespace(commit="abc123"),
    )  # fmt: skip
    return SimpleNamespace(eval=spec, samples=list(samples))


def taken_from(tmp_path, *logs, rename=None, agent=None):
    taken = Taken()
    for number, one in enumerate(logs):
        take(one, tmp_path / f"log-{number}.eval", tmp_path / "to", taken, rename or {}, agent)
    return taken


@pytest.mark.parametrize(
    ("fields", "suffix"),
    [
        ({"store": {"submission.csv": CSV}}, ".csv"),
        ({"store": {"Kept:submission_csv": CSV}}, ".csv"),
        ({"metadata": {"/home/submission/submission.csv": CSV}}, ".csv"),
        ({"scores": {"graded": score(submission_py=CSV)}}, ".py"),
        ({"store": {"submission.csv": "attachment://abc"}, "attachments": {"abc": CSV}}, ".csv"),
    ],
)
def test_a_submission_in_the_log_is_written(tmp_path, fields, suffix):
    taken = taken_from(tmp_path, log(sample(**fields)))
    (entry,) = taken.entries
    assert (entry.submission.suffix, entry.submission.read_text()) == (suffix, CSV)
    assert entry.submission.is_relative_to(tmp_path / "to" / "submissions")
    assert taken.submissions == 1


def test_a_submission_may_be_a_file_beside_the_log(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "a.csv").write_text(CSV)
    taken = taken_from(tmp_path, log(sample(metadata={"submission_path": "kept/a.csv"})))
    assert taken.entries[0].submission == tmp_path / "kept" / "a.csv"


@pytest.mark.parametrize(
    "stated",
    ["../rival/r.csv", "{rival}/r.csv", "kept/../../rival/r.csv", "way/r.csv", "r.csv", "a\0b",
     "n" * 5000, "kept", "..", "/etc/passwd"],
)  # fmt: skip
@pytest.mark.parametrize("held", ["store", "metadata", "scores"])
def test_a_path_in_a_log_names_no_file_outside_of_its_folder(tmp_path, stated, held):
    logs, rival = tmp_path / "eve", tmp_path / "rival"
    (logs / "kept").mkdir(parents=True)
    rival.mkdir()
    (rival / "r.csv").write_text(CSV)
    (logs / "way").symlink_to(rival)
    (logs / "r.csv").symlink_to(rival / "r.csv")
    said = {"submission_path": stated.format(rival=rival)}
    one = sample(**{held: {"graded": score(**said)} if held == "scores" else said})
    taken = taken_from(logs, log(one))
    assert taken.submissions == 0
    assert not taken.entries[0].submission.exists()
    assert taken.entries[0].submission.parent == logs


def test_a_path_in_a_log_may_be_absolute_or_lead_through_links_of_its_folder(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/a.csv").write_text(CSV)
    (tmp_path / "last").symlink_to("kept")
    for stated in (str(tmp_path / "kept/a.csv"), "last/a.csv", "kept/../kept/a.csv"):
        taken = taken_from(tmp_path, log(sample(store={"submission_path": stated})))
        assert taken.submissions == 1
        assert taken.entries[0].submission.read_text() == CSV


@pytest.mark.parametrize(
    ("fields", "task"),
    [
        ({"name": "two-drugs"}, "two-drugs"),
        ({"name": 7}, "drugs"),
        ({"name": 7, "metadata": {"task_id": "clinical/x"}}, "clinical/x"),
        ({"name": "a", "metadata": {"competition_id": "spooky"}}, "spooky"),
        ({"name": "theirs"}, "ours"),
    ],
)
def test_the_task_of_a_sample(tmp_path, fields, task):
    taken = taken_from(
        tmp_path, log(sample(**fields), task="mine/drugs"), rename={"theirs": "ours"}
    )
    assert taken.entries[0].task_id == task


def test_epochs_are_attempts_and_the_model_is_the_agent(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runs = [sample(epoch=n, store={"submission.csv": CSV}) for n in (1, 2)]
    logs = [log(*runs), log(sample(), solver="react")]
    taken = taken_from(tmp_path, *logs)
    table, scores = inspect_logs.write_tables(taken, tmp_path / "to")
    read, bad = read_runs([table], lambda name: (f"clinical/{name}", "predictions"))
    assert not bad
    assert [(run.agent, run.attempt, run.time) for run in read] == [
        ("mockllm/model", 1, "2025-03-31T12:00:00+00:00"),
        ("mockllm/model", 2, "2025-03-31T12:00:00+00:00"),
        ("react+mockllm/model", 1, "2025-03-31T12:00:00+00:00"),
    ]
    assert len({run.run_id for run in read}) == 3
    assert read[0].metadata == {
        "meta_model": "mockllm/model",
        "meta_commit": "abc123",
        "meta_log": "log-0.eval",
        "meta_tokens": 120,
        "meta_wall_time_s": 2.5,
    }
    assert [Path(run.submission).is_file() for run in read] == [True, True, False]
    assert scores.read_text() == "run_id,task_id,scorer,value\n"


def test_names_in_a_log_lead_nowhere_else(tmp_path):
    one = sample(metadata={"task_id": "../../../x"}, store={"submission.csv": CSV})
    (entry,) = taken_from(tmp_path, log(one)).entries
    folder = tmp_path / "to" / "submissions"
    assert entry.submission.resolve().is_relative_to(folder.resolve())


def test_without_the_reader_the_mend_is_named(tmp_path, monkeypatch):
    path = tmp_path / "a.eval"
    path.write_bytes(b"")
    monkeypatch.setitem(__import__("sys").modules, "inspect_ai.log", None)
    result = CliRunner().invoke(_cli, ["import", str(path)])
    assert result.exit_code == 1
    assert REMEDY in result.output
    assert "Traceback" not in result.output


def test_a_log_without_submissions_is_refused_with_the_mend(tmp_path, monkeypatch):
    monkeypatch.setattr(inspect_logs, "_read", lambda _: log(sample(store={"notes": "x"})))
    with pytest.raises(ImportRefusedError, match="submission") as error:
        inspect_logs.read_logs([tmp_path / "a.eval"], tmp_path / "to")
    assert NO_SUBMISSION in str(error.value)


def test_a_folder_of_logs_is_told_from_a_run_group(tmp_path):
    assert find_logs(tmp_path) == []
    (tmp_path / "b.eval").touch()
    (tmp_path / "a.EVAL").touch()
    assert [path.name for path in find_logs(tmp_path)] == ["a.EVAL", "b.eval"]
    assert find_logs(tmp_path / "a.EVAL") == [tmp_path / "a.EVAL"]
    (tmp_path / "submission.jsonl").touch()
    assert find_logs(tmp_path) == []


def invoke(path, *more):
    options = ["--tasks-dir", "my-tasks", "--data-dir", "data", "--to", "to", *more]
    return CliRunner().invoke(_cli, ["import", str(path), *options])


def test_a_grading_report_in_the_log_is_compared(place, tmp_path, monkeypatch):  # noqa: F811
    group, submit = place
    text = (group / submit("gold", 1.0)).read_text()
    report = published("two-drugs", "submission.csv", 1.0, BOARD)
    one = sample(store={"submission.csv": text}, scores={"graded": score({"a": 1}, report=report)})
    monkeypatch.setattr(inspect_logs, "_read", lambda _: log(one))
    (tmp_path / "a.eval").touch()
    result = invoke(tmp_path / "a.eval", "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.output)
    assert [(r["published"], r["ours"], r["same"]) for r in told["rows"]] == [
        ("gold", "gold", True)
    ]
    with Path(told["scores"]).open(newline="") as file:
        assert [line["value"] for line in csv.DictReader(file)] == ['{"a": 1}']


def test_tasks_that_nobody_has_here_are_told_once(place, tmp_path, monkeypatch):  # noqa: F811
    names = ("two-drugs", "two-drug", "two-drug", "elsewhere")
    samples = [sample(metadata={"task_id": name}, store={"submission.csv": CSV}) for name in names]
    monkeypatch.setattr(inspect_logs, "_read", lambda _: log(*samples))
    (tmp_path / "a.eval").touch()
    done = invoke(tmp_path / "a.eval", "--json")
    assert json.loads(done.stdout)["unknown_tasks"] == ["two-drug", "elsewhere"]
    first, second = done.stderr.strip().splitlines()
    assert "there is no task 'two-drug'; did you mean" in first
    assert "(2 runs of it; to take another task for it, --task)" in first
    assert "there is no task 'elsewhere'" in second
    assert "(1 run of it" in second


def test_a_log_that_the_library_wrote(place, tmp_path):  # noqa: F811
    pytest.importorskip("inspect_ai", reason="inspect-ai is not installed (extra `inspect`)")
    import inspect_ai
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import Score, accuracy, scorer
    from inspect_ai.solver import solver

    group, submit = place
    texts = {epoch: (group / submit(f"e{epoch}", error)).read_text()
             for epoch, error in ((1, 1.0), (2, 30.0))}  # fmt: skip

    @solver
    def predict():
        async def solve(state, generate):
            state.store.set("submission.csv", texts[state.epoch])
            return state

        return solve

    @scorer(metrics=[accuracy()])
    def graded():
        async def give(state, target):
            return Score(value=1.0, metadata={"report": published("x", "s", 1.0, BOARD)})

        return give

    task = inspect_ai.Task(
        dataset=[Sample(id="two-drugs", input="predict", target="x")],
        solver=predict(), scorer=graded(), epochs=2, name="trial",
    )  # fmt: skip
    done = inspect_ai.eval(task, model="mockllm/model", log_dir="logs", display="none")
    assert done[0].status == "success"
    told = json.loads(invoke("logs", "--json").output)
    assert [(r["published"], r["ours"]) for r in told["rows"]] == [
        ("gold", "gold"),
        ("gold", "none"),
    ]
    assert all(row["same"] or row["reason"] for row in told["rows"])
    (tmp_path / "broken.eval").write_bytes(b"no log")
    refused = invoke(tmp_path / "broken.eval")
    assert refused.exit_code == 1
    assert "Inspect AI cannot read it" in refused.output
