"""A grading function gets answers and submission with the same types, and no text is lost."""

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from biomlbench.errors import TaskError
from biomlbench.grade import grade_csv
from biomlbench.metrics import MetricError, get_metric
from biomlbench.scoring.gradable import check_gradable
from biomlbench.scoring.score import score_submission
from biomlbench.submission.answers import answers_of
from biomlbench.submission.own_tables import typed
from biomlbench.task.submission_columns import SubmissionSchema
from biomlbench.task.task import Task
from tests.api.conftest import Factory

TASK = "demo/toy-task"
ODD = ["01", "1", "NA", "1e3", "null", "None", "nan", "1.0", "true"]
CODE = "def grade(s, a):\n    return float((s.code == a.iloc[:, 1]).mean())\n"
GROUPS = (
    "def grade(s, a):\n"
    "    groups = s.assign(hit=s.code == a.code, site=a.site).groupby('site').hit.mean()\n"
    "    return float(groups.mean()) + len(groups)\n"
)
WRITE = {
    ".csv": lambda frame, path: frame.to_csv(path, index=False),
    ".tsv.gz": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    ".parquet": lambda frame, path: frame.to_parquet(path, index=False),
}


def labelled(factory, frame, code=CODE, kind="string", suffix=".csv", target=None):
    """A task whose own function grades a column `code`."""
    submission = {"id": "id", "prediction": "code", "columns": {"code": {"type": kind}}}
    grader = {"name": "own", "grade_fn": "own.py:grade", "direction": "maximize"}
    dataset = {"answers": f"prepared/private/answers{suffix}"}
    if target:
        submission["target"] = target
    factory.task(
        config={"grader": grader, "submission": submission, "dataset": dataset},
        files={"own.py": code},
    )
    prepared = factory.data / TASK / "prepared"
    WRITE[suffix](frame, prepared / "private" / f"answers{suffix}")
    gold = pd.DataFrame({"id": frame["id"], "code": frame[target or "code"]})
    gold.assign(code=gold["code"].iloc[0]).to_csv(
        prepared / "public" / "sample_submission.csv", index=False
    )
    return factory.get(TASK), gold


@pytest.mark.parametrize("suffix", WRITE)
@pytest.mark.parametrize("ids", [[f"r{i}" for i in range(9)], [f"{i:03}" for i in range(9)]])
@pytest.mark.parametrize("target", [None, "truth"])
@pytest.mark.parametrize("kind", ["string", "free"])
def test_text_is_text_on_both_sides(factory, suffix, ids, target, kind):
    frame = pd.DataFrame({"id": ids, target or "code": ODD})
    task, gold = labelled(factory, frame, kind=kind, suffix=suffix, target=target)
    assert grade_csv(gold, task).score == 1.0
    found = answers_of(task).frame
    assert found["id"].tolist() == ids
    assert found[target or "code"].tolist() == ODD


def test_numbers_of_parquet_are_text_where_text_is_declared(factory):
    frame = pd.DataFrame({"id": ["a", "b", "c"], "code": [1, 2, 30]})
    task, gold = labelled(factory, frame, suffix=".parquet")
    assert grade_csv(gold, task).score == 1.0


@pytest.mark.parametrize("suffix", WRITE)
@pytest.mark.parametrize("sites", [["EU", "NA", "NA"], ["01", "1", "1"], ["1", "NA", "None"]])
def test_no_group_is_lost(factory, suffix, sites):
    frame = pd.DataFrame({"id": ["a", "b", "c"], "code": ["x", "y", "z"], "site": sites})
    task, gold = labelled(factory, frame, GROUPS, suffix=suffix)
    assert grade_csv(gold, task).score == 1.0 + len(set(sites))


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["1", "-20", "0"], [1, -20, 0]),
        (["1", "", "0.5"], [1.0, None, 0.5]),
        (["1e-05", "2E+16", "-inf"], [1e-05, 2e16, float("-inf")]),
        (["True", "false", ""], [True, False, None]),
        (["1", "NA", ""], ["1", "NA", None]),
        (["007", "8", "9"], ["007", "8", "9"]),
        (["9007199254740993", "", "1"], ["9007199254740993", None, "1"]),
        (["123456789012345678", "1"], [123456789012345678, 1]),
        (["", ""], [None, None]),
    ],
)
def test_a_column_that_only_the_answers_have(texts, values):
    assert typed(pa.chunked_array([texts])).to_pylist() == values


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["0.5", "NA", ""], [0.5, None, None]),
        (["01", "+2", " 3"], [1.0, 2.0, 3.0]),
        (["benign", "NA", ""], ["benign", "NA", None]),
    ],
)
def test_a_column_that_is_a_number_in_the_submission(texts, values):
    assert typed(pa.chunked_array([texts]), numeric=True).to_pylist() == values


