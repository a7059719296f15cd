"""`biomlbench import`: run groups, published grading reports and leaderboards.

The published grader is written anew here from its documented rules: a score rounded to five
decimals; the better direction guessed from the first and the last row of the leaderboard;
thresholds read off the rows by position, in the order of the file.
"""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import median

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from biomlbench.cli import _cli
from biomlbench.cli._scaffold import make
from biomlbench.contracts import read_table
from biomlbench.grade import grade_csv
from biomlbench.importers import ImportRefusedError, compare
from biomlbench.importers.benchmark import merged, write_benchmark
from biomlbench.importers.compare import DIFFERENCES
from biomlbench.importers.groups import Entry, read_group
from biomlbench.importers.kaggle import import_leaderboard
from biomlbench.importers.published import match, read_report
from biomlbench.registry import Registry
from biomlbench.scoring.medals import medal_ranks, rank_score
from biomlbench.scoring.task_report import TaskReport
from biomlbench.task.prepare import prepare_task
from biomlbench.workflow.runs import read_runs

KAGGLE = Path(__file__).resolve().parents[3] / "shared" / "data" / "leaderboards_kaggle"
BOARD = [round(2 + 0.5 * i, 3) for i in range(40)]  # best first: 2.0, 2.5, ...


def published(task_id, path, score, board, exists=True):
    """Return an entry of a grading report, as a published grader makes it."""
    lower = board[0] < board[-1]
    limits = [board[rank - 1] for rank in medal_ranks(len(board))]
    score = None if score is None else round(score, 5)
    place = 3
    if score is not None:
        place = next((i for i, x in enumerate(limits) if (score <= x if lower else score >= x)), 3)
    medals = [place == i for i in range(3)]
    return {
        "task_id": task_id,
        "score": score,
        **dict(
            zip(("gold_threshold", "silver_threshold", "bronze_threshold"), limits, strict=True)
        ),
        "median_threshold": median(board),
        "any_medal": any(medals),
        **dict(zip(("gold_medal", "silver_medal", "bronze_medal"), medals, strict=True)),
        "above_median": score is not None and (score < median(board)) == lower,
        "submission_exists": exists,
        "valid_submission": score is not None,
        "is_lower_better": lower,
        "created_at": "2025-03-31T12:00:00",
        "submission_path": path,
    }


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A working directory with a prepared task of one's own, and predictions for it."""
    monkeypatch.chdir(tmp_path)
    make("task", "clinical/two-drugs", "my-tasks")
    folder = tmp_path / "my-tasks" / "clinical" / "two-drugs"
    (folder / "leaderboard.csv").write_text("score\n" + "".join(f"{s}\n" for s in BOARD))
    config = folder / "config.yaml"
    config.write_text(config.read_text().replace("# leaderboard:", "leaderboard:"))
    registry = Registry(tasks_dirs=["my-tasks"], data_dir="data")
    task = registry.get_task("two-drugs")
    prepare_task(task)
    with task.answers.open(newline="") as file:
        answers = list(csv.DictReader(file))
    group = tmp_path / "runs" / "2025-03-31_run-group_aide"

    def submit(name, error):
        """Write predictions whose root mean square error is `error`."""
        path = group / name / "submission" / "submission.csv"
        path.parent.mkdir(parents=True)
        rows = [f"{r['id']},{float(r['viability']) + error!r}\n" for r in answers]
        path.write_text("id,viability\n" + "".join(rows))
        return str(path.relative_to(group))

    return group, submit


