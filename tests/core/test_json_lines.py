"""Large JSON files hold what was given, an entry a line."""

from __future__ import annotations

import json
import math

import pytest

from biomlbench.runtime.json_lines import write_json

CONTENT = {
    "b": [{"x": 1, "y": None}, {"x": "é\n"}],
    "a": {"z": [1, 2], "k": {"deep": True}},
    "empty": [],
    "none": {},
    "n": 3,
}


def test_what_was_written_is_read(tmp_path):
    path = tmp_path / "new" / "file.json"
    write_json(path, CONTENT)
    assert json.loads(path.read_text(encoding="utf-8")) == CONTENT
    lines = path.read_text(encoding="utf-8").splitlines()
    assert '  {"x": 1, "y": null}' in [line.rstrip(",") for line in lines]
    assert [p.name for p in path.parent.iterdir()] == ["file.json"]


def test_what_only_python_reads_is_refused_where_asked(tmp_path):
    path = tmp_path / "file.json"
    write_json(path, {"a": math.inf})
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json(path, {"a": [math.nan]}, allow_nan=False)
    assert json.loads(path.read_text()) == {"a": math.inf}