cells = st.lists(
    st.sampled_from([*ODD, "", "0", "12", "-3.5", "1E10"])
    | st.integers().map(str)
    | st.floats().map(str)
    | st.text("0123456789.eE+-", max_size=5),
    min_size=1,
)


@given(cells)
def test_a_cell_is_kept_or_is_a_number_that_is_written_plainly(texts):
    found = typed(pa.chunked_array([texts])).to_pylist()
    for text, value in zip(texts, found, strict=True):
        if value is None:
            assert text == ""
        elif isinstance(value, bool):
            assert text.lower() == str(value).lower()
        elif not isinstance(value, str):
            assert type(value)(text) == value
            assert not re.match(r"[+-]?0\d|\+", text)
        else:
            assert text == value


TRUE = {"capital": ("True", "False"), "lower": ("true", "false"), "upper": ("TRUE", "FALSE")}
PREDICTED = [True, False, True, True]


def boolean_tables():
    """The same booleans as every library has or writes them."""
    frame = pd.DataFrame({"id": list("abcd"), "y": PREDICTED})
    yield frame
    yield frame.astype({"y": object})
    yield pytest.importorskip("polars").DataFrame(frame.to_dict("list"))
    for yes, no in TRUE.values():
        yield frame.assign(y=[yes if one else no for one in PREDICTED])


@pytest.mark.parametrize("declared", [*TRUE, None])
@pytest.mark.parametrize("answers", TRUE)
@pytest.mark.parametrize("own", [False, True])
def test_booleans_that_are_text_are_one_value(factory, tmp_path, answers, declared, own):
    yes, no = TRUE[answers]
    column = {"type": "string"} | ({"allowed": list(TRUE[declared])} if declared else {})
    grader = {"name": "f1", "metric": "f1", "options": {"pos_label": yes}}
    if own:
        grader = {"name": "own", "grade_fn": "own.py:grade", "direction": "maximize"}
    factory.task(
        config={
            "grader": grader,
            "submission": {"id": "id", "target": "y", "columns": {"y": column}},
        },
        ids=list("abcd"),
        truth=[yes, no, yes, yes],
        files={"own.py": "def grade(s, a):\n    return float((s.y == a.y).mean())\n"},
    )
    task = factory.get(TASK)
    for number, table in enumerate(boolean_tables()):
        assert grade_csv(table, task).score == 1.0
        path = tmp_path / f"{number}.csv"
        path.write_text(
            "id,y\n" + "".join(f"{i},{v}\n" for i, v in zip(*columns(table), strict=True))
        )
        assert grade_csv(path, task).score == 1.0


def columns(table):
    return (list(table[name]) for name in ("id", "y"))


def test_labels_of_which_some_are_no_booleans_are_compared_as_written(factory):
    frame = pd.DataFrame({"id": ["a", "b", "c"], "code": ["true", "True", "unknown"]})
    task, gold = labelled(factory, frame)
    assert grade_csv(gold, task).score == 1.0
    assert grade_csv(gold.assign(code="true"), task).score == pytest.approx(1 / 3)


def three_targets():
    truth = pd.DataFrame({name: [0, 1, 1, 0] for name in ("a", "b", "c")})
    return {"metric": "roc_auc"}, truth, truth.astype(float)


