"""The documented functions and classes: one submission, its report, graders, humans."""

import dataclasses
import json
import math
import random
import shutil
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from biomlbench.contracts import SCHEMAS
from biomlbench.errors import GraderError, NotPreparedError, TaskError
from biomlbench.frames import as_frame
from biomlbench.grade import (
    aggregate_reports,
    calculate_human_performance_metrics,
    grade_csv,
    grade_submission,
    validate_submission,
)
from biomlbench.grade_helpers import Grader, InvalidSubmissionError, TaskReport
from biomlbench.scoring.humans import compare_with_humans, human_tiers, read_human_baselines
from biomlbench.scoring.leaderboard import read_leaderboard
from biomlbench.scoring.medals import rank_score
from biomlbench.scoring.score import score_submission
from biomlbench.task.submission_columns import SubmissionSchema

PUBLISHED_FIELDS = {
    *("task_id", "score", "gold_threshold", "silver_threshold", "bronze_threshold"),
    *("median_threshold", "any_medal", "gold_medal", "silver_medal", "bronze_medal"),
    *("above_median", "submission_exists", "valid_submission", "is_lower_better", "created_at"),
    *("submission_path", "leaderboard_percentile", "leaderboard_size", "leaderboard_position"),
    *("beats_human", "human_percentile"),
}
DOCUMENTED_SUMMARY = {
    *("total_runs", "total_runs_with_submissions", "total_valid_submissions", "total_medals"),
    *("total_gold_medals", "total_silver_medals", "total_bronze_medals", "total_above_median"),
    *("total_beats_human", "avg_leaderboard_percentile", "best_leaderboard_percentile"),
    *("worst_leaderboard_percentile", "task_reports"),
}


def test_a_full_report(factory, good):
    task = factory.task(leaderboard=(0.99, 0.9, 0.8, 0.7, 0.6), humans=(0.5, 0.9, 1.0))
    path = factory.submission(good)
    report = grade_csv(path, task)
    assert report.task_id == "demo/toy-task"
    assert report.score == 1.0
    assert (report.gold_medal, report.silver_medal, report.bronze_medal) == (True, False, False)
    assert (report.any_medal, report.above_median) == (True, True)
    assert (report.gold_threshold, report.bronze_threshold, report.median_threshold) == (
        0.99,
        0.9,
        0.8,
    )
    assert (report.leaderboard_percentile, report.leaderboard_size) == (100.0, 5)
    assert report.leaderboard_position == 1
    assert (report.beats_human, report.human_percentile) == (True, 100.0)
    assert (report.submission_exists, report.valid_submission) == (True, True)
    assert not report.is_lower_better
    assert report.submission_path == str(path)
    assert isinstance(report.created_at, datetime)
    assert "silver is out of reach" in report.medal_note
    assert report.p_gold is None


def test_a_report_with_its_interval(factory, good):
    report = grade_csv(factory.submission(good), factory.task(), bootstrap=1000)
    assert report.score_low <= report.score <= report.score_high
    assert report.p_gold + report.p_silver + report.p_bronze <= 1
    assert report.on_boundary in (True, False)


def test_every_format_grades_alike(factory, good):
    task = factory.task()
    csv = factory.submission(good)
    frame = pd.read_csv(csv)
    frame.to_parquet(factory.root / "s.parquet", index=False)
    frame.to_csv(factory.root / "s.tsv.gz", sep="\t", index=False)
    first = grade_submission(csv, task)
    for name in ("s.parquet", "s.tsv.gz"):
        other = grade_submission(factory.root / name, task)
        assert dataclasses.replace(other, submission_path=first.submission_path) == first


@pytest.mark.parametrize(
    ("text", "exists", "reason"),
    [(None, False, "missing_file"), (b"\0\1\2", True, "unreadable"), (b"id,y\n", True, "empty")],
)
def test_an_invalid_submission_says_why(factory, text, exists, reason):
    task = factory.task(humans=(0.5,))
    path = factory.root / "submission.csv"
    if text is not None:
        path.write_bytes(text)
    report = grade_csv(path, task)
    assert (report.submission_exists, report.valid_submission, report.score) == (
        exists,
        False,
        None,
    )
    assert (report.reason, report.fault) == (reason, "submission")
    assert report.message
    assert not report.any_medal
    assert report.leaderboard_percentile is None
    assert report.gold_threshold == 0.9
    assert report.beats_human is None


