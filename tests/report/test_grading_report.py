"""The grading report of a results folder: made by columns, and the same as one made row by row."""

import json
import math

import numpy as np
import pyarrow as pa
import pytest

from biomlbench.contracts import SCHEMAS
from biomlbench.outcomes import Fault
from biomlbench.summary import grading_report

TEXTS = ["", "plain", 'a "quoted" one', "Ünal, naïve\n\ttab", "\u2028 \U0001f9ec", "a\\b", "null"]
FLOATS = [0.0, -0.0, 1.0, 0.1 + 0.2, 1e-300, 1e22, -3.5, math.nan, math.inf, -math.inf]


def drawn(field, rng, n):
    """Return values of a column, of all that its type and the code allow, with nulls."""
    if field.name == "fault":
        values = rng.choice(["none", "submission", str(Fault.RUN_TABLE)], n, p=[0.6, 0.3, 0.1])
    elif field.name == "reason":
        values = rng.choice(["ok", "missing_file", "unsafe_path", "wrong_columns"], n)
    elif field.name == "direction":
        values = rng.choice(["minimize", "maximize"], n)
    elif field.name == "leaderboard_percentile":
        values = rng.uniform(0, 100, n)
    elif pa.types.is_boolean(field.type):
        values = rng.random(n) < 0.5
    elif pa.types.is_floating(field.type):
        values = np.where(rng.random(n) < 0.7, rng.normal(size=n), rng.choice(FLOATS, n))
    elif pa.types.is_integer(field.type):
        values = rng.integers(-5, 2**31 - 1, n)
    elif pa.types.is_list(field.type):
        return [["a", "b"]] * n
    else:
        values = rng.choice(TEXTS, n)
    share = {"fault": 0.0, "label": 0.9}.get(field.name, 0.2 if field.nullable else 0.0)
    absent = rng.random(n) < share
    return [None if gone else value for value, gone in zip(values.tolist(), absent, strict=True)]


def pairs_of(n, seed=0):
    rng = np.random.default_rng(seed)
    schema = SCHEMAS["pairs"]
    columns = [pa.array(drawn(field, rng, n), field.type) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)


@pytest.mark.parametrize("n", [0, 1, 3, 400])
def test_the_written_report_is_the_one_made_row_by_row(n, tmp_path, monkeypatch):
    monkeypatch.setattr(grading_report, "_ROWS_AT_A_TIME", 64)
    pairs = pairs_of(n)
    expected = grading_report.grading_report(pairs)
    grading_report.write_grading_report(pairs, tmp_path / "report.json")
    text = (tmp_path / "report.json").read_text()
    found = json.loads(text, parse_constant=pytest.fail)
    assert found == expected
    runs = [
        row for row in pairs.to_pylist() if row["label"] is None and row["fault"] != Fault.RUN_TABLE
    ]
    assert found["total_runs"] == len(runs)
    assert list(found) == sorted(found)
    # To the sign of a zero and the last digit.
    entries = found["task_reports"]
    assert [json.dumps(entry, sort_keys=True) for entry in expected["task_reports"]] == [
        json.dumps(entry) for entry in entries
    ]
    if n > 100:
        assert 0 < found["total_errors"] < n
        assert found["total_runs"] + found["total_errors"] < n  # the rest are controls
        assert '"score": -0.0' in text
        assert '"score": 0.0' in text