def too_many_columns():
    truth = pd.DataFrame({"y": [0, 1, 1, 0]})
    return {"metric": "rmse"}, truth, pd.DataFrame({"p": [0.0, 1, 1, 0], "q": [0.0, 1, 1, 0]})


def text_for_numbers():
    return {"metric": "rmse"}, pd.DataFrame({"y": [0, 1, 2, 0]}), pd.DataFrame({"y": list("abca")})


def numbers_for_text():
    return (
        {"metric": "accuracy"},
        pd.DataFrame({"y": list("abca")}),
        pd.DataFrame({"y": [0, 1, 2, 0]}),
    )


@pytest.mark.parametrize(
    "form", [three_targets, too_many_columns, text_for_numbers, numbers_for_text]
)
def test_a_form_that_the_metric_does_not_take_is_the_tasks_fault(factory, form):
    grader, truth, predictions = form()
    ids = pd.Series(list("wxyz"), name="id")
    targets, names = list(truth), list(predictions)
    submission = {"id": "id", "target": targets, "prediction": names}
    factory.task(config={"grader": {"name": "g", **grader}, "submission": submission})
    prepared = factory.data / TASK / "prepared"
    constant = pd.concat([ids, predictions.iloc[[0] * 4].reset_index(drop=True)], axis=1)
    constant.to_csv(prepared / "public" / "sample_submission.csv", index=False)
    pd.concat([ids, truth], axis=1).to_csv(prepared / "private" / "answers.csv", index=False)
    told = set()
    for table in (constant, pd.concat([ids, predictions], axis=1)):
        with pytest.raises(TaskError) as error:
            grade_csv(table, factory.get(TASK))
        told.add(str(error.value))
    (message,) = told
    assert "answers.csv" in message


@pytest.mark.parametrize(
    ("metric", "option"),
    [("f1", "pos_label"), ("roc_auc", "pos_label"), ("log_loss", "pos_label"),
     ("log_loss", "labels"), ("roc_auc", "labels")],
)  # fmt: skip
@pytest.mark.parametrize(("value", "by_yaml"), [(True, True), (False, True), (1, False)])
def test_a_label_that_yaml_made_another_type_of_is_told(metric, option, value, by_yaml):
    truth = np.array(["yes", "no", "maybe"] if option == "labels" else ["yes", "no", "no"], object)
    predictions = truth if metric == "f1" else [0.2, 0.5, 0.3]
    given = value
    if option == "labels":
        predictions = [[0.2, 0.5, 0.3], [0.3, 0.5, 0.2], [0.1, 0.1, 0.8]]
        given = [value, "no", "maybe"]
    with pytest.raises(MetricError, match=f"{option} {value} .*put it in quotes") as error:
        get_metric(metric)(truth, predictions, **{option: given})
    assert error.value.fault == "task"
    assert ("YAML makes of words like yes, no, on, off" in str(error.value)) == by_yaml


@pytest.mark.parametrize("metric", ["roc_auc", "average_precision", "log_loss", "f1", "recall"])
@given(
    labels=st.sets(
        st.text(st.characters(codec="utf-8", min_codepoint=1), max_size=8), min_size=2, max_size=2
    )
)
@example({"M", "B"})
@example({"yes", "no"})
@example({"1", "2"})
def test_the_remedy_for_labels_of_text_names_one_as_yaml_takes_it(metric, labels):
    truth = np.array([*labels, *labels], object)
    predictions = truth if metric in ("f1", "recall") else [0.9, 0.1, 0.8, 0.2]
    with pytest.raises(MetricError, match="is not declared") as error:
        get_metric(metric)(truth, predictions)
    assert (error.value.reason, error.value.fault) == ("no_positives", "task")
    assert all(repr(label) in str(error.value) for label in labels)
    remedy = str(error.value).split("`options: ")[1][:-1]
    options = yaml.safe_load(remedy)
    assert set(options.values()) <= labels
    get_metric(metric)(truth, predictions, **options)