def test_without_a_leaderboard_there_are_no_medals(factory, good):
    report = grade_csv(factory.submission(good), factory.task(leaderboard=None))
    assert report.score == 1.0
    assert not report.any_medal
    assert report.gold_threshold is None
    assert report.medal_note == "the task has no leaderboard, so it awards no medals"
    assert TaskReport.from_dict(report.to_dict()) == report


def test_the_tasks_and_the_graders_faults_are_raised(factory, good):
    path = factory.submission(good)
    broken = factory.task("d/board", leaderboard="score\n0.5\nnan\n")
    other = factory.task("d/other", leaderboard=(12.0, 11.0))
    humans = factory.task("d/humans", humans=("high", 0.5))
    for task, reason, said in (
        (broken, "broken_leaderboard", "row 2"),
        (other, "broken_leaderboard", "outside the metric's range"),
        (humans, "broken_task", "score"),
    ):
        report = grade_csv(path, task)
        assert (report.score, report.valid_submission) == (1.0, True)
        assert (report.reason, report.fault) == (reason, "task")
        assert said in report.message
    assert report.gold_medal
    bug = factory.task(
        "d/bug",
        config={"grader": {"name": "x", "grade_fn": "grade:grade", "direction": "maximize"}},
        files={"grade.py": "def grade(submission, answers):\n    return undefined\n"},
    )
    with pytest.raises(GraderError, match="NameError"):
        grade_csv(path, bug)
    task = factory.task("d/unprepared")
    shutil.rmtree(factory.data)
    with pytest.raises(NotPreparedError):
        grade_csv(path, task)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"bootstrap": -1}, "bootstrap: -1 is no whole number"),
        ({"bootstrap": 10**12}, "resamples are more than 100000"),
        ({"bootstrap": "x"}, "bootstrap: 'x' is no whole number"),
        ({"bootstrap": 1000, "seed": -1}, "seed: -1 is no whole number"),
        ({"seed": 0.5}, "seed: 0.5 is no whole number"),
    ],
)
def test_wrong_arguments_are_the_callers_fault(factory, good, arguments, said):
    with pytest.raises(ValueError, match=said):
        grade_submission(good, factory.task("clinical/a"), **arguments)
    with pytest.raises(TypeError, match=r"registry.get_task\('clinical/a'\)"):
        grade_submission(good, "clinical/a")


def test_a_problem_card_takes_code(factory):
    folder = factory.tasks / "kernels" / "softmax"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("kind: functions\nentry_points: [softmax]\n")
    task = factory.get("softmax")
    assert (task.kind, task.metric, task.direction) == ("functions", None, "maximize")
    path = factory.submission(name="s.py", text="def softmax(x):\n    return x\n")
    assert validate_submission(path, task) == (True, "Submission is valid.")
    path = factory.submission(name="s.py", text="def softmax(x:\n")
    assert not validate_submission(path, task)[0]
    path = factory.submission(name="s.py", text="def softmax(x):\n    return x\n")
    with pytest.raises(TaskError, match=r"reference\.py: the file does not exist"):
        grade_csv(path, task)


def test_report_survives_json_and_compares_without_the_clock(factory, good):
    task, path = factory.task(humans=(0.5, 0.7)), factory.submission(good)
    first, second = grade_csv(path, task, bootstrap=1000), grade_csv(path, task, bootstrap=1000)
    assert first == second
    assert first.created_at != second.created_at
    text = json.dumps(first.to_dict(), allow_nan=False)
    back = TaskReport.from_dict(json.loads(text))
    assert back == first
    assert back.created_at == first.created_at
    assert set(first.to_dict()) >= PUBLISHED_FIELDS
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.score = 2.0


