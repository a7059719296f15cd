"""Scores: rows matched by id, every fault booked on the one whose fault it is."""

import io
import math
import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from biomlbench.errors import TaskError
from biomlbench.grade import grade_csv
from biomlbench.scoring.gradable import check_gradable
from biomlbench.scoring.score import score_submission
from biomlbench.submission import answers
from tests.audit.zoo import base


def regression(**submission):
    return {
        "grader": {"metric": "rmse"},
        "submission": {"id": "id", "target": "y", **submission},
    }


def test_a_perfect_and_a_reversed_ranking(factory, good):
    task = factory.task()
    result = score_submission(factory.submission(good), task)
    assert (result.valid, result.score, result.n_rows) == (True, 1.0, 6)
    assert (result.metric, result.direction, result.reason) == ("roc_auc", "maximize", "ok")
    assert result.score_low is None
    assert score_submission(factory.submission([-x for x in good]), task).score == 0.0


@settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30
)
@given(st.permutations(range(8)), st.permutations(range(8)), st.booleans())
def test_the_order_of_rows_changes_nothing(factory, mine, theirs, integers):
    """Neither the submission's order nor that of the answers, nor columns swapped."""
    truth = [1.0, 2.0, 3.5, -4.0, 5.25, 0.0, 7.0, 8.0]
    guess = [1.5, 2.0, 3.0, -4.5, 5.0, 0.0, 7.5, 8.0]
    ids = [str(i * 7) if integers else f"m{i}" for i in range(8)]
    answers = "id,y\n" + "".join(f"{ids[i]},{truth[i]}\n" for i in theirs)
    task = factory.task(
        truth=truth, ids=ids, config=regression(), answers=answers, leaderboard=None
    )
    text = "y,id\n" + "".join(f"{guess[i]},{ids[i]}\n" for i in mine)
    expected = math.sqrt(np.mean((np.array(truth) - guess) ** 2))
    assert score_submission(text.encode(), task).score == pytest.approx(expected, abs=1e-15)


def test_ids_that_look_like_numbers_are_text_if_the_sample_writes_them_so(factory):
    task = factory.task(truth=(1, 2), ids=["007", "7"], config=regression(), leaderboard=None)
    exact = score_submission(b"id,y\n007,1\n7,2\n", task)
    assert exact.score == 0.0
    swapped = score_submission(b"id,y\n7,1\n007,2\n", task)
    assert swapped.score == 1.0
    assert score_submission(b"id,y\n7.0,1\n007,2\n", task).reason == "missing_ids"


@pytest.mark.parametrize("spelling", ["7", "7.0", "007", "+7", "7.000"])
def test_whole_number_ids_match_however_they_are_written(factory, spelling):
    task = factory.task(truth=(1, 2), ids=["7", "12"], config=regression(), leaderboard=None)
    assert score_submission(f"id,y\n12,2\n{spelling},1\n".encode(), task).score == 0.0


@pytest.mark.parametrize("other", ["7.5", "seven", "", "1e400", "99999999999999999999", "-7"])
def test_ids_that_are_not_whole_numbers_match_nothing(factory, other):
    task = factory.task(truth=(1, 2), ids=["7", "12"], config=regression(), leaderboard=None)
    result = score_submission(f"id,y\n12,2\n{other},1\n".encode(), task)
    assert not result.valid
    assert result.reason == "missing_ids"


def test_large_integer_ids_stay_apart(factory):
    ids = [str(2**60), str(2**60 + 1)]
    task = factory.task(truth=(1, 2), ids=ids, config=regression(), leaderboard=None)
    text = f"id,y\n{ids[1]},2\n{ids[0]},1\n"
    assert score_submission(text.encode(), task).score == 0.0


def test_ids_of_several_columns(factory):
    task = factory.task(
        config={
            "grader": {"metric": "rmse"},
            "submission": {"id": ["mol", "assay"], "target": "y"},
        },
        answers="mol,assay,y\na,1,1\na,2,2\nb,1,3\n",
        sample="mol,assay,y\na,1,0\na,2,0\nb,1,0\n",
        leaderboard=None,
    )
    assert score_submission(b"mol,assay,y\nb,1,3\na,2,2\na,1,1\n", task).score == 0.0
    assert score_submission(b"mol,assay,y\nb,1,3\na,2,2\na,2,1\n", task).reason == "duplicate_ids"
    assert score_submission(b"mol,assay,y\nb,1,3\na,2,2\nb,2,1\n", task).reason == "missing_ids"


@settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15
)
@given(st.permutations("abc"), st.permutations("abc"), st.booleans())
def test_targets_and_predictions_of_the_same_names_are_paired_by_name(
    factory, targets, predictions, listed
):
    """In whatever order they are declared, as columns as well, for files and tables."""
    named = {"prediction": predictions} if listed else {"columns": {c: {} for c in predictions}}
    answers = "id,a,b,c\nr0,1,20,300\nr1,2,30,500\n"
    task = factory.task(
        config={
            "grader": {"metric": "matrix_rmse"},
            "submission": {"id": "id", "target": targets, **named},
        },
        answers=answers,
        sample="id,a,b,c\nr0,0,0,0\nr1,0,0,0\n",
        leaderboard=None,
    )
    assert score_submission(answers.encode(), task).score == 0.0
    frame = pd.read_csv(io.StringIO(answers))
    assert task.grader(frame, frame) == 0.0


def test_a_prediction_at_the_place_of_another_target_is_refused(factory):
    submission = {"id": "id", "target": ["a", "b"], "prediction": ["b", "guess"]}
    with pytest.raises(TaskError, match=r"'a' with the prediction 'b'.*in the order of `target`"):
        factory.task(config={"submission": submission}).submission  # noqa: B018


def test_an_undeclared_schema_is_read_off_the_sample(factory):
    task = factory.task(truth=(1, 2, 3), config={**regression(), "submission": None})
    assert score_submission(b"id,y\nr2,3\nr1,2\nr0,2\n", task).score == pytest.approx(3**-0.5)


def test_labels_and_class_probabilities(factory):
    labels = factory.task(
        "d/labels",
        truth=("T", "B", "NK"),
        config={"grader": {"metric": "accuracy"}},
        sample="id,y\nr0,T\nr1,T\nr2,T\n",
        leaderboard=None,
    )
    assert score_submission(b"id,y\nr2,NK\nr1,T\nr0,T\n", labels).score == pytest.approx(2 / 3)
    classes = factory.task(
        "d/classes",
        config={
            "grader": {"metric": "log_loss", "options": {"labels": ["a", "b", "c"]}},
            "submission": {"id": "id", "target": "class", "prediction": ["a", "b", "c"]},
        },
        answers="id,class\nr0,a\nr1,b\nr2,c\n",
        sample="id,a,b,c\nr0,0.4,0.3,0.3\nr1,0.4,0.3,0.3\nr2,0.4,0.3,0.3\n",
        leaderboard=None,
    )
    text = b"id,b,a,c\nr0,0.25,0.5,0.25\nr1,0.5,0.25,0.25\nr2,0.25,0.25,0.5\n"
    assert score_submission(text, classes).score == pytest.approx(math.log(2))


CLASSES = (["low", "mid", "high"], ["no", "yes"], ["1", "2", "10"], ["a", "aa"])


@settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40
)
@given(
    st.sampled_from(CLASSES).flatmap(st.permutations),
    st.sampled_from(["", "p_", "a"]),
    st.sampled_from(["log_loss", "roc_auc", "average_precision"]),
    st.booleans(),
)
def test_columns_named_as_the_classes_are_scored_by_name(
    factory, classes, prefix, metric, declared
):
    """In whatever order they are listed and stand in the file, for files and tables."""
    if metric == "average_precision" and len(classes) > 2:
        return
    truth = [*classes, *classes]
    names = [prefix + label for label in classes]
    rows = [[float(c == label) for c in classes] for label in truth]
    gold = pd.DataFrame(rows, columns=names).assign(id=range(len(truth)))
    answers = pd.DataFrame({"class": truth, "id": range(len(truth))})
    options = {"pos_label": "yes" if "yes" in classes else "aa"} if len(classes) == 2 else {}
    if declared and metric != "average_precision":
        options["labels"] = [int(c) if c.isdigit() else c for c in sorted(classes)]
    task = factory.task(
        config={
            "grader": {"metric": metric, "options": options},
            "submission": {"id": "id", "target": "class", "prediction": names},
        },
        answers=answers.to_csv(index=False),
        sample=(gold * 0 + 1 / len(classes)).assign(id=gold["id"]).to_csv(index=False),
        leaderboard=None,
    )
    check_gradable(task)
    best = task.metric.best
    data = gold[sorted(gold.columns)].to_csv(index=False).encode()
    assert score_submission(data, task).score == pytest.approx(best, abs=1e-12)
    typed = answers.assign(**{"class": [int(c) if c.isdigit() else c for c in truth]})
    assert task.grader(gold, typed) == pytest.approx(best, abs=1e-12)


