"""What other benchmarks leave behind may be hostile: refused in a line, and in linear time."""

from __future__ import annotations

import csv
import json
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from biomlbench.calibrate.labels import rows
from biomlbench.errors import TaskError
from biomlbench.importers import ImportRefusedError, inspect_logs
from biomlbench.importers.groups import Entry, read_group, write_run_table
from biomlbench.importers.inspect_logs import Taken, take, write_tables
from biomlbench.importers.kaggle import import_leaderboard
from biomlbench.importers.published import Published, match, published, read_report
from biomlbench.runtime import bounded_json
from biomlbench.runtime.packed_files import PackedLimits
from biomlbench.workflow.runs import read_runs
from tests.cli.test_import_inspect import CSV, log, sample, score, taken_from

REPORT = {
    "task_id": "t",
    "score": 1.0,
    **dict.fromkeys(("gold_medal", "silver_medal", "bronze_medal", "is_lower_better"), False),
}


@pytest.mark.parametrize("name", ["score", "gold_threshold"])
def test_a_number_that_is_none_is_refused(name):
    entry = json.loads(json.dumps(REPORT)) | {name: 10**400}
    with pytest.raises(ImportRefusedError, match=f"`{name}` is out of the range"):
        published(entry, "here", {})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("team,score\n" + "x" * 200_000 + ",1\n", "cannot be read as CSV"),
        (",".join(f"\x1b[2Jc{n}" for n in range(100_000)) + "\n", "cannot be read as CSV"),
    ],
    ids=["cell", "header"],
)
def test_an_odd_leaderboard_is_refused_in_a_line(tmp_path, text, said):
    board = tmp_path / "board.csv"
    board.write_text(text)
    with pytest.raises(ImportRefusedError, match=said) as caught:
        import_leaderboard(board, tmp_path / "to.csv", "minimize")
    assert len(str(caught.value)) < 1_000
    assert "\x1b" not in str(caught.value)


def test_labels_with_a_cell_that_no_reader_takes_are_refused(tmp_path):
    labels = tmp_path / "labels.csv"
    labels.write_text("submission,label\n" + "x" * 200_000 + ",right\n")
    with pytest.raises(TaskError, match=r"labels.csv:\d: is no CSV .*; write the row anew"):
        list(rows(labels, ("submission", "label")))


def report_of(path):
    return Published("t", path, "none", 1.0, True, None, "maximize")


def entry_of(number, path):
    return Entry(number, "t", path, Path(path), f"r{number}")


def test_reports_are_matched_by_the_ends_of_paths_and_then_by_order():
    entries = [entry_of(1, "a/s.csv"), entry_of(2, "s.csv"), entry_of(3, ""), entry_of(4, "z.csv")]
    reports = [report_of(path) for path in ("/x/y.csv", "/b/s.csv", "/x/a/s.csv", "")]
    found = [of and of.submission for _, of in match(entries, reports)]
    assert found == ["/x/a/s.csv", "/b/s.csv", "/x/y.csv", ""]


def test_matching_many_runs_does_not_compare_each_with_each(monkeypatch):
    made = []
    before = Path.parts.fget
    monkeypatch.setattr(Path, "parts", property(lambda path: made.append(1) or before(path)))
    entries = [entry_of(n, f"{n}/s.csv") for n in range(500)]
    reports = [report_of(f"/x/{n}/s.csv") for n in reversed(range(500))]
    assert all(of.submission == f"/x/{entry.stated}" for entry, of in match(entries, reports))
    assert len(made) < 5_000


def test_tasks_whose_names_look_alike_do_not_overwrite_each_other(tmp_path):
    texts = {"a/b": "id,y\n1,1\n", "a-b": "id,y\n1,2\n", "a?b": "id,y\n1,3\n"}
    one = log(*(sample(name, store={"submission.csv": text}) for name, text in texts.items()))
    taken = taken_from(tmp_path, one)
    assert {e.task_id: e.submission.read_text() for e in taken.entries} == texts


@pytest.mark.parametrize(
    "fields",
    [
        {"store": {"submission_path": "p" * 5_000}},
        {"store": {"submission_path": "a\0b"}},
        {"store": {"submission.csv": CSV}, "name": "t" * 5_000},
        {"store": {"submission.csv": "\ud800"}},
    ],
    ids=["long-path", "null", "long-name", "half-a-character"],
)
def test_a_sample_with_odd_names_is_a_run(tmp_path, fields):
    assert len(taken_from(tmp_path, log(sample(**fields))).runs) == 1


def test_what_scorers_say_is_no_formula(tmp_path):
    one = sample(scores={"=cmd": score("=1+1"), "ok": score(0.5), "long": score("x" * 50_000)})
    said = taken_from(tmp_path, log(one)).scores
    assert [row["scorer"] for row in said] == ["'=cmd", "ok", "long"]
    assert [row["value"] for row in said[:2]] == ["'=1+1", 0.5]
    assert len(said[2]["value"]) <= 10_000