def plain_report(**values):
    base = {
        "task_id": "a/b",
        "score": 0.5,
        **dict.fromkeys(
            ("gold_threshold", "silver_threshold", "bronze_threshold", "median_threshold"), 0.9
        ),
        **dict.fromkeys(
            ("any_medal", "gold_medal", "silver_medal", "bronze_medal", "above_median"), False
        ),
        "submission_exists": True,
        "valid_submission": True,
        "is_lower_better": False,
        "created_at": datetime(2025, 1, 2),
        "submission_path": "s.csv",
    }
    return TaskReport(**{**base, **values})


def test_numpy_values_and_infinities_become_plain_json():
    report = plain_report(
        score=np.float64(0.5), gold_medal=np.bool_(True), leaderboard_size=np.int64(3),
        gold_threshold=float("nan"), median_threshold=float("inf"),
    )  # fmt: skip
    found = report.to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["gold_threshold"] is None
    assert found["median_threshold"] is None
    assert [type(found[key]) for key in ("score", "gold_medal", "leaderboard_size")] == [
        *(float, bool, int)
    ]


def test_reports_of_the_published_package_are_read():
    data = plain_report().to_dict()
    published = {key: data[key] for key in list(data)[:16]}
    published["leaderboard_position"] = 4
    published["some_later_field"] = 1
    assert TaskReport.from_dict(published).leaderboard_position == 4
    with pytest.raises(KeyError, match="score"):
        TaskReport.from_dict({"task_id": "x"})


def test_report_of_a_pair_of_the_workflow():
    row = dict.fromkeys(SCHEMAS["pairs"].names)
    row |= {
        "task_id": "a/b", "score": 0.5, "direction": "minimize", "metric": "rmse",
        "valid_submission": True, "reason": "ok", "fault": "none", "message": "",
        "gold_medal": False, "silver_medal": True, "bronze_medal": False, "any_medal": True,
        "submission": "runs/1.csv",
    }  # fmt: skip
    report = TaskReport.from_pair(row)
    assert (report.is_lower_better, report.silver_medal, report.above_median) == (True, True, None)
    assert report.submission_path == "runs/1.csv"
    assert report.submission_exists
    assert not TaskReport.from_pair({**row, "reason": "missing_file"}).submission_exists
    assert aggregate_reports([report])["total_silver_medals"] == 1


def test_summary_of_reports():
    reports = [
        plain_report(
            gold_medal=True, any_medal=True, leaderboard_percentile=90.0, beats_human=True
        ),
        plain_report(leaderboard_percentile=40.0, above_median=True),
        plain_report(score=None, valid_submission=False, submission_exists=False),
    ]
    summary = aggregate_reports(reports)
    assert set(summary) == DOCUMENTED_SUMMARY
    assert (summary["total_runs"], summary["total_runs_with_submissions"]) == (3, 2)
    assert (summary["total_valid_submissions"], summary["total_medals"]) == (2, 1)
    assert (summary["total_gold_medals"], summary["total_above_median"]) == (1, 1)
    assert summary["total_beats_human"] == 1
    assert summary["avg_leaderboard_percentile"] == 65.0
    assert summary["best_leaderboard_percentile"] == 90.0
    assert summary["worst_leaderboard_percentile"] == 40.0
    assert summary["task_reports"] == [report.to_dict() for report in reports]
    assert aggregate_reports([one.to_dict() for one in reports]) == summary
    with pytest.raises(TypeError, match="report 2 is a NoneType; hand in what grade_csv"):
        aggregate_reports([reports[0], None])
    for lone in (reports[0], reports[0].to_dict()):
        with pytest.raises(TypeError, match=r"as a list: aggregate_reports\(\[report\]\)"):
            aggregate_reports(lone)
    empty = aggregate_reports([])
    assert empty["avg_leaderboard_percentile"] is None