def write_group(group, lines, reports, key="task_reports"):
    group.mkdir(parents=True, exist_ok=True)
    (group / "submission.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    path = group / "2025-04-01T00-00-00-GMT_grading_report.json"
    path.write_text(json.dumps({"total_runs": len(reports), key: reports}))


def run(*args):
    options = ["--tasks-dir", "my-tasks", "--data-dir", "data", "--json"]
    result = CliRunner().invoke(_cli, ["import", *map(str, args), *options])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_published_group_gives_the_medals_that_its_report_says(place):
    group, submit = place
    lines, reports = [], []
    for name, error in {"gold": 1.0, "silver": 4.5, "bronze": 8.0, "none": 30.0}.items():
        path = submit(name, error)
        lines.append({"task_id": "two-drugs", "submission_path": path, "logs_path": "x"})
        reports.append(published("two-drugs", f"runs/{group.name}/{path}", error, BOARD))
    write_group(group, lines, reports)
    told = run(group)
    assert [row["published"] for row in told["rows"]] == ["gold", "silver", "bronze", "none"]
    assert all(row["same"] and row["difference"] == row["reason"] == "" for row in told["rows"])
    for row, report in zip(told["rows"], reports, strict=True):
        assert row["our_score"] == pytest.approx(report["score"], abs=5e-6)


def test_a_program_of_a_group_is_graded_and_keeps_its_seed(place):
    group, _ = place
    (group / "a").mkdir(parents=True)
    (group / "a" / "model.py").write_text(
        "import os, shutil\n"
        "assert os.environ['SEED'] == '5'\n"
        "shutil.copy(os.environ['PUBLIC_DIR'] + '/sample_submission.csv',"
        " os.environ['OUTPUT_PATH'])\n"
    )
    line = {"task_id": "two-drugs", "submission_path": "a/model.py", "seed": 5}
    task = Registry(tasks_dirs=["my-tasks"], data_dir="data").get_task("two-drugs")
    score = grade_csv(task.sample_submission, task).score
    write_group(group, [line], [published("two-drugs", "a/model.py", score, BOARD)])
    told = run(group)
    (row,) = told["rows"]
    assert (row["difference"], row["same"], row["our_score"]) == ("", True, score)
    (taken,), bad = read_runs([told["runs"]], lambda name: (f"clinical/{name}", "predictions"))
    assert (taken.seed, taken.kind, bad) == (5, "program", [])


def test_a_bad_line_costs_only_itself_and_short_and_full_ids_are_one_task(place):
    group, submit = place
    path = submit("gold", 1.0)
    lines = [{"task_id": "two-drugs", "submission_path": path, "model": "of another harness"},
             {"competition_id": "clinical/two-drugs", "submission_path": None}]  # fmt: skip
    write_group(group, lines, [published("clinical/two-drugs", path, 1.0, BOARD)])
    with (group / "submission.jsonl").open("a") as file:
        file.write("not json\n")
    told = run(group)
    (message,) = told["left_out"]
    assert "submission.jsonl:3: not JSON" in message
    first, second = told["rows"]
    assert (first["task_id"], first["same"], first["ours"]) == ("clinical/two-drugs", True, "gold")
    assert (second["run_id"], second["difference"]) == (f"{first['run_id']}-2", "not_in_report")
    with open(told["runs"], newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["agent"] for row in rows] == ["aide", "aide"]
    assert [row["submission"] for row in rows][1] == "null"


def test_the_run_table_is_one_of_the_workflow(place):
    group, submit = place
    path = submit("gold", 1.0)
    lines = [{"task_id": "two-drugs", "submission_path": path}, *[
        {"competition_id": "two-drugs", "submission_path": None} for _ in range(2)
    ]]  # fmt: skip
    write_group(group, lines, [])
    told = run(group, "--agent", "aide", "--to", "taken")
    runs, bad = read_runs([told["runs"]], lambda name: (f"clinical/{name}", "predictions"))
    assert not bad
    assert len({r.run_id for r in runs}) == 3
    assert {r.agent for r in runs} == {"aide"}
    assert [Path(r.submission).is_file() for r in runs] == [True, False, False]


def test_every_difference_is_named(place):
    group, submit = place
    paths = {name: submit(name, error) for name, error in {
        "rounded": 3.500004, "other": 3.0, "none": 3.0, "board": 4.5, "invalid": 3.0,
        "contradiction": 3.0, "direction": 30.0, "unreported": 3.0,
    }.items()}  # fmt: skip
    reports = {
        "rounded": published("two-drugs", paths["rounded"], 3.500004, BOARD),
        "other": published("two-drugs", paths["other"], 9.0, BOARD),
        "none": published("two-drugs", paths["none"], 3.0, [x + 10 for x in BOARD]),
        "board": published("two-drugs", paths["board"], 4.5, [x / 2 for x in BOARD]),
        "invalid": published("two-drugs", paths["invalid"], None, BOARD),
        "contradiction": published("two-drugs", paths["contradiction"], 3.0, BOARD)
        | {"gold_medal": False, "silver_medal": True},
        "direction": published("two-drugs", paths["direction"], 30.0, BOARD[::-1]),
    }
    lines = [{"task_id": "two-drugs", "submission_path": path} for path in paths.values()]
    write_group(group, lines, list(reports.values()))
    rows = dict(zip(paths, run(group)["rows"], strict=True))
    assert {name: row["difference"] for name, row in rows.items()} == {
        "rounded": "rounding",
        "other": "score",
        "none": "",
        "board": "leaderboard",
        "invalid": "validity",
        "contradiction": "contradiction",
        "direction": "direction",
        "unreported": "not_in_report",
    }
    assert "3.5 there" in rows["rounded"]["reason"]
    assert rows["rounded"]["published"] == "gold"
    assert rows["rounded"]["ours"] == "silver"
    assert "9.0 there" in rows["other"]["reason"]
    assert rows["unreported"]["same"] is None


def test_an_unordered_leaderboard_is_recognised(place):
    """The published grader takes the fourth row for the fourth place."""
    group, submit = place
    unordered = [*BOARD[:3], BOARD[20], *BOARD[4:20], BOARD[3], *BOARD[21:]]
    board = Path("my-tasks/clinical/two-drugs/leaderboard.csv")
    board.write_text("score\n" + "".join(f"{s}\n" for s in unordered))
    path = submit("lucky", 11.0)
    report = published("two-drugs", path, 11.0, unordered)
    write_group(group, [{"task_id": "two-drugs", "submission_path": path}], [report])
    (row,) = run(group)["rows"]
    assert (row["published"], row["ours"]) == ("gold", "none")
    assert row["difference"] == "leaderboard_order"


def test_a_refused_leaderboard_is_the_reason(place):
    group, submit = place
    board = Path("my-tasks/clinical/two-drugs/leaderboard.csv")
    board.write_text("score\nnan\n")
    path = submit("gold", 1.0)
    report = published("two-drugs", path, 1.0, BOARD)
    write_group(group, [{"task_id": "two-drugs", "submission_path": path}], [report])
    (row,) = run(group)["rows"]
    assert (row["published"], row["ours"]) == ("gold", "none")
    assert row["our_score"] == pytest.approx(1.0)
    assert row["difference"] == "leaderboard_refused"
    assert "no thresholds here" in row["reason"]
    assert "leaderboard.csv" in row["reason"]


def test_a_task_that_is_not_here_is_judged_by_the_reports_own_figures(place):
    group, _ = place
    good = published("spooky", "a.csv", 3.0, BOARD)
    bad = published("spooky", "b.csv", 3.0, BOARD) | {"gold_medal": False}
    lines = [{"competition_id": "spooky", "submission_path": f"{x}.csv"} for x in "ab"]
    for report in (good, bad):
        report["competition_id"] = report.pop("task_id")
    write_group(group, lines, [good, bad], "competition_reports")
    first, second = run(group)["rows"]
    assert (first["same"], first["difference"], first["ours"]) == (True, "not_graded_here", "gold")
    assert (second["same"], second["difference"]) == (False, "contradiction")
    assert "earns gold" in second["reason"]


def test_tasks_can_be_renamed(place):
    group, submit = place
    path = submit("gold", 1.0)
    report = published("polaris/two", path, 1.0, BOARD)
    write_group(group, [{"task_id": "polaris/two", "submission_path": path}], [report])
    (row,) = run(group, "--task", "polaris/two=clinical/two-drugs")["rows"]
    assert (row["task_id"], row["same"], row["difference"]) == ("clinical/two-drugs", True, "")


boards = st.lists(
    st.integers(0, 60).map(lambda n: n / 16), min_size=2, max_size=300
)  # exact in five decimals or not, with ties


@given(
    boards,
    boards,
    st.floats(0, 4),
    st.sampled_from([0.0, 0.0, 3e-6, -3e-6, 0.1]),
    st.sampled_from(["maximize", "minimize"]),
)
def test_no_difference_is_left_without_a_reason(theirs, ours, score, shift, direction):
    """Whatever the boards, directions and scores are."""
    report = published("t", "s.csv", score + shift, theirs)
    ranking = rank_score(score, ours, direction)
    mine = TaskReport.from_dict(
        published("t", "s.csv", score, sorted(ours)) | ranking | {"score": score}
        | {"direction": direction, "is_lower_better": direction == "minimize"}
    )  # fmt: skip
    entry = Entry(1, "t", "s.csv", Path("s.csv"), "r")

    class Task:
        leaderboard = None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compare, "_grade", lambda task, entry: mine)
        ((entry, found),) = match([entry], [_read(report)])
        (row,) = compare.compare([(entry, found)], lambda _: Task)
    assert row.same == (row.published == row.ours)
    assert (row.difference == "") == row.same
    for code in filter(None, row.difference.split("+")):
        assert code in DIFFERENCES
    if not row.same:
        assert row.reason


