"""Tables in memory are graded like the files that hold them; anything else is refused by name."""

from __future__ import annotations

from collections import deque

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from biomlbench.grade import grade_csv, validate_submission
from biomlbench.registry import Registry


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    root = tmp_path_factory.mktemp("tables")
    folder = root / "tasks" / "other" / "toy"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("grader: {metric: rmse}\nsubmission: {id: id, target: y}\n")
    for name, text in (
        ("public/sample_submission.csv", "id,y\n1,0\n2,0\n"),
        ("private/answers.csv", "id,y\n1,5.5\n2,7.25\n"),
    ):
        path = root / "data" / "other" / "toy" / "prepared" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Registry([root / "tasks"], root / "data").get_task("toy")


FRAME = pd.DataFrame({"id": [2, 1], "y": [7.25, 5.0]})


def polars():
    return pytest.importorskip("polars").DataFrame({"id": [2, 1], "y": [7.25, 5.0]})


@pytest.mark.parametrize(
    "make",
    [
        lambda: FRAME,
        lambda: FRAME.set_index("id"),
        lambda: FRAME.astype({"id": str, "y": object}),
        lambda: FRAME.astype({"y": "category"}),
        lambda: pa.Table.from_pandas(FRAME),
        lambda: pa.RecordBatch.from_pandas(FRAME),
        polars,
    ],
)
def test_a_table_scores_as_its_file(make, task, tmp_path):
    path = tmp_path / "s.csv"
    FRAME.to_csv(path, index=False)
    table = make()
    report = grade_csv(table, task)
    assert report.score == grade_csv(path, task).score
    assert report.submission_path == f"<{type(table).__name__}>"
    assert report.submission_exists
    assert validate_submission(table, task) == (True, "Submission is valid.")


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (FRAME.rename(columns={"y": "z"}), "missing_columns"),
        (FRAME.assign(more=1), "extra_columns"),
        (pd.concat([FRAME, FRAME["y"]], axis=1), "extra_columns"),
        (FRAME.assign(y=["a", 1.0]), "wrong_type"),
        (FRAME.assign(y=pd.Timestamp("2024-01-01")), "wrong_type"),
        (FRAME.assign(y=[None, 1.0]), "nan_predictions"),
        (FRAME.iloc[:1], "missing_ids"),
        (FRAME.iloc[:0], "empty"),
    ],
)
def test_a_bad_table_has_the_reason_of_a_bad_file(table, reason, task):
    report = grade_csv(table, task)
    assert (report.valid_submission, report.reason, report.fault) == (False, reason, "submission")
    assert not validate_submission(table, task)[0]


def nested(depth):
    value = 1.0
    for _ in range(depth):
        value = [value]
    return value


def holds_itself(kind):
    value = np.empty(1, dtype=object) if kind is np.ndarray else kind()
    if kind is np.ndarray:
        value[0] = value
    elif issubclass(kind, dict):
        value["a"] = value
    else:
        value.append((value,))
    return value


@pytest.mark.parametrize(
    "make",
    [
        *(lambda depth=depth: nested(depth) for depth in (2, 60, 1_000, 100_000)),
        *(lambda kind=kind: holds_itself(kind) for kind in (list, dict, deque, np.ndarray)),
    ],
    ids=["2", "60", "1000", "100000", "list", "dict", "deque", "array"],
)
def test_cells_that_hold_themselves_or_are_nested_deeply_are_no_numbers(make, task):
    frame = FRAME.assign(y=pd.Series([make(), 1.0], dtype=object))
    assert grade_csv(frame, task).reason == "wrong_type"
    assert not validate_submission(frame, task)[0]


def of_polars(dtype, values):
    """Return a frame of Polars whose predictions are of a type."""
    pl = pytest.importorskip("polars")
    return pl.DataFrame({"id": [2, 1], "y": pl.Series(values, dtype=dtype(pl))})


TAKEN = {
    "categorical": lambda pl: pl.Categorical,
    "enum": lambda pl: pl.Enum(["7.25", "5.0"]),
    "text": lambda pl: pl.String,
}


@pytest.mark.parametrize("name", TAKEN)
def test_every_type_of_text_of_polars_is_read_as_text(name, task):
    table = of_polars(TAKEN[name], ["7.25", "5.0"])
    assert grade_csv(table, task).score == grade_csv(FRAME, task).score
    assert grade_csv(table.select("y", "id"), task).score == grade_csv(FRAME, task).score


def test_integers_of_128_bits_are_read(task):
    table = of_polars(lambda pl: pl.Int128, [7, 5])
    pl = pytest.importorskip("polars")
    for frame in (table, table.with_columns(pl.col("id").cast(pl.Int128))):
        assert grade_csv(frame, task).score == grade_csv(FRAME.assign(y=[7, 5]), task).score


