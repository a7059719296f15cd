"""What jobs of one process look up of a task once is looked up again where anything has changed."""

from __future__ import annotations

import json
from types import MappingProxyType

import pytest

from biomlbench.runtime import once as looks
from biomlbench.runtime.once import once, one_look
from biomlbench.stages import Context, Pair, run_pair
from biomlbench.stages.data_state import state_of_data
from biomlbench.stages.missing_evidence import missing_evidence
from biomlbench.stages.prepare import compute

TASK = "toy/levels"
IDS = [f"r{number}" for number in range(40)]
PREPARER = """
def prepare(raw, public, private):
    rows = [("r%d" % n, n * 0.37 % 1) for n in range(40)]
    write = lambda path, of: path.write_text(
        "id,y\\n" + "".join("%s,%s\\n" % (i, of(y)) for i, y in rows)
    )
    write(public / "sample_submission.csv", lambda y: 0.5)
    write(private / "answers.csv", lambda y: y)
    write(private / "gold_submission.csv", lambda y: y)
"""


def table(values):
    return "id,y\n" + "".join(f"{i},{y}\n" for i, y in zip(IDS, values, strict=True))


TRUTH = [number * 0.37 % 1 for number in range(40)]


@pytest.fixture
def made(tmp_path):
    folder = tmp_path / "tasks/toy/levels"
    folder.mkdir(parents=True)
    config = {
        "name": "Levels",
        "preparer": "prepare:prepare",
        "grader": {"name": "rmse", "metric": "rmse", "direction": "minimize"},
        "submission": {"id": "id", "target": "y", "columns": {"y": {"type": "number"}}},
    }
    (folder / "config.yaml").write_text(json.dumps(config))
    (folder / "description.md").write_text("Predict y.\n")
    (folder / "prepare.py").write_text(PREPARER)
    (folder / "leaderboard.csv").write_text("score\n" + "".join(f"0.{n}\n" for n in range(1, 9)))
    submission = tmp_path / "s.csv"
    submission.write_text(table([y + 0.05 * (-1) ** n for n, y in enumerate(TRUTH)]))
    context = Context(str(tmp_path / "data"), (str(tmp_path / "tasks"),), bootstrap=50)
    compute(TASK, context)
    return context, Pair(TASK, "run", str(submission)), folder


def rows(context, pair, folder):
    return {stage: table.to_pylist() for stage, table in run_pair(pair, context, folder).items()}


def data(context):
    return context.task(TASK).home / "prepared"


def other_answers(context, folder):
    (data(context) / "private/answers.csv").write_text(table([y + 0.2 for y in TRUTH]))


def worse_gold(context, folder):
    (data(context) / "private/gold_submission.csv").write_text(table([3.0] * 40))


def other_leaderboard(context, folder):
    (folder / "leaderboard.csv").write_text("score\n" + "0.01\n" * 8)


def leaderboard_of_the_data(context, folder):
    (data(context) / "public/leaderboard.csv").write_text("score\n" + "0.01\n" * 8)


def humans(context, folder):
    (folder / "human_baselines.csv").write_text("score\n0.04\n0.3\n")


def answers_to_copy(context, folder):
    (data(context) / "public/hint.csv").write_text(
        table([y + 0.05 * (-1) ** n for n, y in enumerate(TRUTH)])
    )


def other_metric(context, folder):
    config = json.loads((folder / "config.yaml").read_text())
    config["grader"]["metric"] = "mae"
    (folder / "config.yaml").write_text(json.dumps(config))


CHANGES = [
    *(other_answers, worse_gold, other_leaderboard, leaderboard_of_the_data, humans),
    *(answers_to_copy, other_metric),
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_change_between_two_jobs_is_seen(made, tmp_path, change, monkeypatch):
    context, pair, folder = made
    before = rows(context, pair, tmp_path / "before")
    assert rows(context, pair, tmp_path / "again") == before
    change(context, folder)
    after = rows(context, pair, tmp_path / "after")
    monkeypatch.setattr(looks, "_kept", looks.OrderedDict())
    fresh = Context(context.data_dir, context.tasks_dirs, bootstrap=50)
    assert after == rows(fresh, pair, tmp_path / "fresh")
    assert after != before


def test_what_speaks_against_the_tasks_own_submissions_is_seen(made):
    context, pair, _ = made
    gold = data(context) / "private/gold_submission.csv"

    def missing():
        with one_look(state_of_data(pair, context)):
            return " ".join(missing_evidence(context.task(TASK)))

    assert "there is no" not in missing()
    gold.rename(gold.with_suffix(".away"))
    assert "there is no" in missing()
    gold.with_suffix(".away").rename(gold)
    (data(context) / "public/sample_submission.csv").write_text(table(TRUTH))
    assert "the sample submission is as good as the gold submission" in missing()


def test_a_board_that_the_config_names_is_seen_and_so_is_its_change(made, tmp_path):
    context, pair, _ = made
    board = tmp_path / "board.csv"
    boards = {"own": None, "first": "0.01\n" * 8, "second": "0.9\n" * 8}
    medals = {}
    for name, text in boards.items():
        changes = {}
        if text:
            board.write_text("score\n" + text)
            changes = {"leaderboard": str(board)}
        other = Context(
            context.data_dir, context.tasks_dirs, bootstrap=50, overrides=MappingProxyType(changes)
        )
        medals[name] = rows(other, pair, tmp_path / name)["medal"][0]["leaderboard_position"]
    assert medals == {"own": 1, "first": 9, "second": 1}


def test_jobs_of_an_unchanged_task_look_once(made, tmp_path, monkeypatch):
    context, pair, _ = made
    monkeypatch.setattr(looks, "_kept", looks.OrderedDict())
    run_pair(pair, context, tmp_path / "a")
    looked = []
    monkeypatch.setattr("biomlbench.stages.missing_evidence._missing", looked.append)
    run_pair(pair, context, tmp_path / "b")
    assert looked == []


def test_nothing_is_kept_of_what_lies_beside_the_task(made):
    context, pair, folder = made
    (folder / "leaderboard.csv").rename(folder.parent / "board.csv")
    config = json.loads((folder / "config.yaml").read_text()) | {"leaderboard": "../board.csv"}
    (folder / "config.yaml").write_text(json.dumps(config))
    assert state_of_data(pair, context) is None


def test_nothing_is_kept_of_data_behind_links_and_of_large_ones(made, tmp_path, monkeypatch):
    context, pair, _ = made
    assert state_of_data(pair, context) is not None
    monkeypatch.setattr("biomlbench.stages.data_state._MOST_BYTES", 100)
    assert state_of_data(pair, context) is None
    monkeypatch.undo()
    public = data(context) / "public"
    public.rename(tmp_path / "elsewhere")
    public.symlink_to(tmp_path / "elsewhere")
    assert state_of_data(pair, context) is None


def test_states_are_forgotten_after_a_few():
    with one_look("first"):
        assert once("number", lambda: 1) == 1
    with one_look("first"):
        assert once("number", lambda: 2) == 1
    for state in range(40):
        with one_look(state):
            once("number", lambda: 0)
    with one_look("first"):
        assert once("number", lambda: 3) == 3