def test_columns_of_other_names_need_a_declared_order(factory):
    """Of labels that are text: nothing tells in which order they were meant."""
    answers = "id,class\nr0,low\nr1,mid\nr2,high\n"
    sample = "id,x,y,z\n" + "".join(f"r{i},0.4,0.3,0.3\n" for i in range(3))
    gold = b"id,x,y,z\nr0,1,0,0\nr1,0,1,0\nr2,0,0,1\n"

    def task(name, **options):
        return factory.task(
            f"d/{name}",
            config={
                "grader": {"metric": "log_loss", "options": options},
                "submission": {"id": "id", "target": "class", "prediction": ["x", "y", "z"]},
            },
            answers=answers,
            sample=sample,
            leaderboard=None,
        )

    told = r"columns `x`, `y`, `z` .*options: \{labels: \[\.\.\.\]\}` with `high`, `low`, `mid`"
    with pytest.raises(TaskError, match=told):
        check_gradable(task("open"))
    result = score_submission(gold, task("open"))
    assert (result.fault, result.reason) == ("task", "broken_answers")
    declared = task("declared", labels=["low", "mid", "high"])
    check_gradable(declared)
    assert score_submission(gold, declared).score == pytest.approx(0.0, abs=1e-12)


def test_masks(factory):
    columns = {"mask": {"type": "rle", "height": 2, "width": 2}}
    task = factory.task(
        config={
            "grader": {"metric": "dice"},
            "submission": {"id": "id", "target": "mask", "columns": columns},
        },
        answers="id,mask\nr0,1 2\nr1,\n",
        sample="id,mask\nr0,1 1\nr1,1 1\n",
        leaderboard=None,
    )
    assert score_submission(b"id,mask\nr1,\nr0,1 2\n", task).score == 1.0
    half = score_submission(b"id,mask\nr1,\nr0,1 1\n", task)
    assert half.score == pytest.approx((2 / 3 + 1) / 2)
    assert score_submission(b"id,mask\nr1,\nr0,1 9\n", task).reason == "wrong_type"


def test_a_task_may_make_the_metrics_inputs_itself(factory):
    """One target spread over several rows: the metric, and the bootstrap, are over targets."""
    inputs = (
        "def inputs(submission, answers):\n"
        "    assert list(submission['id']) == list(answers['id'])\n"
        "    group = answers['id'].str[0]\n"
        "    return (answers.groupby(group)['y'].sum().to_numpy(),\n"
        "            submission.groupby(group)['y'].sum().to_numpy())\n"
    )
    task = factory.task(
        truth=(1, 2, 3, 4),
        ids=["a1", "b1", "a2", "b2"],
        config={"grader": {"metric": "mae", "inputs_fn": "inputs:inputs"}},
        files={"inputs.py": inputs},
        leaderboard=None,
    )
    result = score_submission(b"id,y\nb2,4\nb1,2\na2,4\na1,1\n", task, bootstrap=1000)
    assert (result.score, result.n_rows) == (0.5, 2)
    assert (result.score_low, result.score_high) == (0.0, 1.0)


GRADER = {"grader": {"name": "own", "grade_fn": "grade:grade", "direction": "maximize"}}


def graded(factory, body, text=b"id,y\nr0,1\nr1,2\n"):
    task = factory.task(
        truth=(1, 2),
        config=GRADER,
        files={"grade.py": f"import numpy as np\ndef grade(submission, answers):\n{body}"},
        leaderboard=None,
    )
    return score_submission(text, task)