def _read(report):
    from biomlbench.importers.published import published as read

    return read(report, "report", {})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("not json\n", "submission.jsonl:1: not JSON"),
        ("\n// a comment\n[]\n", "submission.jsonl:3: not a JSON object"),
        ('{"submission_path": "x.csv"}\n', "submission.jsonl:1: `task_id` is empty"),
        ('{"task_id": true, "submission_path": "x.csv"}\n', "`task_id` is True, not text"),
        ("# nothing\n\n", "lists no runs"),
    ],
)
def test_a_broken_group_is_refused_with_file_and_line(tmp_path, text, said):
    (tmp_path / "submission.jsonl").write_text(text)
    with pytest.raises(ImportRefusedError, match=said):
        read_group(tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"gold_medal": 1}, "entry 1: `gold_medal` is not true or false"),
        ({"gold_medal": True, "silver_medal": True}, "more than one medal"),
        ({"score": "high"}, "`score` is not a number"),
        ({"task_id": None}, "is text"),
    ],
)
def test_a_broken_report_is_refused_with_its_entry(tmp_path, change, said):
    path = tmp_path / "grading_report.json"
    path.write_text(json.dumps({"task_reports": [published("t", "s", 3.0, BOARD) | change]}))
    with pytest.raises(ImportRefusedError, match=said):
        read_report(path)
    path.write_text("{}")
    with pytest.raises(ImportRefusedError, match="no grading report"):
        read_report(path)