def test_reports_that_come_from_a_table_count_as_they_did():
    """Empty cells are NaN there; and text, which is what CSV has, is no boolean."""
    reports = [
        plain_report(gold_medal=True, any_medal=True, leaderboard_percentile=90.0),
        plain_report(leaderboard_percentile=None, beats_human=True),
    ]
    rows = pd.DataFrame([one.to_dict() for one in reports]).to_dict("records")
    rows[0]["beats_human"] = rows[1]["leaderboard_percentile"] = float("nan")
    counted = aggregate_reports(rows)
    assert counted["total_beats_human"] == 1
    assert counted["avg_leaderboard_percentile"] == 90.0
    rows[0]["gold_medal"] = "False"
    with pytest.raises(TypeError, match="the report's gold_medal is 'False', no boolean"):
        aggregate_reports(rows)


def frame(**columns):
    return pd.DataFrame(columns)


def rmse(submission, answers):
    return np.sqrt(np.mean((submission["y"].to_numpy() - answers["y"].to_numpy()) ** 2))


class TestGrader:
    def test_scores_unrounded_and_matches_rows_by_id(self):
        grader = Grader("rmse", rmse)
        answers = frame(id=["a", "b", "c"], y=[1.0, 2.0, 3.0])
        submission = frame(id=["c", "a", "b"], y=[3.0, 1.0, 2.000001])
        score = grader(submission, answers)
        assert type(score) is float
        assert score == pytest.approx(1e-6 / math.sqrt(3), rel=1e-6)

    def test_an_inner_join_is_refused(self):
        grader = Grader("rmse", rmse)
        answers = frame(id=["a", "b", "c"], y=[1.0, 2.0, 3.0])
        for ids in (["a", "b"], ["a", "b", "b"], ["a", "b", "x"], ["a", "b", "c", "x"]):
            submission = frame(id=ids, y=[1.0] * len(ids))
            assert grader(submission, answers) is None
            with pytest.raises(InvalidSubmissionError):
                grader.score(submission, answers)

    def test_tables_without_a_common_id_go_to_the_function_as_they_are(self):
        grader = Grader("first", lambda s, a: s["prediction"][0] - a["target"][0])
        assert grader(frame(prediction=[3]), frame(target=[1])) == 2.0

    @pytest.mark.parametrize("value", [True, np.True_, np.array([False]), "0.5", 1j])
    def test_what_is_no_number_is_refused(self, value):
        with pytest.raises(GraderError, match=r"returned (bool|str|complex), not a number"):
            Grader("g", lambda s, a: value)(frame(), frame())

    @pytest.mark.parametrize(
        "value", [Decimal("0.5"), Fraction(1, 2), np.float32(0.5), np.array([0.5]), 0.5]
    )
    def test_any_number_is_a_float(self, value):
        score = Grader("g", lambda s, a: value)(frame(), frame())
        assert (type(score), score) == (float, 0.5)

    @pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity")])
    def test_a_decimal_that_is_not_finite_is_no_score(self, value):
        assert Grader("g", lambda s, a: value)(frame(), frame()) is None

    def test_invalid_is_none_and_a_bug_is_raised(self):
        def refuse(submission, answers):
            raise InvalidSubmissionError("no")

        assert Grader("g", refuse)(frame(), frame()) is None
        assert Grader("g", lambda s, a: float("nan"))(frame(), frame()) is None
        with pytest.raises(GraderError, match="ZeroDivisionError"):
            Grader("g", lambda s, a: 1 / 0)(frame(), frame())

    def test_a_function_gets_missing_predictions_and_a_metric_refuses_them(self):
        submission, answers = frame(id=[1, 2], y=[1.0, None]), frame(id=[1, 2], y=[1.0, 2.0])
        assert Grader("g", lambda s, a: s["y"].isna().sum())(submission, answers) == 1
        assert Grader("g", metric="mse")(submission, answers) is None

    def test_an_invalid_submission_error_of_another_package_counts_as_one(self):
        class Foreign:
            class InvalidSubmissionError(Exception):
                pass

        def refuse(submission, answers):
            raise Foreign.InvalidSubmissionError("no")

        assert Grader("g", refuse)(frame(), frame()) is None

    @pytest.mark.parametrize("ids", [[1, 2], [2, 1]])
    @pytest.mark.parametrize("form", [pd.DataFrame, pa.table])
    def test_a_function_that_changes_its_tables_changes_nobody_elses(self, ids, form):
        def grade(submission, answers):
            submission["y"] -= answers["y"]
            answers["y"] = 0
            return abs(submission["y"]).sum()

        tables = form({"id": ids, "y": [1.0, 2.0]}), form({"id": [1, 2], "y": [3.0, 5.0]})
        kept = [as_frame(table).copy() for table in tables]
        scores = {Grader("g", grade)(*tables) for _ in range(3)}
        assert len(scores) == 1
        for table, before in zip(tables, kept, strict=True):
            assert as_frame(table).equals(before)

    def test_inputs_that_are_no_tables_are_copied_as_well(self):
        answers = [1.0]
        grader = Grader("g", lambda submission, answers: answers.append(1.0) or len(answers))
        assert [grader([], answers), grader([], answers)] == [2.0, 2.0]

    @pytest.mark.parametrize("code", ["random.random()", "numpy.random.random()"])
    @pytest.mark.parametrize("key", ["grade_fn", "inputs_fn"])
    def test_a_functions_random_state_is_its_own(self, factory, key, code):
        """What one sets no other has, so that one that depends on chance shows it."""
        text = (
            "import random\nimport numpy\n\n\ndef grade_fn(submission, answers):\n    {}\n"
            "    return {}\n\n\ndef inputs_fn(submission, answers):\n"
            "    return [0], [grade_fn(submission, answers)]\n"
        )
        grader = {key: f"own.py:{key}"}
        grader |= {"direction": "maximize"} if key == "grade_fn" else {"metric": "mae"}

        def task(name, first):
            files = {"own.py": text.format(first, code)}
            config = {"grader": grader}
            return factory.task(f"d/{name}", config=config, leaderboard=None, files=files)

        seeded = task("seeded", "random.seed(0)\n    numpy.random.seed(0)")
        unseeded = task("unseeded", "pass")
        data = b"id,y\n" + b"".join(b"r%d,0.5\n" % i for i in range(6))
        before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
        scores = [
            [score_submission(data, one).score for one in (seeded, unseeded)] for _ in range(4)
        ]
        assert [len(set(found)) for found in zip(*scores, strict=True)] == [1, 4]
        assert before == (random.getstate(), np.random.get_state()[1].tolist())  # noqa: NPY002

    def test_a_registered_metric(self):
        grader = Grader("auc", metric="roc_auc")
        answers = frame(id=[1, 2, 3, 4], y=[0, 1, 0, 1])
        assert grader(frame(id=[4, 3, 2, 1], p=[0.9, 0.1, 0.8, 0.2]), answers) == 1.0
        assert grader.grade_fn(frame(p=[0, 1, 0, 1]), answers) == 1.0
        assert grader(frame(id=[4, 3, 2, 1], p=[0.5] * 4), answers) is None

    @pytest.mark.parametrize("submitted", [["id", "y", "std"], ["id", "std", "y"]])
    @pytest.mark.parametrize("known", [["id", "y"], ["id", "y", "group"], ["id", "group", "y"]])
    def test_a_metric_compares_columns_of_one_name(self, submitted, known):
        table = frame(id=[1, 2, 3], y=[1.0, 2.0, 3.0], std=[0.1, 0.2, 0.3], group=["a", "b", "b"])
        assert Grader("g", metric="mse")(table[submitted], table[known]) == 0

    @pytest.mark.parametrize(
        ("submitted", "known", "kind", "told"),
        [
            ("id a b", "id y", InvalidSubmissionError, r"\['a', 'b'\] holds .* name it 'y'"),
            ("id a", "id y z", TaskError, r"\['y', 'z'\] .* have no column in common"),
            ("id y z", "id y z", TaskError, r"have the columns \['y', 'z'\] in common"),
            ("a id y", "id y", InvalidSubmissionError, "begins with the column 'a'.*begin both"),
            ("y id", "id y", InvalidSubmissionError, "begin both with the id"),
            ("id", "id y", InvalidSubmissionError, "no column beside the id in the submission"),
            ("id y", "id", TaskError, "no column beside the id in the answers"),
        ],
    )
    def test_columns_that_a_metric_could_mean_otherwise_are_refused(
        self, submitted, known, kind, told
    ):
        tables = [
            frame(**{name: [1, 2, 3] for name in names.split()}) for names in (submitted, known)
        ]
        with pytest.raises(kind, match=told):
            Grader("g", metric="mse").score(*tables)

    def test_declared_columns_are_compared_whatever_else_there_is(self):
        schema = SubmissionSchema(("id",), ("y",), ("p",))
        answers = frame(y=[1.0, 2.0], id=[1, 2], p=[7.0, 7.0])
        submission = frame(p=[2.0, 1.0], y=[9.0, 9.0], id=[2, 1])
        assert Grader("g", metric="mse", schema=schema)(submission, answers) == 0

    def test_a_lone_column_is_no_id(self):
        submission, answers = frame(y=[3.0, 1.0, 2.0]), frame(y=[1.0, 2.0, 3.0])
        assert Grader("g", metric="mse")(submission, answers) == 2

    def test_functions_by_name_and_by_file(self, tmp_path):
        (tmp_path / "grade.py").write_text("def grade(s, a):\n    return 0.25\n")
        assert Grader("g", "grade:grade", folder=tmp_path)(1, 2) == 0.25
        assert Grader("g", "grade.py:grade", folder=tmp_path)(1, 2) == 0.25
        assert Grader("g", "operator:add")(1, 2) == 3.0
        for bad in ("grade", "no_such_module:grade", "math:nope", ":x", "a:b c"):
            with pytest.raises(TaskError, match=r"function|module"):
                Grader("g", bad)

    def test_two_tasks_may_both_have_a_grade_file(self, tmp_path):
        for number in (1, 2):
            folder = tmp_path / f"task-{number}"
            folder.mkdir()
            (folder / "grade.py").write_text(f"def grade(s, a):\n    return {number}\n")
        found = [Grader("g", "grade:grade", folder=tmp_path / f"task-{n}")(0, 0) for n in (1, 2)]
        assert found == [1.0, 2.0]

    def test_direction(self):
        board = frame(score=[0.2, 0.9, 0.4])
        assert Grader("rmse", rmse).is_lower_better(board)
        assert not Grader("AUC-ROC", rmse).is_lower_better(board)
        assert Grader("mine", rmse, direction="minimize").is_lower_better(board)
        assert Grader("mine", rmse).is_lower_better(frame(score=[1, 2, 2, 3]))
        assert not Grader("mine", rmse).is_lower_better(frame(score=[3, 2, 1]))
        with pytest.raises(TaskError, match="not declared"):
            Grader("mine", rmse).is_lower_better(board)
        with pytest.raises(TaskError, match="no column `score`"):
            Grader("mine", rmse).is_lower_better(frame(points=[1]))

    def test_rank_score_is_that_of_medals(self):
        from biomlbench.scoring.medals import rank_score

        board = frame(score=[0.2, 0.9, 0.4])
        for score in (0.1, 0.3, None):
            assert Grader("rmse", rmse).rank_score(score, board) == rank_score(
                score, board, "minimize"
            )

    def test_from_dict(self):
        grader = Grader.from_dict({"name": "x", "grade_fn": "math:dist", "is_lower_better": True})
        assert grader.direction == "minimize"
        with pytest.raises(TaskError, match="unknown key"):
            Grader.from_dict({"name": "x", "grade_fn": "math:dist", "metrik": 1})


