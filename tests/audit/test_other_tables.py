"""Search for values in the public tables of other tasks."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomlbench.audit import other_tables
from biomlbench.audit.detectors import other_tasks
from biomlbench.audit.detectors._stands_for import Truth, stands_for
from biomlbench.audit.other_tables import other_public_hash
from biomlbench.audit.package_tables import codes_of

ROWS = 60
TRUTHS = {
    "numbers": lambda rng: rng.normal(size=ROWS).round(4),
    "mostly zeros": lambda rng: np.where(rng.random(ROWS) < 0.7, 0.0, rng.normal(size=ROWS)),
    "two classes": lambda rng: rng.integers(0, 2, ROWS).astype(float),
    "three classes as text": lambda rng: rng.choice(["a", "b", "1"], ROWS).astype(object),
    "some missing": lambda rng: np.where(rng.random(ROWS) < 0.1, np.nan, rng.normal(size=ROWS)),
}
COLUMNS = {
    "the same": lambda truth, rng: truth,
    "nearly all the same": lambda truth, rng: np.where(rng.random(ROWS) < 0.04, truth[::-1], truth),
    "opposite": lambda truth, rng: -pd.to_numeric(pd.Series(truth), errors="coerce").to_numpy(),
    "with noise": lambda truth, rng: (
        pd.factorize(truth, sort=True)[0] + rng.uniform(0, 0.9, ROWS)
    ).round(3),
    "other names": lambda truth, rng: np.array([f"c{k}" for k in pd.factorize(truth)[0]]),
    "some blank": lambda truth, rng: np.where(rng.random(ROWS) < 0.4, "", truth.astype(str)),
    "blanks about": lambda truth, rng: np.array([f" {one} " for one in truth]),
    "nothing of it": lambda truth, rng: rng.normal(size=ROWS).round(4),
    "constant": lambda truth, rng: np.zeros(ROWS),
}


def table(**columns):
    """Return a table as the search reads it from a file."""
    frame = pd.DataFrame(columns).astype(str)
    codes, numbers = other_tables._values(frame)
    return SimpleNamespace(
        codes=codes, numbers=numbers, text=lambda column: frame.iloc[:, column].to_numpy()
    )


def place(truth, column, rng, rows=ROWS):
    """Return where so many of the test rows are in a table."""
    held = table(x=rng.normal(size=ROWS), y=COLUMNS[column](truth, rng))
    there = np.arange(ROWS) < rows
    return other_tasks._Place(held, "id", there, np.arange(rows), [0, 1])


@given(st.sampled_from([*TRUTHS]), st.sampled_from([*COLUMNS]), st.integers(0, 2**32 - 1))
def test_the_look_at_all_columns_rules_out_none_that_stands_for_the_answer(kind, column, seed):
    rng = np.random.default_rng(seed)
    answers = TRUTHS[kind](rng)
    where = place(answers, column, rng)
    (may,) = other_tasks._may_stand_for([where], answers)
    truth = Truth(answers)
    stands = [c for c in (0, 1) if stands_for(where.table.text(c), truth, other_tasks.BOUNDS)]
    assert set(stands) <= set(may)
    if column in ("nothing of it", "constant"):
        assert may == []


@given(
    st.sampled_from([*TRUTHS]),
    st.lists(st.tuples(st.sampled_from([*COLUMNS]), st.sampled_from([45, ROWS])), max_size=6),
    st.integers(0, 2**32 - 1),
)
def test_tables_looked_at_together_are_seen_as_each_alone(kind, wanted, seed):
    rng = np.random.default_rng(seed)
    answers = TRUTHS[kind](rng)
    places = [place(answers, column, rng, rows) for column, rows in wanted]
    alone = [other_tasks._may_stand_for([where], answers)[0] for where in places]
    assert other_tasks._may_stand_for(places, answers) == alone


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(0)
    frames = {
        "first": pd.DataFrame({"id": range(100, 140), "y": rng.normal(size=40).round(3)}),
        "second": pd.DataFrame({"y": range(110, 150), "id": range(120, 160), "z": 125}),
        "third": pd.DataFrame({"w": rng.normal(size=40)}),
        "small": pd.DataFrame({"id": range(100, 103)}),
    }
    for name, frame in frames.items():
        path = tmp_path / "toy" / name / "prepared" / "public" / "train.csv"
        path.parent.mkdir(parents=True)
        frame.to_csv(path, index=False)
        (path.parent / "sample_submission.csv").write_text("id,y\n1,0\n")
    return tmp_path


def of_task(data, name):
    public = data / "toy" / name / "prepared" / "public"
    return SimpleNamespace(
        data_dir=data, public_dir=public, sample_submission=public / "sample_submission.csv"
    )


def test_columns_that_hold_values_are_found(data):
    tables, others, left_out = other_tables.other_tables(of_task(data, "third"))
    assert left_out == 0
    assert [tables.tables[path].name for path in others] == [
        "train.csv of toy/first",
        "train.csv of toy/second",
    ]
    first, second = others
    codes = codes_of(pd.Series(range(125, 145)))
    # of the same name first, though another column has more of the values
    assert tables.partners(codes, "id", 3) == {first: [0], second: [1, 0, 2]}
    assert tables.partners(codes, "other", 1) == {first: [0], second: [0]}
    assert tables.partners(codes_of(pd.Series(["none"])), "id", 3) == {}
    assert tables.partners(codes[:0], "id", 3) == {}


def test_one_index_serves_all_tasks_until_a_file_changes(data):
    index = other_tables.other_tables(of_task(data, "first"))[0]
    assert other_tables.other_tables(of_task(data, "second"))[0] is index
    path = data / "toy" / "third" / "prepared" / "public" / "train.csv"
    path.write_text("w\n" + "125\n" * 30)
    tables, others, _ = other_tables.other_tables(of_task(data, "second"))
    assert tables.partners(codes_of(pd.Series(["125"])), "w", 1)[path] == [0]
    assert path in others


def test_tables_beyond_the_memory_are_read_again_alike(data, monkeypatch):
    tables, others, _ = other_tables.other_tables(of_task(data, "third"))
    monkeypatch.setattr(other_tables, "MAX_KEPT", 0)
    other_tables._indexed.cache_clear()
    again, _, _ = other_tables.other_tables(of_task(data, "third"))
    for path in others:
        one, other = tables.tables[path], again.tables[path]
        assert other._kept is None
        assert one._kept is not None
        np.testing.assert_array_equal(one.codes, other.codes)
        np.testing.assert_array_equal(one.numbers, other.numbers)


def test_the_hash_is_of_the_others(data):
    task = of_task(data, "first")

    def hashes():
        return [other_public_hash(task, besides) for besides in ((), ("toy/second",))]

    before = hashes()
    (task.public_dir / "train.csv").write_text("id\n1\n")
    assert hashes() == before
    (of_task(data, "second").public_dir / "train.csv").write_text("id\n1\n")
    assert hashes()[0] != before[0]
    assert hashes()[1] == before[1]