@pytest.mark.parametrize(
    "make",
    [
        lambda: of_polars(lambda pl: pl.List(pl.Categorical), [["a"], ["b"]]),
        lambda: of_polars(lambda pl: pl.List(pl.Int128), [[1], [2]]),
        lambda: of_polars(lambda pl: pl.Struct({"a": pl.Categorical}), [{"a": "x"}, {"a": "y"}]),
        lambda: of_polars(lambda pl: pl.Object, [object(), 1]),
        lambda: FRAME.assign(y=pd.interval_range(0, 2)),
        lambda: FRAME.assign(y=pd.cut(pd.Series([1, 2]), 2)),
        lambda: FRAME.assign(y=[{}, {}]),
        lambda: FRAME.assign(y=[1j, 2j]),
        lambda: pa.table({"id": [2, 1], "y": pa.array([[1], [2]], pa.list_view(pa.int8()))}),
        lambda: pa.table({"id": [2, 1], "y": pa.array([pa.MonthDayNano([1, 2, 3])] * 2)}),
    ],
)
def test_a_column_of_any_other_type_is_refused_as_one(make, task):
    table = make()
    report = grade_csv(table, task)
    assert (report.reason, report.fault) == ("wrong_type", "submission")
    assert "column `y`" in report.message
    assert not validate_submission(table, task)[0]


@pytest.mark.parametrize(
    "thing", [None, 5, [1], {"id": [1]}, FRAME["y"], FRAME.to_numpy(), b"id,y"]
)
def test_anything_else_is_told_what_is_taken(thing, task):
    with pytest.raises(TypeError, match="DataFrame of pandas or Polars, or a table of Arrow; not"):
        grade_csv(thing, task)


def test_a_lazy_table_is_told_to_be_computed(task):
    with pytest.raises(TypeError, match=r"call \.collect\(\) first"):
        grade_csv(polars().lazy(), task)


def test_a_missing_file_is_named_with_the_folder_it_was_looked_for_in(task, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = f"there is no file `runs/s.csv` (looked for in {tmp_path})"
    assert grade_csv("runs/s.csv", task).message == said
    assert validate_submission("runs/s.csv", task) == (False, f"Submission invalid! {said}")


@pytest.mark.parametrize("kind", ["float64", "float32", "Float64"])
@pytest.mark.parametrize("wanted", ["csv", "parquet"])
def test_ids_with_fractions_are_what_the_file_of_the_table_says(kind, wanted, factory, tmp_path):
    ids, values = [0.0, 1.5, 1e-5, 2e16], [3.0, 1.0, 2.0, 5.0]
    frame = pd.DataFrame({"id": ids, "y": values})
    task = factory.task(
        truth=values,
        ids=ids,
        leaderboard=None,
        config={
            "grader": {"metric": "rmse"},
            "dataset": {"sample_submission": f"prepared/public/sample_submission.{wanted}"},
        },
    )
    if wanted == "parquet":
        frame.assign(y=0.0).to_parquet(task.sample_submission, index=False)
    frame = frame.iloc[::-1].astype({"id": kind})
    for name, write in (("s.csv", frame.to_csv), ("s.parquet", frame.to_parquet)):
        write(tmp_path / name, index=False)
        assert grade_csv(tmp_path / name, task).score == 0
    assert grade_csv(frame, task).score == 0


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([0.5, "2024-01-01"], "column `y`: 1 value(s) are not numbers, first in data row 2"),
        (["(7.25+1j)", "x"], "column `y`: 2 value(s) are not numbers, first in data row 1"),
        (["True", 0.5], "column `y`: 1 value(s) are not numbers, first in data row 1; write 1 for"),
        (["7,25", "5,5"], "first in data row 1; write decimals with a point"),
        (
            ["NA", "7.25"],
            "column `y`: 1 value(s) are missing, NaN or infinite, first in data row 1",
        ),
        (["True", "False"], ""),
        ([" 7.25", "+5"], ""),
    ],
)
def test_text_for_numbers_is_read_alike_and_told_without_its_values(values, told, task, tmp_path):
    table = FRAME.assign(y=pd.Series(values, dtype=object))
    paths = tmp_path / "s.csv", tmp_path / "s.parquet"
    table.to_csv(paths[0], index=False)
    table.astype({"y": str}).to_parquet(paths[1], index=False)
    found = [validate_submission(one, task) for one in (table, *paths)]
    assert found == [found[0]] * 3
    assert found[0][0] == (not told)
    assert told in found[0][1]
    assert len({grade_csv(one, task).score for one in (table, *paths)}) == 1


def test_complex_numbers_are_none(task):
    """They look like numbers, and are none."""
    message = grade_csv(FRAME.assign(y=FRAME["y"] + 1j), task).message
    assert message == "column `y`: 2 value(s) are not numbers, first in data row 1"
