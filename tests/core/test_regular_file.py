"""Lists of runs and tables that are no files: nothing is waited for, nothing is read for ever."""

from __future__ import annotations

import os
from functools import partial

import pytest

from biomlbench.api.jsonl import read_lines
from biomlbench.contracts import ContractError, read_table
from biomlbench.errors import explain
from biomlbench.importers import ImportRefusedError
from biomlbench.importers.groups import read_text
from biomlbench.runtime.regular_file import MAX_LIST_MB
from biomlbench.submission.table_rows import RunTableError, json_rows
from biomlbench.task.version import ABSENT, file_hash

READERS = {
    "grade-jsonl": (read_lines, Exception),
    "run table": (lambda path: list(json_rows(path)), RunTableError),
    "import": (read_text, ImportRefusedError),
    "table of results": (partial(read_table, "pairs"), ContractError),
}


@pytest.fixture(params=("pipe", "device", "folder", "sparse"))
def odd(request, tmp_path):
    path = tmp_path / "submission.jsonl"
    if request.param == "pipe":
        os.mkfifo(path)
    elif request.param == "device":
        path.symlink_to("/dev/zero")
    elif request.param == "folder":
        path.mkdir()
    else:
        with path.open("wb") as file:
            file.truncate(4 * MAX_LIST_MB * 2**20)
    return path


@pytest.mark.parametrize("door", READERS)
def test_what_is_no_list_is_refused_with_a_remedy(door, odd):
    reader, refusal = READERS[door]
    with pytest.raises(refusal) as caught:
        reader(odd)
    assert str(odd) in explain(caught.value)


def test_the_hash_of_what_is_no_file_or_too_large_is_a_word(odd):
    size = odd.stat().st_size
    assert file_hash(odd, MAX_LIST_MB) == (f"too-large-{size}" if odd.is_file() else ABSENT)