def test_a_grading_function_gets_what_pandas_would_read(factory):
    body = (
        "    assert list(submission.columns) == ['id', 'y'], submission.columns\n"
        "    assert submission['y'].dtype == 'int64', submission.dtypes\n"
        "    assert list(submission['id']) == list(answers['id'])\n"
        "    assert list(submission.index) == [0, 1]\n"
        "    return float((submission['y'] == answers['y']).mean())\n"
    )
    assert graded(factory, body, b"y,id\n2,r1\n1,r0\n").score == 1.0


@pytest.mark.parametrize(
    ("body", "reason", "fault"),
    [
        ("    return np.float32(0.5)\n", "ok", "none"),
        ("    return np.array([0.5])\n", "ok", "none"),
        ("    return 1\n", "ok", "none"),
        ("    return float('nan')\n", "invalid_score", "submission"),
        ("    return np.inf\n", "invalid_score", "submission"),
        ("    return None\n", "grader_error", "grader"),
        ("    submission['y'].mean()\n", "grader_error", "grader"),
        ("    return 'high'\n", "grader_error", "grader"),
        ("    return 1 / 0\n", "grader_error", "grader"),
        ("    return answers['nope']\n", "grader_error", "grader"),
        ("    raise ValueError('x')\n", "grader_error", "grader"),
    ],
)
def test_the_graders_bugs_are_the_graders(factory, body, reason, fault):
    result = graded(factory, body)
    assert (result.reason, result.fault) == (reason, fault)
    assert result.valid == (reason == "ok")
    if result.valid:
        assert type(result.score) is float


def test_a_score_that_is_nan_is_the_graders_where_the_gold_submission_has_none_either(factory):
    correlation = (
        "    with np.errstate(invalid='ignore'):\n"
        "        return float(np.corrcoef(submission['y'], answers['y'])[0, 1]%s)\n"
    )
    for body, constant, fault in (
        (correlation % "", b"id,y\nr0,1\nr1,1\n", "submission"),
        (correlation % " * np.nan", b"id,y\nr0,1\nr1,1\n", "grader"),
        (correlation % " * np.nan", b"id,y\nr0,1\nr1,3\n", "grader"),
    ):
        task = factory.task(
            truth=(1, 2),
            config=GRADER,
            files={"grade.py": f"import numpy as np\ndef grade(submission, answers):\n{body}"},
            leaderboard=None,
        )
        task.gold_submission.write_text("id,y\nr1,2\nr0,1\n")
        result = score_submission(constant, task)
        assert result.fault == fault, result
        assert ("gold submission" in result.message) == (fault == "grader")


BUGS = {
    "refuses": "raise InvalidSubmissionError('no')",
    "rows": "y, p = y[:-1], p",
    "nan": "p = p * np.nan",
    "shape": "p = np.column_stack([p, p])",
    "text": "p = np.array(['a'] * len(p))",
    "infinite": "y, p = y, p + np.inf",
}


@pytest.mark.parametrize("always", [True, False])
@pytest.mark.parametrize(("key", "bug"), [
    *[("inputs_fn", bug) for bug in BUGS], ("grade_fn", "refuses"), ("grade_fn", "nan"),
])  # fmt: skip
def test_what_the_gold_submission_is_refused_for_as_well_is_the_graders(factory, key, bug, always):
    when = "True" if always else "p[0] == 7"
    result = "float(abs(y - p).mean())" if key == "grade_fn" else "(y, p)"
    code = (
        "import numpy as np\nfrom biomlbench.grade_helpers import InvalidSubmissionError\n\n\n"
        "def own(submission, answers):\n"
        "    y, p = answers['y'].to_numpy(float), submission['y'].to_numpy(float)\n"
        f"    if {when}:\n        {BUGS[bug]}\n    return {result}\n"
    )
    grader = {"direction": "minimize"} if key == "grade_fn" else {"metric": "mae"}
    task = factory.task(
        truth=(1, 2, 4),
        config={"grader": {key: "own:own", **grader}, "submission": {"id": "id", "target": "y"}},
        files={"own.py": code},
        leaderboard=None,
    )
    submission = b"id,y\nr0,7\nr1,2\nr2,3\n"
    assert score_submission(submission, task).fault == "submission"  # there is no gold yet
    task.gold_submission.write_text("id,y\nr2,4\nr1,2\nr0,1\n")
    told = score_submission(submission, task)
    assert told.fault == ("grader" if always else "submission"), told
    assert ("gold submission" in told.message) == always
    assert score_submission(submission.replace(b",7", b",x"), task).fault == "submission"
    if always and key == "grade_fn":
        assert "no score" in check_gradable(task).gold
    elif always:
        with pytest.raises(TaskError, match="the gold submission has no score either"):
            check_gradable(task)
    else:
        assert score_submission(submission.replace(b",7", b",1"), task).valid


