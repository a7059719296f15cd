"""A submission that is not found is told with what would help, by every way paths go wrong."""

from __future__ import annotations

import json
import os
import unicodedata

import pytest

from biomlbench.errors import InvalidSubmissionError
from biomlbench.outcomes import Reason
from biomlbench.plain_text import plain
from biomlbench.submission.path_hints import path_hint
from biomlbench.submission.submitted_file import read_bytes
from biomlbench.workflow.runs import read_runs


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("~/a.csv", "`~` is not replaced"),
        ("$HOME/a.csv", "variables (`$`) are not replaced"),
        ("runs/${DAY}/a.csv", "variables (`$`) are not replaced"),
        ("https://example.org/a.csv", "not fetched"),
        ("file:///home/a.csv", "not fetched"),
        (r"C:\runs\a.csv", "path of Windows"),
        (r"runs\a.csv", "path of Windows"),
        ("'runs/a.csv'", "quotation marks"),
        ("nan", "write null"),
        ("N/A", "write null"),
        ("runs/a.csv", ""),
    ],
)
def test_the_form_of_a_path_tells_what_was_meant(path, said):
    hint = path_hint(path)
    assert said in hint
    assert hint.startswith("; ") == bool(said)


@pytest.mark.parametrize(
    ("there", "given"),
    [
        ("ok.csv", "OK.csv"),
        (unicodedata.normalize("NFD", "é.csv"), unicodedata.normalize("NFC", "é.csv")),
        (unicodedata.normalize("NFC", "é.csv"), unicodedata.normalize("NFD", "é.csv")),
    ],
    ids=["case", "composed", "decomposed"],
)
def test_a_like_name_beside_it_is_named(tmp_path, there, given):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / there).touch()
    assert f"there is `{there}`" in path_hint(f"runs/{given}", tmp_path)
    with pytest.raises(InvalidSubmissionError, match="encoded") as told:
        read_bytes(f"runs/{given}", root=tmp_path)
    assert told.value.reason == Reason.MISSING_FILE


@pytest.mark.parametrize("there", [" lead.csv", "trail.csv ", " both.csv\u00a0"])
def test_spaces_around_a_name_are_told_where_a_table_cut_them(tmp_path, there):
    (tmp_path / there).touch()
    hint = path_hint(there.strip(), tmp_path)
    assert f"there is `{plain(there, one_line=True)}`, whose name has spaces around it" in hint


def test_a_list_names_a_file_as_it_is(tmp_path):
    lines = [{"task_id": "t", "submission_path": name} for name in (" lead.csv", "trail.csv ")]
    for line in lines:
        (tmp_path / line["submission_path"]).touch()
    (tmp_path / "submission.jsonl").write_text("\n".join(map(json.dumps, lines)))
    runs, bad = read_runs([tmp_path / "submission.jsonl"], lambda task: (task, "predictions"))
    assert bad == []
    assert [run.submission.rpartition("/")[2] for run in runs] == [" lead.csv", "trail.csv "]


def test_letters_beyond_ascii_stay_readable_and_commands_to_terminals_do_not(tmp_path):
    with pytest.raises(InvalidSubmissionError) as told:
        read_bytes("Größe/日本 \x1b[2J\u202e.csv", root=tmp_path)
    assert "`Größe/日本 \\x1b[2J\\u202e.csv`" in str(told.value)


def test_what_is_no_file_is_told_with_the_remedy(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    for name, said in (("folder", "a folder.*; name a file in it"), ("link", "; put a copy")):
        with pytest.raises(InvalidSubmissionError, match=said):
            read_bytes(name, root=tmp_path)


def test_a_file_that_may_not_be_read_is_unreadable(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("id,y\n")

    def refused(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(InvalidSubmissionError, match="chmod") as told:
        read_bytes(tmp_path / "a.csv")
    assert told.value.reason == Reason.UNREADABLE