FORMULA = "=HYPERLINK(1)\x1b[2J"
SAFE = "'=HYPERLINK(1)\\x1b[2J"


def table(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_what_a_log_says_of_a_run_is_no_formula(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "=a.csv").write_text(CSV)
    one = log(sample(metadata={"submission_path": "=a.csv", "task_id": "+t"}), solver="=solver")
    one.eval.model, one.eval.revision.commit = FORMULA, "@x"
    taken = Taken()
    take(one, Path("a.eval"), tmp_path / "to", taken, {}, None)
    (row,) = table(write_tables(taken, tmp_path / "to")[0])
    assert row["agent"].startswith("'=solver+=HYPERLINK")
    assert (row["meta_model"], row["meta_commit"]) == (SAFE, "'@x")
    assert (row["task_id"], row["submission"]) == ("'+t", "./=a.csv")
    assert not [cell for cell in row.values() if "\x1b" in cell or cell[:1] in "=+-@\t"]
    runs, bad = read_runs([tmp_path / "to/runs.csv"], lambda task: (task, "predictions"))
    assert ([Path(run.submission).name for run in runs], bad) == (["=a.csv"], [])


def test_what_a_run_group_says_of_a_run_is_no_formula(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "=a.csv").write_text(CSV)
    line = {"submission_path": "=a.csv", "task_id": "t"}
    line |= {"meta_model": "=HYPERLINK(1)", "meta_=x": "+1+1", "meta_cost_usd": 0.5}
    (tmp_path / "submission.jsonl").write_text(json.dumps(line))
    entries, left_out = read_group(tmp_path, agent="=agent")
    assert left_out == []
    write_run_table(entries, tmp_path / "to/runs.csv")
    (row,) = table(tmp_path / "to/runs.csv")
    assert row["submission"] == "./=a.csv"
    assert row["agent"] == "'=agent"
    assert row["meta_model"] == "'=HYPERLINK(1)"
    assert row["meta_cost_usd"] == "0.5"
    assert not [cell for cell in row.values() if "\x1b" in cell or cell[:1] in "=+-@\t"]


def test_a_report_that_takes_gigabytes_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(bounded_json, "HARMLESS_BYTES", 1_000)
    path = tmp_path / "grading_report.json"
    path.write_text('{"task_reports": [' + ",".join(["[]"] * 20_000_000) + "]}")
    with pytest.raises(ImportRefusedError, match=r"not JSON \(reading it .*memory"):
        read_report(path)


def packed(path, *members, change=None):
    """Write a zip file of names, or of records, and contents; and change its bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for member, content in members:
            file.writestr(member, content)
    if change:
        path.write_bytes(change(path.read_bytes()))


def entry(name, mode):
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info


def encrypted(data):
    place = data.index(b"PK\x01\x02") + 8
    return data[:place] + b"\x01" + data[place + 1 :]


HOSTILE = {
    "bomb": ([("samples/1.json", "[" * 20_000)], None, "too large, at 'samples/1.json'"),
    "bombs": ([(f"{n}.json", "[" * 9_000) for n in range(5)], None, "too large, at '3.json'"),
    "many": ([(f"{n}", "") for n in range(30)], None, "30 files; at most 20"),
    "absolute": ([("/etc/x", "")], None, "'/etc/x' is no name"),
    "leads out": ([("samples/../../x", "")], None, "is no name"),
    "twice": ([("header.json", "1"), ("header.json", "2")], None, "comes twice"),
    "link": ([(entry("header.json", 0o120777), "/etc/passwd")], None, "is a link"),
    "device": ([(entry("header.json", 0o020666), "")], None, "a device"),
    "encrypted": ([("header.json", "{}")], encrypted, "encrypted"),
    "checksum": (
        [(zipfile.ZipInfo("header.json"), "{}")],
        lambda data: data.replace(b"{}", b"[]"),
        "Bad CRC-32",
    ),
    "cut off": ([("header.json", "{}")], lambda data: data[:-30], "not a zip file"),
    "nested": ([("header.json", b"PK\x03\x04")], None, "JSONDecodeError"),
    "empty": ([], lambda data: b"", "not a zip file"),
}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_log_is_refused_in_a_line(tmp_path, monkeypatch, name):
    members, change, said = HOSTILE[name]
    packed(tmp_path / "a.eval", *members, change=change)
    monkeypatch.setattr(inspect_logs, "LIMITS", PackedLimits(20, 10_000, 30_000))

    def read_eval_log(path, **_):
        with zipfile.ZipFile(path) as file:
            return json.loads(file.read("header.json"))

    reader = SimpleNamespace(read_eval_log=read_eval_log)
    monkeypatch.setitem(sys.modules, "inspect_ai", SimpleNamespace(log=reader))
    monkeypatch.setitem(sys.modules, "inspect_ai.log", reader)
    with pytest.raises(ImportRefusedError) as refused:
        inspect_logs.read_logs([tmp_path / "a.eval"], tmp_path / "to")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "to").exists()