@pytest.mark.parametrize("key", ["grade_fn", "inputs_fn"])
@pytest.mark.parametrize(
    ("names", "fits"),
    [
        ("submission, answers", True), ("answers, submission", False), ("y_true, y_pred", False),
        ("s, a", True), ("y_pred, y_true", True), ("solution, submission, column='y'", False),
        ("*tables", True), ("truth, predicted", False), ("df_true, df", False),
    ],
)  # fmt: skip
def test_a_function_whose_parameters_are_in_another_order_is_refused(factory, key, names, fits):
    grader = {"direction": "minimize"} if key == "grade_fn" else {"metric": "mae"}
    task = factory.task(
        truth=(1, 2),
        config={"grader": {key: "own:own"} | grader},
        files={
            "own.py": f"def own({names}):\n    return 1 if {key!r} == 'grade_fn' else ([1], [1])\n"
        },
        leaderboard=None,
    )
    if fits:
        task.grader.check_functions()
        return
    with pytest.raises(TaskError, match=r"called with \(submission, answers\); write them in this"):
        check_gradable(task)
    told = score_submission(b"id,y\nr0,1\nr1,2\n", task)
    assert told.fault == "task"
    assert told.message.startswith(f"{task.folder}/config.yaml: `{key}` own:own: ")


def test_a_grading_function_cannot_spoil_the_cached_answers(factory):
    body = (
        "    score = float((submission['y'] == answers['y']).mean())\n"
        "    answers['y'] = -1\n"
        "    del answers['id']\n"
        "    return score\n"
    )
    assert [graded(factory, body).score for _ in range(3)] == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ("id,y\nr0,1\n", "broken_answers"),
        ("id,y\nr0,1\nr1,0\nr1,0\n", "broken_answers"),
        ("id,y\nr0,1\nr9,0\n", "broken_answers"),
        ("id,z\nr0,1\nr1,0\n", "broken_answers"),
        ("key,y\nr0,1\nr1,0\n", "broken_answers"),
        ("id,y\nr0,1\nr1,1\n", "broken_answers"),
        ("id,y\nr0,1\nr1,\n", "broken_answers"),
        ("id,y\nr0,1\nr1\n", "broken_answers"),
        ("", "broken_answers"),
    ],
)
def test_broken_answers_are_the_tasks(factory, answers, reason):
    task = factory.task(truth=(1, 0), answers=answers or " ")
    result = score_submission(b"id,y\nr0,0.1\nr1,0.2\n", task)
    assert (result.reason, result.fault) == (reason, "task")
    assert not result.valid


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        ("id,y\nr0,0\nr0,0\n", "more than once"),
        ("id,other\nr0,0\n", "columns"),
        ("id,y\n", "no rows"),
    ],
)
def test_a_broken_sample_is_the_tasks(factory, sample, message):
    result = score_submission(b"id,y\nr0,0.1\n", factory.task(sample=sample))
    assert result.fault == "task"
    assert message in result.message


def test_missing_data_are_the_infrastructures(factory, good):
    task = factory.task()
    task.answers.unlink()
    result = score_submission(factory.submission(good), task)
    assert (result.reason, result.fault) == ("not_prepared", "infrastructure")


def test_constant_predictions_under_a_rank_metric(factory):
    result = score_submission(factory.submission([0.5] * 6), factory.task())
    assert (result.valid, result.reason, result.fault) == (
        False,
        "constant_predictions",
        "submission",
    )


def test_answers_are_read_once_and_again_when_they_change(factory, good, monkeypatch):
    task = factory.task()
    reads = []
    original = answers._read_answers
    monkeypatch.setattr(answers, "_read_answers", lambda *a: reads.append(1) or original(*a))
    for _ in range(5):
        assert score_submission(factory.submission(good), task).score == 1.0
    assert len(reads) == 1
    flipped = task.answers.read_text().replace(",1", ",2").replace(",0", ",1").replace(",2", ",0")
    task.answers.write_text(flipped)
    os.utime(task.answers, ns=(1, 1))
    assert score_submission(factory.submission(good), task).score == 0.0
    assert len(reads) == 2


