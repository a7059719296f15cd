"""What is published: messages without places, and every name as it is."""

from pathlib import Path

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from biomlbench.contracts import SCHEMAS, from_rows, read_table
from biomlbench.export import TABLES
from biomlbench.export.public_tables import EMPTIED, MESSAGES, public_tables
from tests.report import fixtures

PATHS = ("/models/llama/ckpt-100", "/models/qwen/ckpt-100", "'/a b/c.csv'", "C:\\x\\m", "~/x/m",
         "5 mg /kg/day", "`runs/otto/a.csv`", "file:///x/y", "plain", "row-1", "row-2")  # fmt: skip
TEXTS = st.sampled_from(PATHS) | st.text(max_size=12)
CHANGED = {*MESSAGES, *EMPTIED, "meta_log"}


def column(table, name, texts):
    field = table.schema.field(name)
    values = [[text] for text in texts] if pa.types.is_list(field.type) else texts
    return table.set_column(table.schema.get_field_index(name), field, pa.array(values, field.type))


def is_text(kind):
    return pa.types.is_string(kind) or (pa.types.is_list(kind) and is_text(kind.value_type))


def tables_with(texts):
    """Return a table of each kind, of two rows, in which every text is one of these."""
    found = {}
    for name in TABLES:
        schema = SCHEMAS[name]
        table = pa.table([pa.nulls(len(texts), field.type) for field in schema], schema=schema)
        for field in schema:
            if is_text(field.type):
                table = column(table, field.name, texts)
        found[name] = table
    found["pairs"] = column(found["pairs"], "fault", ["none"] * len(texts))
    return found


@settings(max_examples=60, deadline=None)
@given(st.lists(TEXTS, min_size=2, max_size=4, unique=True))
def test_only_messages_are_changed_and_no_two_names_become_one(texts):
    before = tables_with(texts)
    after = public_tables(before)
    for name, table in before.items():
        assert after[name].schema == table.schema
        for field in table.schema:
            if field.name not in CHANGED:
                assert after[name][field.name].equals(table[field.name]), (name, field.name)


def test_paths_are_taken_out_of_every_message_and_note():
    for name, table in public_tables(tables_with(["no /home/otto/a.csv"])).items():
        for field in table.schema:
            if field.name in MESSAGES:
                (text,) = table[field.name].to_pylist()
                assert text in ("no a.csv", ["no a.csv"]), (name, field.name)


def test_messages_are_columns_of_the_tables():
    assert set(MESSAGES) <= {field.name for name in TABLES for field in SCHEMAS[name]}


def test_a_row_that_cannot_be_used_takes_no_other_runs_name(tmp_path: Path):
    fixtures.write(tmp_path, 9, calibrated=False)
    tables = {name: read_table(name, tmp_path / f"{name}.parquet") for name in TABLES}
    pairs = tables["pairs"].to_pylist()
    pairs[1] |= {"run_id": "/home/otto/runs.csv:7", "fault": "run_table"}
    pairs[0] |= {"run_id": "row-2", "task_id": pairs[1]["task_id"]}
    ids = public_tables({**tables, "pairs": from_rows("pairs", pairs)})["pairs"]["run_id"]
    assert ids.to_pylist()[:2] == ["row-2", "row-2_"]