def test_repeated_runs_are_matched_by_path_then_by_order():
    entries = [Entry(i, "t", stated, Path(stated), str(i)) for i, stated in
               enumerate(["b/s.csv", "a/s.csv", "", ""], 1)]  # fmt: skip
    stated = ["runs/g/a/s.csv", "elsewhere.csv", "runs/g/b/s.csv"]
    reports = [_read(published("t", path, 3.0, BOARD)) for path in stated]
    found = [report and report.submission for _, report in match(entries, reports)]
    assert found == ["runs/g/b/s.csv", "runs/g/a/s.csv", "elsewhere.csv", None]


def test_a_leaderboard_of_kaggles_page(tmp_path):
    source = tmp_path / "export.csv"
    source.write_text(
        "Rank,TeamId,TeamName,LastSubmissionDate,Score\n"
        "1,11,Ann,2024-01-01,0.9\n2,12,Bob,2024-01-01,0.8\n2,13,Cem,2024-01-01,0.8\n4,14,Dan,,0.7\n"
    )
    to = tmp_path / "task" / "leaderboard.csv"
    assert import_leaderboard(source, to, "maximize") == (4, ())
    assert to.read_text() == "rank,score\n1,0.9\n2,0.8\n2,0.8\n4,0.7\n"
    with pytest.raises(ImportRefusedError, match=r"export\.csv: the rank column runs against"):
        import_leaderboard(source, to, "minimize")


def test_a_leaderboard_has_its_ending_in_any_case(tmp_path):
    source, to = tmp_path / "EXPORT.CSV", tmp_path / "leaderboard.csv"
    source.write_text("Rank,Score\n1,0.9\n2,0.8\n")
    options = ["--direction", "maximize", "--to", str(to)]
    done = CliRunner().invoke(_cli, ["import", str(source), *options])
    assert done.exit_code == 0, done.output
    assert to.read_text() == "rank,score\n1,0.9\n2,0.8\n"


def test_an_export_counts_as_the_leaderboard_that_it_is(tmp_path):
    source, to = tmp_path / "export.csv", tmp_path / "leaderboard.csv"
    source.write_text("Rank;TeamName;PublicScore;PrivateScore\n1;A;0;0.9\n2;A;0;0.8\n3;B;0;\n")
    teams, notes = import_leaderboard(source, to, "maximize")
    assert to.read_text() == "rank,score\n1,0.9\n"
    assert teams == 1
    assert [note[:17] for note in notes] == ["1 team(s) without", "1 more row(s) of "]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("team,points\nA,1\n", "no column `score` or `Private Score`"),
        ("team,score\nA\n", "row 1 has 1 cells"),
        ("team,score\nA,high\n", "not a finite number"),
    ],
)
def test_a_broken_leaderboard_is_refused(tmp_path, text, said):
    (tmp_path / "lb.csv").write_text(text)
    with pytest.raises(ImportRefusedError, match=said):
        import_leaderboard(tmp_path / "lb.csv", tmp_path / "out.csv", "maximize")
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.skipif(not KAGGLE.is_dir(), reason=f"real leaderboards not found in {KAGGLE}")
def test_real_leaderboards_keep_their_scores(tmp_path):
    from biomlbench.scoring.leaderboard import read_leaderboard

    lower = {"bms-molecular-translation", "rsna-2022-cervical-spine-fracture-detection",
             "ventilator-pressure-prediction"}  # fmt: skip
    for source in sorted(KAGGLE.glob("*.csv")):
        direction = "minimize" if source.stem in lower else "maximize"
        to = tmp_path / source.name
        teams, _ = import_leaderboard(source, to, direction)
        board, again = read_leaderboard(source, direction), read_leaderboard(to, direction)
        assert teams == len(board) > 100
        assert again.ascending.tolist() == board.ascending.tolist()