class TestHumans:
    def test_strictly_better_than_the_median_beaten_or_tied(self):
        humans = frame(score=[1.0, 2.0, 3.0, 4.0])
        assert calculate_human_performance_metrics(2.5, humans, False) == (False, 50.0)
        assert calculate_human_performance_metrics(2.6, humans, False) == (True, 50.0)
        assert calculate_human_performance_metrics(2.0, humans, True) == (True, 75.0)
        assert calculate_human_performance_metrics(4.0, humans, True) == (False, 25.0)
        with pytest.raises(TypeError, match="is_lower_better is 'False'; give True or False"):
            calculate_human_performance_metrics(2.0, humans, "False")

    def test_unrounded(self):
        humans = frame(score=[1.0, 2.0, 3.0])
        assert calculate_human_performance_metrics(2.0, humans, False)[1] == 100 * 2 / 3

    def test_nothing_to_compare(self):
        assert calculate_human_performance_metrics(1.0, frame(score=[]), False) == (None, None)
        assert compare_with_humans(None, [1.0], "maximize") == (None, None)
        assert compare_with_humans(float("nan"), [1.0], "maximize") == (None, None)
        assert compare_with_humans(1.0, None, "maximize") == (None, None)

    def test_missing_scores_are_left_out_and_broken_ones_refused(self, tmp_path):
        path = tmp_path / "human_baselines.csv"
        path.write_text("team,score\na,1\nb,\nc,3\n")
        assert read_human_baselines(path).tolist() == [1.0, 3.0]
        path.write_text("team,score\na,good\n")
        with pytest.raises(TaskError, match="row 1"):
            read_human_baselines(path)
        with pytest.raises(TaskError, match="no column `score`"):
            calculate_human_performance_metrics(1.0, frame(points=[1]), False)

    @pytest.mark.parametrize("cell", ["", "nan", "NaN", "NA", "null", "inf", "-inf", "good"])
    def test_a_file_and_its_table_have_one_answer(self, tmp_path, cell, caplog):
        path = tmp_path / "human_baselines.csv"
        path.write_text(f"team,score\na,0.6\nb,{cell}\nc,0.9\n")
        table = pd.read_csv(path)
        if cell in ("inf", "-inf", "good"):
            with pytest.raises(TaskError):
                read_human_baselines(path)
            with pytest.raises(TaskError):
                calculate_human_performance_metrics(0.8, table, False)
            return
        of_file = compare_with_humans(0.8, read_human_baselines(path), "maximize")
        assert "1 row(s) without a score left out, first row 2" in caplog.text
        assert calculate_human_performance_metrics(0.8, table, False) == of_file == (True, 50.0)

    def test_what_is_left_out_of_a_file_is_told_once_and_not_by_each_grade(self, tmp_path, caplog):
        path = tmp_path / "human_baselines.csv"
        path.write_text("score\n0.6\nNA\n")
        assert read_human_baselines(path, quiet=True).tolist() == [0.6]
        assert not caplog.text
        for _ in range(2):
            read_human_baselines(path)
        assert caplog.text.count("1 row(s) without a score left out, first row 2") == 1

    def test_tiers_follow_the_direction(self):
        scores = np.arange(101.0)
        up, down = human_tiers(scores, "maximize"), human_tiers(scores, "minimize")
        assert up == {"expert": 90.0, "intermediate": 50.0, "novice": 10.0}
        assert down == {"expert": 10.0, "intermediate": 50.0, "novice": 90.0}
        assert human_tiers([], "maximize") == {}


def test_human_baselines_with_two_columns_of_scores_are_refused():
    twice = pd.DataFrame([[0.1, 0.2]], columns=["score", "score"])
    with pytest.raises(TaskError, match="more than one column `score`"):
        compare_with_humans(0.8, twice, "maximize")


@pytest.mark.parametrize("name", ["score", "Score", " SCORE ", "Private Score", "private_score"])
def test_a_file_and_its_table_in_memory_are_read_alike(tmp_path, name):
    """Whatever the column of scores is called, of baselines of humans and of leaderboards."""
    path = tmp_path / "scores.csv"
    pd.DataFrame({"team": list("abc"), name: [0.9, 0.8, 0.7]}).to_csv(path, index=False)
    frame = pd.read_csv(path)
    assert compare_with_humans(0.75, frame, "minimize") == compare_with_humans(
        0.75, read_human_baselines(path), "minimize"
    )
    for table in (frame, pa.Table.from_pandas(frame)):
        assert rank_score(0.85, table, "maximize") == rank_score(
            0.85, read_leaderboard(path, "maximize"), "maximize"
        )