@pytest.mark.parametrize(
    "section", [{"id": True}, {"target": [False]}, {"prediction": True}, {"columns": {True: {}}}]
)
def test_a_column_that_yaml_made_a_boolean_of_is_told(section):
    with pytest.raises(TaskError, match="YAML makes of words like yes, no, on and off"):
        SubmissionSchema.from_config(section)


@pytest.mark.parametrize("allowed", [None, ["01", "NA", "x"], ["a", "b"]])
def test_a_label_that_pandas_takes_for_missing_is_told_with_the_remedy(factory, tmp_path, allowed):
    frame = pd.DataFrame({"id": ["a", "b", "c"], "code": ["01", "NA", "x"]})
    task, gold = labelled(factory, frame)
    if allowed:
        config = factory.tasks / TASK / "config.yaml"
        settings = json.loads(config.read_text())
        settings["submission"]["columns"]["code"]["allowed"] = allowed
        config.write_text(json.dumps(settings))
        task = factory.get(TASK)
    path = tmp_path / "gold.csv"
    gold.to_csv(path, index=False)
    again = pd.read_csv(path, dtype=str)
    report = grade_csv(again, task)
    assert report.reason == "nan_predictions"
    hinted = allowed is None or "NA" in allowed
    assert ("`keep_default_na=False`" in report.message) == hinted
    kept = pd.read_csv(path, dtype=str, keep_default_na=False)
    assert (grade_csv(kept, task).score == 1.0) == hinted


def test_an_id_that_pandas_takes_for_missing_is_told_with_the_remedy(factory, tmp_path):
    frame = pd.DataFrame({"id": ["a", "NA", "null"], "code": list("xyz")})
    task, gold = labelled(factory, frame)
    path = tmp_path / "gold.csv"
    gold.to_csv(path, index=False)
    report = grade_csv(pd.read_csv(path).iloc[:2], task)
    assert "`keep_default_na=False`" in report.message
    for rows in (gold.iloc[1:], gold.iloc[:2]):
        assert "keep_default_na" not in grade_csv(rows, task).message
    assert grade_csv(pd.read_csv(path, keep_default_na=False), task).score == 1.0


@pytest.mark.parametrize("column", [{"type": "free"}, {"type": "string"}, {"type": "text"}])
@given(codes=st.lists(st.sampled_from(["", "x", "NA"]), min_size=2, max_size=5))
def test_an_empty_text_is_a_right_answer_where_it_is_declared(column, codes):
    """The gold submission passes as it is, and a task without that is refused with the remedy."""
    frame = pd.DataFrame({"id": range(len(codes)), "code": codes})
    with TemporaryDirectory() as folder:
        factory = Factory(Path(folder))
        task, gold = labelled(factory, frame, kind=column["type"])
        path = task.gold_submission
        gold.to_csv(path, index=False)
        if column["type"] != "free" and "" in codes:
            with pytest.raises(TaskError, match="list '' under `allowed`") as refused:
                check_gradable(task)
            assert str(path) in str(refused.value)
            column = column | {"allowed": ["", "x", "NA"]}
        submission = {"id": "id", "prediction": "code", "columns": {"code": column}}
        task = Task(task.id, task.folder, task.data_dir, task.config | {"submission": submission})
        check_gradable(task)
        assert score_submission(path.read_bytes(), task).score == 1.0


def test_an_empty_cell_is_missing_where_it_is_not_declared(factory):
    task, gold = labelled(factory, pd.DataFrame({"id": [1, 2], "code": ["x", "y"]}))
    data = gold.assign(code=["x", ""]).to_csv(index=False).encode()
    assert score_submission(data, task).reason == "nan_predictions"


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        (
            {"patient": {}, "y": {}},
            r"\['patient'\], which is of the `id`: .*ids need no declaration",
        ),
        ({"z": {}, "y": {}}, r"`prediction` does not list; list it there, or leave out"),
    ],
)
def test_columns_that_are_no_predictions_are_told_the_remedy(columns, told):
    section = {"id": "patient", "target": "y", "prediction": "y", "columns": columns}
    with pytest.raises(TaskError, match=told):
        SubmissionSchema.from_config(section)
