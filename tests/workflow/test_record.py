"""The provenance of a benchmark."""

import hashlib
import json

import pyarrow as pa
import pytest

from biomlbench.workflow import record


@pytest.mark.parametrize("rows", [0, 1, 3, 4, 10])
def test_the_hash_of_columns_is_that_of_all_their_values_at_once(rows, monkeypatch):
    monkeypatch.setattr(record, "_ROWS_AT_A_TIME", 3)
    columns = {"a": [f'"{n}" Ü' for n in range(rows)], "b": [None, "x"] * (rows // 2) + ["y"]}
    columns["b"] = columns["b"][:rows]
    table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
    table = pa.concat_tables([table.slice(0, 2), table.slice(2)])
    whole = json.dumps([columns["b"], columns["a"], columns["b"]])
    expected = hashlib.sha256(whole.encode()).hexdigest()[:16]
    assert record._hash_of(table, ["b", "a", "b"]) == expected
