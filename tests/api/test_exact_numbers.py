"""Numbers are the nearest doubles in every format, and none that are rounded pass for equal."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biomlbench.errors import TaskError
from biomlbench.grade import grade_csv
from biomlbench.outcomes import Reason
from biomlbench.registry import Registry
from biomlbench.submission.reading import read_table


@pytest.fixture
def task_of(tmp_path):
    def make(values, *, metric="mae", columns="{y: {type: number}}"):
        data = tmp_path / "data" / "o" / "t" / "prepared"
        for folder in (data / "public", data / "private", tmp_path / "tasks" / "o" / "t"):
            folder.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tasks" / "o" / "t" / "config.yaml").write_text(
            f"grader: {{metric: {metric}}}\n"
            f"submission: {{id: id, target: y, columns: {columns}}}\n"
            "dataset: {answers: prepared/private/answers.parquet}\n"
        )
        ids = [f"r{i}" for i in range(len(values))]
        pd.DataFrame({"id": ids, "y": 0}).to_csv(
            data / "public" / "sample_submission.csv", index=False
        )
        pq.write_table(pa.table({"id": ids, "y": values}), data / "private" / "answers.parquet")
        return Registry([tmp_path / "tasks"], tmp_path / "data").get_task("t")

    return make


@given(st.lists(st.decimals(-(10**12), 10**12, places=6, allow_nan=False), min_size=1, max_size=20))
@settings(max_examples=30)
def test_decimals_are_the_nearest_floats(values):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"y": pa.array(values, pa.decimal128(30, 6))}), sink)
    read = read_table(sink.getvalue().to_pybytes(), {"y": "number"}, name="s.parquet")
    assert read.column("y").to_pylist() == [float(value) for value in values]


def test_right_decimals_have_the_score_of_right_work(task_of, tmp_path):
    rng = np.random.default_rng(0)
    values = pa.array([Decimal(f"{x:.6f}") for x in rng.normal(size=200)], pa.decimal128(20, 6))
    task = task_of(values)
    table = pa.table({"id": [f"r{i}" for i in range(200)], "y": values}).take(
        list(range(199, -1, -1))
    )
    pq.write_table(table, tmp_path / "s.parquet")
    for submission in (tmp_path / "s.parquet", table, table.to_pandas()):
        report = grade_csv(submission, task)
        assert report.score == 0, report.message


def test_texts_that_are_views_are_texts(task_of, tmp_path):
    task = task_of([1.0, 2.0])
    table = pa.table({"id": pa.array(["r0", "r1"]).cast(pa.string_view()), "y": [1.0, 2.0]})
    pq.write_table(table, tmp_path / "s.parquet")
    assert grade_csv(tmp_path / "s.parquet", task).score == 0


@pytest.mark.parametrize("number", [2**53 + 1, 2**53 + 2, 10**18, -(2**53) - 1, 10**30])
def test_answers_that_predictions_would_be_rounded_to_are_refused(task_of, number):
    """Whether or not a float holds it: its neighbours would be rounded to it."""
    whole = pa.array([Decimal(3), Decimal(number)], pa.decimal128(38, 0))
    task = task_of(whole, metric="accuracy")
    submission = pd.DataFrame({"id": ["r0", "r1"], "y": [3, 4]})
    with pytest.raises(TaskError, match=rf"answers.parquet: column `y`: {number} .*type: string"):
        grade_csv(submission, task)
    task = task_of(whole, metric="accuracy", columns="{y: {type: string}}")
    texts = submission.assign(y=["3", str(number + 1)])
    assert grade_csv(texts, task).score == 0.5
    assert grade_csv(texts.assign(y=["3", str(number)]), task).score == 1


def test_large_measurements_are_answers(task_of):
    task = task_of([2.0**53, 1e17, 3e300, -5.5])
    submission = pd.DataFrame(
        {"id": [f"r{i}" for i in range(4)], "y": [2.0**53, 1e17, 3e300, -5.5]}
    )
    report = grade_csv(submission, task)
    assert (report.score, report.reason) == (0, Reason.OK)
