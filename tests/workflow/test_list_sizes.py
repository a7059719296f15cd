"""Lists of runs, which may be agents' own, never make the record larger than what is read of it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomlbench.runtime.json_lines import encoded
from biomlbench.workflow import list_sizes
from biomlbench.workflow.list_sizes import BYTES_A_RUN, too_large
from biomlbench.workflow.plan import Benchmark
from biomlbench.workflow.record import RECORD, read_record
from tests.workflow.conftest import ROOT

SIGNS = st.sampled_from(["a", "\u00e9", "\U0001f600", "\x01", "\udc80", '"'])
SIZES = st.tuples(SIGNS, st.integers(0, 5000)).map(lambda drawn: drawn[0] * drawn[1])


@given(st.dictionaries(st.sampled_from("abcdef"), SIZES), st.integers(0, 20_000))
def test_what_is_recorded_of_lists_is_bounded(lists, most):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(list_sizes, "MOST_OF_LISTS", most)
        refused = too_large(lists, 4)
    sizes = {name: len(encoded(text).encode()) for name, text in lists.items()}
    kept = sizes.keys() - refused.keys()
    assert sum(sizes[name] for name in kept) <= most
    assert all(sizes[name] <= 4 * BYTES_A_RUN for name in kept)
    # What a small one is costs a larger one its place, and never the other way round.
    assert all(sizes[one] <= sizes[other] for one in kept for other in refused)
    assert refused or len(kept) == len(lists)


def test_a_list_that_is_too_large_costs_only_its_own_runs(bench):
    folder = bench.path / "flood"
    folder.mkdir()
    line = {"task_id": "line", "submission_path": None}
    line |= {f"meta_k{n}": "\U0001f600" * 480 for n in range(5)}
    lines = json.dumps(line, ensure_ascii=False) + "\n"
    (folder / "submission.jsonl").write_text(lines * 10, encoding="utf-8")
    table = bench.path / "runs.csv"
    tables = [str(table), str(folder / "submission.jsonl")]
    config = {"runs": tables, "tasks_dirs": [str(bench.path / "toy")], "runs_per_list": 20}
    whole = Benchmark(config | {"runs": tables[:1]}, ROOT, results=bench.path / "r")
    found = Benchmark(config, ROOT, results=bench.path / "r")
    assert found.runs == whole.runs
    (bad,) = (row for row in found.bad_rows if row.is_table)
    assert "a list may have 40,000, 2,000 for each of `runs_per_list`" in bad.message
    assert found.table_texts == {tables[0]: table.read_text(), tables[1]: None}
    config["runs_per_list"] = 100
    assert len(Benchmark(config, ROOT, results=bench.path / "r").runs) == len(whole.runs) + 10


def test_a_record_has_letters_as_they_are(finished):
    text = (finished / "results" / RECORD).read_text(encoding="utf-8")
    assert "\\u" not in text
    assert read_record(finished / "results")["config"]
