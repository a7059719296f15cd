"""A `Grader` matches rows by the index of its tables, or refuses one that it cannot go by."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from biomlbench.errors import InvalidSubmissionError, TaskError
from biomlbench.grade_helpers import Grader
from biomlbench.task.submission_columns import SubmissionSchema

SUBMITTED = pd.DataFrame({"id": ["b", "a", "c"], "y": [2.0, 1.0, 9.0]})
ANSWERS = pd.DataFrame({"id": ["a", "b", "c"], "y": [1.0, 2.5, 9.0]})
RIGHT = pytest.approx(np.sqrt(0.25 / 3))


def largest(submission, answers):
    return float(np.abs(submission["y"].to_numpy() - answers["y"].to_numpy()).max())


def indexed(table):
    return table.set_index("id")


def both(table):
    return table.set_index("id", drop=False)


def leftover(table):
    return table.rename_axis("row")


def arrow(table):
    return pa.Table.from_pandas(indexed(table))


def polars(table):
    return pytest.importorskip("polars").from_pandas(table)


FORMS = [pd.DataFrame, indexed, both, leftover, arrow, polars]


@pytest.mark.parametrize("of_answers", FORMS)
@pytest.mark.parametrize("of_submission", FORMS)
def test_rows_are_matched_by_a_named_index(of_submission, of_answers):
    tables = of_submission(SUBMITTED), of_answers(ANSWERS)
    assert Grader("g", metric="rmse").score(*tables) == RIGHT
    assert Grader("g", largest).score(*tables) == 0.5


def test_rows_are_matched_by_an_index_of_two_levels():
    answers = pd.DataFrame({"plate": [1, 1, 2], "well": ["A", "B", "A"], "y": [1.0, 2.5, 9.0]})
    submission = answers.assign(y=[1.0, 2.0, 9.0]).iloc[[2, 0, 1]]
    levels = ["plate", "well"]
    for one in (submission.set_index(levels), submission):
        for grader in (Grader("g", metric="rmse"), Grader("g", largest)):
            expected = RIGHT if grader.metric else 0.5
            assert grader.score(one, answers.set_index(levels)) == expected
            assert grader.score(submission.set_index(levels), answers) == expected


@pytest.mark.parametrize("grader", [Grader("g", metric="rmse"), Grader("g", largest)])
def test_labels_of_an_index_that_are_not_those_of_the_answers_are_refused(grader):
    foreign = indexed(SUBMITTED.assign(id=["b", "a", "x"]))
    with pytest.raises(InvalidSubmissionError, match="1 of 3 ids have no row"):
        grader.score(foreign, indexed(ANSWERS))


@pytest.mark.parametrize("grader", [Grader("g", metric="rmse"), Grader("g", largest)])
def test_an_unnamed_index_that_would_decide_is_refused(grader):
    submission, answers = (indexed(table).rename_axis(None) for table in (SUBMITTED, ANSWERS))
    for known in (answers, answers.reset_index(drop=True)):
        with pytest.raises(InvalidSubmissionError, match="labels of their rows differ; give both"):
            grader.score(submission, known)
    with pytest.raises(TaskError, match="labels of their rows differ"):
        grader.score(submission.reset_index(drop=True), answers)


@pytest.mark.parametrize("grader", [Grader("g", metric="rmse"), Grader("g", largest)])
def test_indexes_of_other_names_are_refused(grader):
    renamed = indexed(SUBMITTED).rename_axis("sample")
    with pytest.raises(InvalidSubmissionError, match="no id in common, and the labels"):
        grader.score(renamed, indexed(ANSWERS))
    with pytest.raises(InvalidSubmissionError, match="no id in common, and the labels"):
        grader.score(indexed(SUBMITTED), ANSWERS[["y"]])


def test_a_declared_id_may_be_an_index_and_must_be_there():
    grader = Grader("g", metric="rmse", schema=SubmissionSchema(ids=("id",), targets=("y",)))
    assert grader.score(indexed(SUBMITTED), indexed(ANSWERS)) == RIGHT
    for lacking in (SUBMITTED[["y"]], indexed(SUBMITTED).rename_axis("sample")):
        with pytest.raises(InvalidSubmissionError, match=r"missing column\(s\) \['id'\]"):
            grader.score(lacking, indexed(ANSWERS))


@pytest.mark.parametrize("grader", [Grader("g", metric="rmse"), Grader("g", largest)])
def test_an_unnamed_index_that_decides_nothing_is_taken(grader):
    shuffled = SUBMITTED.sample(frac=1, random_state=3)
    expected = RIGHT if grader.metric else 0.5
    assert grader.score(shuffled, ANSWERS.iloc[::-1]) == expected
    alone = SUBMITTED[["y"]].assign(y=[1.0, 2.0, 9.0])
    assert grader.score(alone, ANSWERS) == expected
    assert grader.score(alone, indexed(ANSWERS)) == expected
    assert grader.score(alone.set_axis([4, 7, 5]), ANSWERS.set_axis([4, 7, 5])) == expected


def test_repeated_ids_in_another_order_are_refused_by_a_metric():
    answers = pd.DataFrame({"id": ["a", "a", "b"], "y": [1.0, 2.0, 3.0]})
    assert Grader("g", metric="mse").score(answers, answers) == 0
    for of_id in (pd.DataFrame, indexed):
        with pytest.raises(InvalidSubmissionError, match=r"ids \(id\) are repeated"):
            Grader("g", metric="mse").score(of_id(answers.iloc[[2, 0, 1]]), of_id(answers))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("x.csv", "not a str; read the file first, as by pandas.read_csv"),
        ([1.0, 2.0], "not a list"),
        ({"id": ["a"], "y": [1.0]}, "not a dict"),
        (None, "not a NoneType"),
        (SUBMITTED["y"], "a Series is taken if it has a name and its index"),
    ],
)
def test_what_is_no_table_is_a_type_error(given, told):
    with pytest.raises(TypeError, match=told):
        Grader("rmse", metric="rmse")(given, ANSWERS)
    with pytest.raises(TypeError, match=f"the answers: {told}"):
        Grader("rmse", metric="rmse")(ANSWERS, given)


def test_a_series_whose_index_has_a_name_is_a_table():
    assert Grader("g", metric="rmse").score(indexed(SUBMITTED)["y"], ANSWERS) == RIGHT