def test_a_single_row_has_no_interval(factory):
    task = factory.task(truth=(1.0,), config=regression(), leaderboard=[0.5, 1.5])
    path = factory.submission([1.0])
    result = score_submission(path, task, bootstrap=1000)
    assert (result.score, result.n_rows) == (0.0, 1)
    assert (result.score_low, result.score_high, result.score_quantiles) == (None, None, None)


def noisy_task(factory, n=300, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n)
    task = factory.task(truth=truth.tolist(), config=regression(), leaderboard=None)
    return task, factory.submission((truth + rng.normal(size=n)).tolist()), truth


def test_bootstrap_interval(factory):
    task, path, _ = noisy_task(factory)
    result = score_submission(path, task, bootstrap=2000, seed=3)
    again = score_submission(path, task, bootstrap=2000, seed=3)
    assert result == again
    assert score_submission(path, task, bootstrap=2000, seed=4) != result
    assert result.score_low < result.score < result.score_high
    # The error of an RMSE of n normal errors is about its value over the root of 2 n.
    spread = (result.score_high - result.score_low) / (2 * 1.96)
    assert spread == pytest.approx(result.score / math.sqrt(2 * 300), rel=0.25)
    quantiles = np.array(result.score_quantiles)
    assert len(quantiles) == 201
    assert (np.diff(quantiles) >= 0).all()
    assert quantiles[5] == result.score_low
    assert result.undefined_resamples == 0


def test_bootstrap_of_few_rows_counts_what_it_leaves_out(factory, good):
    """Of six rows a resample may hold one class only; those have no AUC."""
    result = score_submission(factory.submission(good), factory.task(), bootstrap=1000)
    assert 0 < result.undefined_resamples < 500
    assert result.score_high == 1.0


def test_bootstrap_does_at_least_a_thousand(factory, good, monkeypatch):
    from biomlbench.scoring import bootstrap

    seen = []
    original = bootstrap.summarize
    monkeypatch.setattr(bootstrap, "summarize", lambda s: seen.append(len(s)) or original(s))
    score_submission(factory.submission(good), factory.task(), bootstrap=10)
    assert seen == [1000]


def test_bytes_tables_and_paths_score_alike(factory, good):
    from biomlbench.submission.reading import read_table

    task, path = factory.task(), factory.submission(good)
    table = read_table(path, {"id": "text", "y": "number"})
    results = {score_submission(x, task).score for x in (path, str(path), path.read_bytes(), table)}
    assert results == {1.0}


THREE = {"id": "id", "target": ["a", "b"], "prediction": ["a", "b"]}
BROKEN_ANSWERS = {
    "missing": (
        {"answers": "id,y\nr0,0.5\nr1,\nr2,\n", "config": {"grader": {"metric": "mae"}}},
        (
            "column `y`: 2 rows of the truth are missing, NaN or infinite; the first is row 2; "
            "give every row a value, or leave the row out"
        ),
    ),
    "columns": (
        {
            "answers": "id,a,b\nr0,0,1\nr1,1,0\nr2,1,1\n",
            "sample": "id,a,b\nr0,0,0\nr1,0,0\nr2,0,0\n",
            "config": {"grader": {"metric": "f1"}, "submission": THREE},
        },
        "columns `a`, `b`: the truth must have 1 dimension, not 2 (2 columns); declare as many",
    ),
    "one class": (
        {"answers": "id,y\nr0,1\nr1,1\nr2,1\n"},
        "column `y`: the truth holds a single class; correct the answers, or declare another",
    ),
    "repeated": (
        {"answers": "id,y\nr0,1\nr1,0\nr0,1\nr2,1\nr1,1\n"},
        "2 row(s) repeat an id, first in data row 3; give every id one row",
    ),
    "repeated and missing": (
        {"answers": "id,y\nr0,1\nr1,0\nr1,1\n"},
        "1 row(s) repeat an id, first in data row 3; give every id one row",
    ),
    "other ids": (
        {"answers": "id,y\nr0,1\nr1,0\nr8,1\nr9,1\n"},
        "2 only in the answers, 1 only in the sample; give both the same ids",
    ),
}