def test_the_command_wants_a_direction_and_says_what_is_wrong(tmp_path):
    source = tmp_path / "lb.csv"
    source.write_text("score\n1\n2\n")
    call = ["import", str(source), "--to", str(tmp_path / "o.csv")]
    assert "which way is better" in CliRunner().invoke(_cli, call).output
    result = CliRunner().invoke(_cli, [*call, "--direction", "minimize", "--json"])
    assert json.loads(result.output)["teams"] == 2
    (tmp_path / "group").mkdir()
    result = CliRunner().invoke(_cli, ["import", str(tmp_path / "group")])
    assert result.exit_code == 1
    assert "no such file" in result.output
    result = CliRunner().invoke(_cli, ["import", str(tmp_path / "group"), "--task", "a"])
    assert result.exit_code == 2


@pytest.mark.slow
def test_groups_run_through_the_workflow_and_back_into_their_own_form(place):
    """Groups in, medals out in the published form, which imports without a difference."""
    group, submit = place
    other = group.with_name("2025-04-02_run-group_stella")
    errors = {"gold": 1.0, "bronze": 8.0, "none": 30.0}
    paths = {name: submit(name, error) for name, error in errors.items()}
    write_group(group, [{"task_id": "two-drugs", "submission_path": p} for p in paths.values()], [])
    (other / "gold.csv").parent.mkdir()
    shutil.copyfile(group / paths["gold"], other / "gold.csv")
    lines = [{"competition_id": "two-drugs", "submission_path": "gold.csv"}]
    write_group(other, [*lines, {"competition_id": "two-drugs", "submission_path": None}], [])
    command = [sys.executable, "-m", "biomlbench.cli", "import", "--run", group, other]
    command += ["--to", "taken", "-c", "1", "--tasks-dir", "my-tasks", "--data-dir", "data"]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    config = yaml.safe_load(Path("taken/config.yaml").read_text())
    assert config["runs"] == ["taken/runs.csv"]
    pairs = read_table("pairs", Path("taken/results/pairs.parquet")).to_pylist()
    medals = sorted((row["agent"], row["medal"]) for row in pairs)
    assert medals == [
        *[("aide", "bronze"), ("aide", "gold"), ("aide", "none")],
        *[("stella", "gold"), ("stella", "none")],
    ]

    back = ["export", "taken/results", "--format", "bioml-bench", "--to", "back"]
    assert CliRunner().invoke(_cli, back).exit_code == 0
    theirs = json.loads(Path("back/grading_report.json").read_text())
    assert theirs["total_runs"] == 5
    lines = [{k: r[k] for k in ("task_id", "submission_path")} for r in theirs["task_reports"]]
    for line in lines:
        path = line["submission_path"]
        line["submission_path"] = str(Path(path).absolute()) if path else None
    # A list names files below its own folder only.
    Path("submission.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    told = run("submission.jsonl", "--report", "back/grading_report.json")
    assert [row["same"] for row in told["rows"]] == [True] * 5, told["rows"]


def test_runs_of_several_groups_keep_ids_of_their_own():
    runs = [Entry(1, "t", "s", Path("s"), "a" * 100), Entry(2, "u", "s", Path("s"), "a" * 100)]
    found = merged([runs, runs, runs])
    assert len({(e.task_id, e.run_id) for e in found}) == 6
    assert all(len(e.run_id) == 100 for e in found)
    assert found[2].run_id.endswith(".2")


def test_a_config_of_somebody_else_is_not_overwritten(tmp_path):
    (tmp_path / "config.yaml").write_text("title: mine\n")
    with pytest.raises(ImportRefusedError, match="name another folder with --to"):
        write_benchmark([Entry(1, "t", "s", Path("s"), "r")], tmp_path, title="x")
    assert (tmp_path / "config.yaml").read_text() == "title: mine\n"


def test_several_groups_without_run_are_refused(place):
    group, _ = place
    write_group(group, [{"task_id": "two-drugs", "submission_path": None}], [])
    done = CliRunner().invoke(_cli, ["import", str(group), str(group)])
    assert done.exit_code == 2
    assert "--run" in done.output