@pytest.mark.parametrize("what", BROKEN_ANSWERS)
def test_broken_answers_are_told_with_file_columns_and_remedy(factory, what):
    settings, said = BROKEN_ANSWERS[what]
    task = factory.task(truth=(0, 1, 1), leaderboard=None, **settings)
    header, *rows = task.sample_submission.read_text().splitlines()
    values = ["0,1", "1,0", "1,1"] if header == "id,a,b" else ["0.5", "0.6", "0.7"]
    lines = [f"{row.split(',')[0]},{value}" for row, value in zip(rows, values, strict=True)]
    data = "\n".join([header, *lines, ""]).encode()
    result = score_submission(data, task)
    assert (result.fault, result.reason) == ("task", "broken_answers")
    assert result.message.startswith(f"{task.answers}: ")
    assert said in result.message


@pytest.mark.parametrize("of_ours", [True, False])
def test_an_inputs_fn_that_fails_is_named_with_what_it_got(factory, caplog, of_ours):
    """A line, not a traceback; before there are runs as well."""
    inputs = "biomlbench.tasks.conformations:structures" if of_ours else "own.py:inputs"
    code = "\n\ndef inputs(submission, answers):\n    return answers['target'], submission.y\n"
    task = factory.task(
        config={"grader": {"metric": "lddt" if of_ours else "rmse", "inputs_fn": inputs}},
        leaderboard=None,
        files={"own.py": code},
    )
    result = score_submission(b"id,y\n" + b"".join(b"r%d,1\n" % i for i in range(6)), task)
    assert (result.fault, result.reason) == ("grader", "grader_error")
    assert f"`inputs_fn` {inputs} raised KeyError: 'target' (" in result.message
    assert of_ours or "(own.py, line 4)" in result.message
    assert "columns ['id', 'y'] and answers with ['id', 'y']" in result.message
    assert "Traceback" not in caplog.text
    with pytest.raises(TaskError, match=r"`inputs_fn` .* raised KeyError"):
        check_gradable(task)


@pytest.mark.parametrize(
    ("options", "said"),
    [({}, "3 columns for 2 classes; where no row"), ({"labels": list("abd")}, "outside `labels`")],
)
def test_classes_that_do_not_fit_the_columns_have_one_remedy(tmp_path, options, said):
    task = base("classes")
    task.answers["y"] = np.where(np.arange(60) % 3, "b", "c")
    sample = task.answers[["id"]].assign(p_a=0.2, p_b=0.4, p_c=0.4)
    task.public["sample_submission"] = sample
    task.grader = {"metric": "log_loss", "options": options}
    task.submission = {"id": "id", "target": "y", "prediction": ["p_a", "p_b", "p_c"]}
    with pytest.raises(TaskError) as told:
        grade_csv(sample, task.write(tmp_path))
    assert said in told.value.message
    assert "`options: {labels: [...]}`" in told.value.message
    assert "`target`" not in told.value.message
    task.grader["options"] = {"labels": list("abc")}
    assert grade_csv(sample, task.write(tmp_path / "right")).valid_submission


@pytest.mark.parametrize("items", ["an image", "a row", "two images"])
def test_a_single_item_of_an_inputs_fn_has_no_interval_and_is_told(factory, caplog, items):
    made = {"an image": "a, b", "two images": "[a, a], [b, b]", "a row": "[a.sum()], [b.sum()]"}
    code = (
        "def own(submission, answers):\n"
        "    b, a = (t.y.to_numpy().reshape(2, -1) for t in (submission, answers))\n"
        f"    return {made[items]}\n"
    )
    task = factory.task(
        config={"grader": {"metric": "rmse" if items == "a row" else "dice",
                           "inputs_fn": "own:own"}},
        files={"own.py": code},
        leaderboard=None,
    )  # fmt: skip
    check_gradable(task)
    single = items != "two images"
    assert ("`inputs_fn` own:own returns a single item" in caplog.text) == single
    rows = b"".join(b"r%d,%d\n" % (i, i % 2) for i in range(6))
    result = score_submission(b"id,y\n" + rows, task, bootstrap=1000)
    assert result.valid
    assert (result.score_low is None) == single
    assert result.n_rows == (1 if single else 2)
