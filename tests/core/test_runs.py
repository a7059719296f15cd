"""Run tables: a bad row costs only itself and says where it is."""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from biomlbench.errors import TaskError
from biomlbench.outcomes import fault_of
from biomlbench.workflow.run_metadata import metadata_of
from biomlbench.workflow.runs import NO_SUBMISSION, RunTableError, read_runs
from tests.workflow.run_table_rows import BAD_CELLS, COLUMNS, GOOD, csv_line

KINDS = {"toy/line": "predictions", "kernels/k": "functions"}


def resolve(name):
    full = next((task for task in KINDS if name in (task, task.split("/")[1])), None)
    if full is None:
        raise TaskError(f"there is no task {name!r}", "unknown_task")
    return full, KINDS[full]


def read(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return read_runs([path], resolve)


HEADER = "run_id,agent,task_id,submission,kind,seed,attempt,hint_tier,label,time\n"


def test_a_full_row(tmp_path):
    (run,), bad = read(
        tmp_path / "r.csv",
        HEADER + "r1,ada,line,s.csv,program,7,2,1,wrong,2025-03-31T14:00:00+02:00\n",
    )
    assert not bad
    assert (run.task_id, run.kind, run.seed, run.attempt, run.hint_tier, run.label) == (
        "toy/line", "program", 7, 2, 1, "wrong",
    )  # fmt: skip
    assert run.time == "2025-03-31T12:00:00+00:00"
    assert run.source.endswith("r.csv:2")


@pytest.mark.parametrize(
    ("task", "submission", "kind"),
    [("line", "a.csv", "predictions"), ("line", "a.py", "program"), ("k", "a.py", "functions"),
     ("line", "a.PY", "program"), ("k", "a.PY", "functions"), ("line", "a.CSV", "predictions")],
)  # fmt: skip
def test_the_kind_follows_task_and_file(tmp_path, task, submission, kind):
    (run,), _ = read(tmp_path / "r.csv", HEADER + f"r,a,{task},{submission},,,,,,\n")
    assert run.kind == kind


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("r1,ada,nope,s.csv,,,,,,", "there is no task 'nope'"),
        ("../x,ada,line,s.csv,,,,,,", "run_id '../x': use up to"),
        (",ada,line,s.csv,,,,,,", "`run_id` is empty"),
        ("r1,ada,line,s.csv,functions,,,,,", "takes predictions or program"),
        ("r1,ada,line,s.csv,,x,,,,", "`seed` 'x' is not a whole number"),
        ("r1,ada,line,s.csv,,-1,,,,", "`seed` -1 is out of range: 0 to 4294967295"),
        ("r1,ada,line,s.csv,,4294967296,,,,", "`seed` 4294967296 is out of range"),
        ("r1,ada,line,s.csv,,1e3,,,,", "`seed` '1e3' is not a whole number; write 1000"),
        ("r1,ada,line,s.csv,,1e999999999,,,,", "`seed` '1e999999999' is not a whole number"),
        ("r1,ada,line,s.csv,,,0,,,", "`attempt` 0 is out of range"),
        ("r1,ada,line,s.csv,,,,,maybe,", "label 'maybe': use one of right, wrong"),
        ("r1,ada,line,s.csv,,,,,,yesterday", "is not ISO 8601"),
        ("r1,ada,line", "3 cells where the header has 10"),
        ("ok,ada,line,s.csv,,,,,,", "already at"),
    ],
)
def test_a_bad_row_costs_only_itself(tmp_path, row, message):
    runs, (bad,) = read(
        tmp_path / "r.csv", HEADER + f"ok,ada,line,s.csv,,,,,,\n{row}\nok2,ada,line,s.csv,,,,,,\n"
    )
    assert [run.run_id for run in runs] == ["ok", "ok2"]
    assert message in bad.message
    assert "r.csv:3" in bad.message


@pytest.mark.parametrize("name", ["$x^{$", "{run}", "a}b", "{{}}", "{0}"])
def test_an_agent_s_name_is_no_wildcard(tmp_path, name):
    ((run,), bad) = read(tmp_path / "r.csv", HEADER + f"r,{name},line,s.csv,,,,,,\n")
    assert (run.agent, bad) == (name, [])


def test_unknown_columns_are_refused_with_the_allowed_ones(tmp_path):
    with pytest.raises(RunTableError, match=r"r\.csv:1: .*\['agnet'\].*allowed: run_id"):
        read(tmp_path / "r.csv", "run_id,agnet,task_id,submission\n")


def test_the_published_jsonl(tmp_path):
    lines = [
        {"task_id": "line", "submission_path": "a.csv"},
        {"task_id": "line", "submission_path": "b.csv"},
        {"task_id": "k", "submission_path": "sub/c.py"},
        {"task_id": "line"},
        {"task_id": "line", "submission_path": "a.csv", "typo": 1},
    ]
    text = "\n".join(json.dumps(line) for line in lines) + '\n{"task_id": \n[1]\n'
    runs, bad = read(tmp_path / "grp" / "submission.jsonl", text)
    assert [(r.run_id, r.agent, r.kind) for r in runs] == [
        ("grp", "grp", "predictions"), ("grp-2", "grp", "predictions"), ("grp", "grp", "functions"),
    ]  # fmt: skip
    assert runs[2].submission == str(tmp_path / "grp" / "sub" / "c.py")
    assert len(bad) == 4
    assert "submission_path" in bad[0].message
    assert "typo" in bad[1].message


@pytest.mark.parametrize("key", ["task_id", "competition_id"])
@pytest.mark.parametrize("name", ["line", "toy/line"])
@pytest.mark.parametrize(
    "wrong",
    [{"typo": 1}, {"submission_path": "../x.csv"}, {"agent": "eve"}, {"attempt": 0}],
)
def test_a_bad_row_names_its_task_in_full(tmp_path, key, name, wrong):
    line = {key: name, "submission_path": "a.csv", **wrong}
    _, (bad,) = read(tmp_path / "grp" / "submission.jsonl", lines_of(line))
    assert bad.task_id == "toy/line"
    text = f"run_id,agent,{key},submission,attempt\nr,,{name},a.csv,1\n"
    _, (bad,) = read(tmp_path / "t.csv", text)
    assert bad.task_id == "toy/line"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", HEADER),
        ("t.tsv", HEADER.replace(",", "\t") + "\n\t\t\n"),
        ("s.jsonl", ""),
        ("s.jsonl", "# later\n\n"),
        ("t.parquet", None),
    ],
)
def test_a_table_without_rows_is_told(tmp_path, name, text):
    empty, full, told = tmp_path / name, tmp_path / "full.csv", []
    full.write_text(HEADER + "r,ada,line,s.csv,,,,,,\n")
    if text is None:
        names = HEADER.strip().split(",")
        pq.write_table(pa.table({one: pa.array([], pa.string()) for one in names}), empty)
    else:
        empty.write_text(text)
    read_runs([empty, full], resolve, note=told.append)
    without_rows = [f"{empty}: has no rows"]
    assert [line for line in told if "separated" not in line] == without_rows
    told.clear()
    read_runs([empty], resolve, note=told.append)
    assert next(line for line in told if "separated" not in line) == without_rows[0]
    assert "name no runs: nothing is graded" in told[-1]


def lines_of(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def as_written(cells):
    """Return a column of text as Parquet files have it, with half characters."""
    data = pa.array([cell.encode("utf-8", "surrogatepass") for cell in cells], pa.binary())
    return data.view(pa.string())


def test_parquet_gives_the_runs_that_csv_gives(tmp_path):
    names = HEADER.strip().split(",")
    text = (
        HEADER
        + "r1,ada,line,s.csv,,7,1.0,,,2025-03-31T12:00:00.5+00:00\nr2,ada,k,null,,,,,right,\n"
    )
    expected, bad = read(tmp_path / "t.csv", text)
    moment = datetime(2025, 3, 31, 12, 0, 0, 500_000, UTC)
    rows = [("r1", "ada", "line", "s.csv", None, 7, 1.0, None, None, moment),
            ("r2", "ada", "k", None, "", None, float("nan"), None, "right", None)]  # fmt: skip
    columns = dict(zip(names, map(pa.array, zip(*rows, strict=True)), strict=True))
    columns["agent"] = columns["agent"].dictionary_encode()
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    runs, no_bad = read_runs([tmp_path / "t.parquet"], resolve)
    assert [replace(run, source=run.source.replace(".parquet", ".csv")) for run in runs] == expected
    assert not bad
    assert not no_bad


def test_what_is_no_table_in_parquet_is_told(tmp_path):
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1 and no more PAR1")
    with pytest.raises(RunTableError, match=r"t\.parquet: cannot be read as Parquet .*; write it"):
        read_runs([path], resolve)
    pq.write_table(pa.table({"run_id": ["r"], "agnet": ["a"]}), path)
    with pytest.raises(RunTableError, match=r"t\.parquet:1: missing column.*'agnet' for 'agent'"):
        read_runs([path], resolve)


FAR = pa.array([2**62, 1], pa.int64())
ODD_TIMES = {
    "days": pa.array([2**31 - 1, 1], pa.int32()).view(pa.date32()),
    "milliseconds": pa.array([86_400_000 * 10**9, 86_400_000], pa.int64()).view(pa.date64()),
    "microseconds": FAR.view(pa.timestamp("us")),
    "with a zone": pa.array([2**40, 1], pa.int64()).view(pa.timestamp("s", tz="UTC")),
    "dictionary": pa.DictionaryArray.from_arrays(
        pa.array([0, 1], pa.int32()), FAR.view(pa.timestamp("us"))
    ),
}


def in_parquet(path, **columns):
    """Write a run table of two runs, with further columns, or others."""
    own = {"run_id": ["r1", "r2"], "agent": ["ada", "bob"], "task_id": ["k", "k"]}
    pq.write_table(pa.table({**own, "submission": ["s.py", "t.py"], **columns}), path)
    return path


@pytest.mark.parametrize("times", ODD_TIMES.values(), ids=ODD_TIMES)
def test_a_value_that_no_cell_can_hold_costs_its_row(tmp_path, times):
    runs, (bad,) = read_runs([in_parquet(tmp_path / "t.parquet", time=times)], resolve)
    assert [run.run_id for run in runs] == ["r2"]
    assert "`time` 'out of range, a " in bad.message


@pytest.mark.parametrize("kind", [pa.duration("s"), pa.time64("us")])
def test_a_value_that_no_cell_can_hold_costs_no_run_where_it_decides_nothing(tmp_path, kind):
    path = in_parquet(tmp_path / "t.parquet", meta_steps=FAR.view(kind))
    runs, bad = read_runs([path], resolve)
    assert (len(runs), bad) == (2, [])
    assert "meta_steps: 'out of range, a " in runs[0].metadata["meta_note"]


@pytest.mark.parametrize("zone", ["Nowhere/Land", "+99:99"])
def test_of_a_time_in_an_unknown_zone_the_zone_is_named(tmp_path, zone):
    times = pa.array([2**30, None], pa.int64()).view(pa.timestamp("s", tz=zone))
    runs, (bad,) = read_runs([in_parquet(tmp_path / "t.parquet", time=times)], resolve)
    assert [run.run_id for run in runs] == ["r2"]
    assert f"in the unknown zone {zone}" in bad.message


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([["bash", "python"], None], '["bash", "python"]'),
        ([{"in": 1, "out": [b"\xc3\xa9"]}, None], '{"in": 1, "out": ["é"]}'),
        (pa.array([[("k", "v")], None], pa.map_(pa.string(), pa.string())), '[["k", "v"]]'),
        (pa.array([[2**62], None], pa.list_(pa.timestamp("us"))), "out of range"),
    ],
    ids=["list", "struct", "map", "times"],
)
def test_lists_and_structs_that_decide_nothing_are_read_as_json(tmp_path, cells, expected):
    runs, bad = read_runs([in_parquet(tmp_path / "t.parquet", meta_tools=cells)], resolve)
    assert (len(runs), bad) == (2, [])
    assert expected in json.loads(runs[0].metadata["meta_other"])["tools"]
    assert "meta_other" not in runs[1].metadata


def test_a_list_where_text_decides_costs_its_table_alone(tmp_path):
    path = in_parquet(tmp_path / "t.parquet", agent=[["ada"], ["bob"]])
    (tmp_path / "t.csv").write_text(HEADER + "r3,ada,k,s.py,,,,,,\n")
    runs, (bad,) = read_runs([path, tmp_path / "t.csv"], resolve)
    assert [run.run_id for run in runs] == ["r3"]
    assert "its column 'agent' is of the type list<" in bad.message


@pytest.mark.parametrize("error", [KeyError(b"x"), OverflowError("x"), MemoryError("x")])
def test_whatever_the_decoder_raises_costs_its_table_alone(tmp_path, monkeypatch, error):
    def read_metadata(source):
        raise error

    monkeypatch.setattr(pq, "read_metadata", read_metadata)
    path = in_parquet(tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text(HEADER + "r3,ada,k,s.py,,,,,,\n")
    runs, (bad,) = read_runs([path, tmp_path / "t.csv"], resolve)
    assert [run.run_id for run in runs] == ["r3"]
    assert bad.is_table


@pytest.mark.parametrize(("column", "value"), BAD_CELLS)
@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_each_bad_cell_costs_its_row_only_and_is_named(tmp_path, form, column, value):
    rows = [dict(GOOD, run_id="one"), {**GOOD, "run_id": "bad", column: value},
            dict(GOOD, run_id="two")]  # fmt: skip
    if form == "csv":
        text = ",".join((*COLUMNS, "kind")) + "\n"
        text += "".join(csv_line(row, (*COLUMNS, "kind")) for row in rows)
        path, line = tmp_path / "t.csv", 3
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
    elif form == "parquet":
        cells = {name: [row.get(name, "") for row in rows] for name in (*COLUMNS, "kind")}
        path, line = tmp_path / "t.parquet", 3
        pq.write_table(pa.table({name: as_written(of) for name, of in cells.items()}), path)
    else:
        if value == "" and column in ("run_id", "agent"):
            pytest.skip("the group's name stands in")
        for row in rows:
            row["submission_path"] = row.pop("submission")
        path, line = tmp_path / rows[0]["agent"] / "t.jsonl", 2
        path.parent.mkdir()
        path.write_text(lines_of(*rows))
    runs, (bad,) = read_runs([path], resolve)
    assert [run.run_id for run in runs] == ["one", "two"]
    assert bad.message.startswith(f"{path.as_posix()}:{line}: ")
    assert fault_of(bad.reason) == "run_table"
    for text in (bad.run_id, bad.agent, bad.task_id, bad.submission, bad.message):
        assert text.isprintable()
        assert len(text.encode()) <= 4000


@pytest.mark.parametrize("value", [True, 1.5, ["a"], {"a": 1}, float("nan")])
@pytest.mark.parametrize("key", ["agent", "run_id", "task_id", "submission_path", "time", "label"])
def test_what_is_no_text_is_named_as_such(tmp_path, key, value):
    row = {"task_id": "line", "submission_path": "a.csv", key: value}
    runs, (bad,) = read(tmp_path / "g" / "s.jsonl", lines_of(row))
    assert not runs
    assert f"`{key}` is {value!r}, not text" in bad.message


def test_numbers_stand_for_text_and_whole_floats_for_numbers(tmp_path):
    row = {"task_id": "line", "submission_path": "a.csv", "run_id": 7, "agent": 3, "attempt": 2.0}
    (run,), bad = read(tmp_path / "3" / "s.jsonl", lines_of(row))
    assert not bad
    assert (run.run_id, run.agent, run.attempt) == ("7", "3", 2)


def test_an_agent_has_one_name_whatever_its_letters_are_made_of(tmp_path):
    names = ["Zo\u00eb", "Zoe\u0308", " Zo\u00eb\u200f", "\ufeffZo\u00eb"]
    text = "".join(f"r{n},{name},line,s.csv,,,,,,\n" for n, name in enumerate(names))
    runs, bad = read(tmp_path / "r.csv", HEADER + text)
    assert not bad
    assert {run.agent for run in runs} == {"Zo\u00eb"}


def test_a_quotation_mark_that_is_never_closed_costs_its_row_only(tmp_path):
    text = 'a,"ada,line,s.csv\nb,bob,line,"s,1.csv"\nc,"x""y",line,s.csv\nd,"cyd,line,s.csv\n'
    runs, bad = read(tmp_path / "r.csv", "run_id,agent,task_id,submission\n" + text)
    assert [(run.run_id, run.agent, run.submission) for run in runs] == [
        ("b", "bob", "s,1.csv"), ("c", 'x"y', "s.csv"),
    ]  # fmt: skip
    assert [row.source.rpartition(":")[2] for row in bad] == ["2", "5"]
    assert "never closed" in bad[0].message


@pytest.mark.parametrize(
    ("encoding", "separator", "newline"),
    [("utf-8-sig", ";", "\r\n"), ("utf-16", ",", "\r\n"), ("utf-16", "\t", "\n"),
     ("utf-8", "\t", "\r")],
)  # fmt: skip
def test_tables_of_excel_are_read_and_the_separator_is_told(tmp_path, encoding, separator, newline):
    rows = ["run_id,agent,task_id,submission,,", "a,Zoë,line,s.csv,,", "b,ada,line"]
    text = newline.join(row.replace(",", separator) for row in rows) + newline
    (tmp_path / "r.csv").write_bytes(text.encode(encoding))
    notes = []
    (run,), (bad,) = read_runs([tmp_path / "r.csv"], resolve, note=notes.append)
    assert (run.run_id, run.agent, run.submission) == ("a", "Zoë", "s.csv")
    assert "r.csv:3: 3 cells where the header has 4" in bad.message
    assert len(notes) == (separator != ",")
    assert all("the columns seem to be separated by" in text for text in notes)


def test_a_comment_is_told_as_one(tmp_path):
    (tmp_path / "r.csv").write_text("run_id,agent,task_id,submission\n# mine\na,ada,line,s.csv\n")
    (run,), (bad,) = read_runs([tmp_path / "r.csv"], resolve)
    assert run.run_id == "a"
    assert "1 cell where the header has 4; comments are not read, delete the line" in bad.message


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize(
    ("header", "rows"),
    [
        (["run_id", "agent", '"my\n\nnotes"', "task_id", "submission"],
         ["a", "ada", '"x\ny"', "line", "s.csv"]),
        (["run_id", "agent", "task_id", "submission", '"my\nnotes"'],
         ["a", "ada", "line", "s.csv", "x"]),
        (['"meta_site\n(""city"")"', '"run_id\n"', "agent", "task_id", "submission"],
         ["x", "a", "ada", "line", "s.csv"]),
    ],
)  # fmt: skip
def test_a_line_break_in_the_header_costs_nothing(tmp_path, header, rows, separator, end):
    lines = (separator.join(header), separator.join(rows), separator.join(rows[:2]), "")
    table = tmp_path / "r.csv"
    table.write_bytes("\n".join(lines).replace("\n", end).encode())
    notes = []
    runs, bad = read_runs([table], resolve, note=notes.append)
    assert [(run.run_id, run.agent, run.submission) for run in runs] == [("a", "ada", "s.csv")]
    lines_before = sum(cell.count("\n") for cell in (*header, *rows))
    assert [row.source for row in bad] == [f"{table}:{3 + lines_before}"]
    assert ("meta" in header[0]) != any("the column 'my" in note for note in notes)
    assert not any("\n" in note for note in notes)


def test_a_quotation_mark_in_the_header_that_is_never_closed_takes_no_rows(tmp_path):
    text = 'run_id,agent,task_id,submission,"notes\na,ada,line,s.csv,\nb,"bob",line,s.csv,\n'
    runs, bad = read(tmp_path / "r.csv", text)
    assert [run.run_id for run in runs] == ["a", "b"]
    assert not bad


def test_bytes_of_another_encoding_cost_their_row(tmp_path):
    text = b"run_id,agent,task_id,submission\na,Zo\xeb,line,s.csv\nb,Zo\xc3\xab,line,s.csv\n"
    (tmp_path / "r.csv").write_bytes(text)
    (run,), (bad,) = read_runs([tmp_path / "r.csv"], resolve)
    assert run.agent == "Zoë"
    assert "not UTF-8; write the table as UTF-8" in bad.message


def test_an_extra_column_is_not_used_and_a_misspelt_one_refused(tmp_path):
    notes = []
    (tmp_path / "r.csv").write_text("run_id,agent,competition_id,submission,notes\na,b,line,s,x\n")
    (run,), bad = read_runs([tmp_path / "r.csv"], resolve, note=notes.append)
    assert (run.task_id, bad) == ("toy/line", [])
    assert "the column 'notes' is not used" in notes[0]
    with pytest.raises(RunTableError, match=r"r\.csv:1: .*misspelt: 'lable' for 'label'"):
        read(tmp_path / "r.csv", "run_id,agent,task_id,submission,lable\n")
    with pytest.raises(RunTableError, match="'Run_ID' for 'run_id', 'TASK_ID' for"):
        read(tmp_path / "r.csv", "Run_ID,agent,TASK_ID,submission\n")
    with pytest.raises(RunTableError, match=r"repeated column\(s\) \['agent'\]"):
        read(tmp_path / "r.csv", "run_id,agent,agent,task_id,submission\n")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_rows_of_nothing_but_empty_cells_are_none(tmp_path, separator):
    blank = ["", "  ", '""']
    rows = [["run_id", "agent", "task_id", "submission"], [*blank, ""], ["a", "b", "line", "s.csv"]]
    text = "".join(f"{separator.join(row)}\n" for row in [*rows, [""] * 4, blank])
    runs, bad = read(tmp_path / "r.csv", text)
    assert [run.run_id for run in runs] == ["a"]
    assert bad == []


def test_a_table_that_cannot_be_read_costs_only_itself(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "book.csv").write_bytes(b"PK\x03\x04" + b"\0" * 50)
    (tmp_path / "good.csv").write_text(HEADER + "a,b,line,s.csv,,,,,,\n")
    names = ["folder.csv", "empty.csv", "gone.csv", "book.csv", "good.csv", "good.csv"]
    for other in ("runs.txt", "runs.csv.gz", "runs.xlsx"):
        (tmp_path / other).write_text(HEADER + "a,b,line,s.csv,,,,,,\n")
        names.append(other)
    runs, bad = read_runs([tmp_path / name for name in names], resolve)
    assert len(runs) == 1
    told = ["is a folder", "missing column", "no such run table", "Excel"]
    told += ["a run table is a .csv, .tsv", "unpack an archive", "export a workbook as CSV"]
    for row, said in zip(bad, told, strict=True):
        assert said in row.message
        assert row.message.count(row.source) == 1
    assert len({row.run_id for row in bad}) == len(bad)
    for name, said in (("gone.csv", "no such run table"), ("runs.xlsx", "export a workbook")):
        with pytest.raises(RunTableError, match=said):
            read_runs([tmp_path / name], resolve)


def test_a_repeated_run_id_leaves_the_first_and_no_two_rows_share_one(tmp_path):
    text = HEADER + "a,ada,line,s.csv,,,,,,\n" + "a,bob,toy/line,s.csv,,,,,,\n" * 2
    runs, bad = read(tmp_path / "r.csv", text)
    assert [run.agent for run in runs] == ["ada"]
    assert len({(row.task_id, row.run_id) for row in [*runs, *bad]}) == 3


def test_a_run_id_of_two_tables_costs_neither_its_run(tmp_path):
    line = {"task_id": "line", "run_id": "r1", "submission_path": "a.csv"}
    (tmp_path / "eve").mkdir()
    (tmp_path / "eve" / "submission.jsonl").write_text(lines_of(line, {**line, "run_id": "r1-2"}))
    (tmp_path / "r.csv").write_text(HEADER + "r1,ada,line,s.csv,,,,,,\nr2,ada,line,s.csv,,,,,,\n")
    for names in (("eve/submission.jsonl", "r.csv"), ("r.csv", "eve/submission.jsonl")):
        notes = []
        runs, bad = read_runs([tmp_path / name for name in names], resolve, note=notes.append)
        assert not bad
        assert sorted(run.agent for run in runs) == ["ada", "ada", "eve", "eve"]
        assert len({run.run_id for run in runs}) == 4
        assert runs[0].run_id == "r1"
        (note,) = notes
        assert f"run `r1` of toy/line is already at {runs[0].source}; this one is called" in note


def ids_in(tmp_path, *rows):
    """Return what the runs of some tables are called, by table: rows are id, agent and file."""
    tables = {}
    for name, run_id, agent, file in rows:
        tables.setdefault(tmp_path / name, []).append(f"{run_id},{agent},line,{file},,,,,,\n")
    for path, lines in tables.items():
        path.write_text(HEADER + "".join(lines))
    runs, bad = read_runs(tables, resolve)
    assert not bad
    assert len({run.run_id for run in runs}) == len(runs)
    return {(Path(run.source.rpartition(":")[0]).name, run.agent): run.run_id for run in runs}


@pytest.mark.parametrize("agent", ["bob", "Zoë/v 2", "b" * 150])
def test_what_a_run_is_called_whose_id_is_taken_hangs_on_no_other_run(tmp_path, agent):
    first, mine = ("0.csv", "r", "ada", "a.csv"), ("9.csv", "r", agent, "b.csv")
    others = [("1.csv", "r", "cyd", "c.csv"), ("2.csv", "r", "dan", "d.csv"),
              ("3.csv", "r", "ada", "e.csv"), ("4.csv", "s", "ada", "f.csv")]  # fmt: skip
    alone = ids_in(tmp_path, first, mine)
    among = ids_in(tmp_path, first, *others, mine)
    assert {key: among[key] for key in alone} == alone
    assert alone["0.csv", "ada"] == "r"
    assert (among["1.csv", "cyd"], among["3.csv", "ada"]) == ("r-cyd", "r-ada")
    if agent == "bob":
        assert alone["9.csv", "bob"] == "r-bob"
        # what is called so already keeps its id, and another table of this agent's its own
        taken = ids_in(tmp_path, first, ("1.csv", "r-bob", "cyd", "c.csv"), mine)
        assert re.fullmatch("r-bob-[0-9a-f]{8}", taken["9.csv", "bob"])


def test_lists_in_folders_of_one_name_are_called_by_where_they_lie(tmp_path):
    paths = [tmp_path / where / "out" / "submission.jsonl" for where in "abc"]
    for path in paths:
        path.parent.mkdir(parents=True)
        path.write_text(lines_of({"task_id": "line", "submission_path": "a.csv"}))

    def called(*some):
        runs, _ = read_runs(some, resolve)
        return {run.source.rpartition(":")[0]: run.run_id for run in runs}

    whole, without = called(*paths), called(paths[0], paths[2])
    assert len(set(whole.values())) == 3
    assert without.items() <= whole.items()


def test_a_run_of_two_tables_is_one(tmp_path):
    text = HEADER + "r1,ada,line,s.csv,,,,,,\n"
    for name in ("one.csv", "two.csv"):
        (tmp_path / name).write_text(text)
    (run,), (bad,) = read_runs([tmp_path / "one.csv", tmp_path / "two.csv"], resolve)
    assert "one.csv:2" in run.source
    assert "is already at" in bad.message
    assert "give each run of a task its own run_id" in bad.message


def test_a_new_run_id_never_has_an_end_without_end(tmp_path):
    taken = "r" + "-2" * 19
    for name, agent in (("one.csv", "ada"), ("two.csv", "2")):
        (tmp_path / name).write_text(HEADER + f"{taken},{agent},line,s.csv,,,,,,\n")
    runs, bad = read_runs([tmp_path / "one.csv", tmp_path / "two.csv"], resolve)
    assert not bad
    assert runs[0].run_id == taken
    assert re.fullmatch(rf"{taken}-2-[0-9a-f]{{8}}", runs[1].run_id)


def test_case_matters_only_where_the_file_system_minds_it(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text(HEADER + "a,ada,line,s.csv,,,,,,\nA,ada,line,s.csv,,,,,,\n")
    assert len(read_runs([path], resolve)[0]) == 2
    _, (bad,) = read_runs([path], resolve, ignore_case=True)
    assert "already as `a`, but for upper and lower case" in bad.message


def test_groups_of_one_agent_are_one_agent_and_their_runs_are_told_apart(tmp_path):
    lines = [{"task_id": "line", "submission_path": None}] * 2
    tables = []
    for parent in ("one", "two"):
        path = tmp_path / parent / "2025-03-31T12-00-00-GMT_run-group_aide" / "submission.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text(lines_of(*lines))
        tables.append(path)
    runs, bad = read_runs(tables, resolve)
    assert not bad
    assert {run.agent for run in runs} == {"aide"}
    assert len({run.run_id for run in runs}) == 4
    assert {run.submission for run in runs} == {NO_SUBMISSION}


@pytest.mark.parametrize(
    "stated",
    [
        "/home/otto/runs/{group}/t_1/submission/submission.csv",
        "/mnt/copied-from/t_1/submission/submission.csv",
        "runs/{group}/t_1/submission/submission.csv",
        r"C:\Users\otto\runs\{group}\t_1\submission\submission.csv",
        "./t_1/../t_1/submission/submission.csv",
        "t_1/submission/submission.csv",
    ],
)
def test_a_path_of_another_machine_is_found_below_the_group(tmp_path, stated):
    group = "2025-03-31T12-00-00-GMT_run-group_aide"
    for name in ("t_1", "t_2"):
        file = tmp_path / group / name / "submission" / "submission.csv"
        file.parent.mkdir(parents=True)
        file.write_text(name)
    stated = stated.replace("{group}", group)
    lines = [{"task_id": "line", "submission_path": stated},
             {"task_id": "line", "submission_path": stated.replace("t_1", "t_2")},
             {"task_id": "line", "submission_path": stated.replace("t_1", "t_3")}]  # fmt: skip
    runs, bad = read(tmp_path / group / "submission.jsonl", lines_of(*lines))
    assert not bad
    assert [Path(run.submission).read_text() for run in runs[:2]] == ["t_1", "t_2"]
    assert not Path(runs[2].submission).exists()


def test_a_list_that_an_agent_may_have_written_labels_no_run(tmp_path):
    lines = [{"task_id": "line", "submission_path": "a.csv", "label": label}
             for label in (None, "wrong", "right", "")]  # fmt: skip
    path = tmp_path / "group" / "submission.jsonl"
    path.parent.mkdir()
    path.write_text(lines_of(*lines))
    notes = []
    runs, bad = read_runs([path], resolve, note=notes.append)
    assert [run.label for run in runs] == [None] * 4
    assert not bad
    (note,) = notes
    assert note.startswith(f"{path}:2 (and 1 more row): the label is not used")


def test_of_other_columns_so_many_bytes_are_kept():
    row = {f"meta_k{n:02}": "\U0001f600" * 480 for n in range(20)} | {"meta_steps": 3}
    found = metadata_of(row)
    assert len(json.loads(found["meta_other"])) == 5
    assert len(found["meta_other"].encode()) < 11_000
    assert "meta_k05: left out: 10,000 bytes of other columns are kept" in found["meta_note"]
    assert found["meta_steps"] == 3


META = "run_id,agent,task_id,submission,meta_model,meta_cost_usd,meta_tokens,meta_site\n"


def test_what_a_user_knows_of_a_run_is_kept_with_its_type(tmp_path):
    (run,), bad = read(tmp_path / "r.csv", META + "r,ada,line,s.csv,m-1, 0.25 ,1200.0,Zürich\n")
    assert not bad
    assert run.metadata == {
        "meta_model": "m-1",
        "meta_cost_usd": 0.25,
        "meta_tokens": 1200,
        "meta_other": '{"site": "Zürich"}',
    }
    line = {"task_id": "line", "submission_path": None, "meta_steps": 7, "meta_ok": 1.5}
    (run,), bad = read(tmp_path / "g" / "s.jsonl", lines_of(line))
    assert (run.metadata, bad) == ({"meta_steps": 7, "meta_other": '{"ok": "1.5"}'}, [])


@pytest.mark.parametrize("value", ["$3", "nan", "-1", "1e400", "1.5", "many", "\x00", "x" * 600])
def test_a_bad_value_of_metadata_costs_only_itself(tmp_path, value):
    row = {"task_id": "line", "submission_path": None, "meta_model": "m", "meta_tokens": value}
    notes = []
    (tmp_path / "s.jsonl").write_text(lines_of(row, row))
    runs, bad = read_runs([tmp_path / "s.jsonl"], resolve, note=notes.append)
    assert not bad
    assert [run.metadata["meta_model"] for run in runs] == ["m", "m"]
    assert "meta_tokens" not in runs[0].metadata
    said = runs[0].metadata["meta_note"]
    assert said.startswith("meta_tokens: ")
    assert said.isprintable()
    assert len(said) <= 600
    assert notes == [
        f"{runs[0].source}: {said} (and 1 more row); it counts in no mean of the agent"
    ]


NUMBERS = st.text("0123456789.eE+-_ \u0660\u0663\uff11nafi", max_size=8)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=200
)
@example(text="1_000", column="meta_cost_usd")
@example(text="\u0663", column="meta_steps")
@example(text="\uff11", column="attempt")
@example(text="1_0", column="seed")
@given(text=NUMBERS, column=st.sampled_from(["meta_cost_usd", "meta_steps", "seed", "attempt"]))
def test_numbers_are_those_of_ascii(tmp_path, text, column):
    for name, row in (
        ("n.csv", f"run_id,agent,task_id,submission,{column}\nr,a,line,s.csv,{text}\n"),
        ("n.jsonl", lines_of({"task_id": "line", "submission_path": None, column: text})),
    ):
        runs, _ = read(tmp_path / name, row)
        for run in runs:
            value = run.metadata.get(column, getattr(run, column, None))
            plain = text.strip().isascii() and "_" not in text
            assert value is None or (plain and value == float(text))


def test_each_column_with_bad_values_is_told(tmp_path):
    row = {"task_id": "line", "submission_path": None}
    bad = [row | {"meta_tokens": "1,234"}, row | {"meta_cost_usd": "$1", "meta_tokens": "12k"}]
    notes = []
    (tmp_path / "s.jsonl").write_text(lines_of(row, *bad))
    runs, _ = read_runs([tmp_path / "s.jsonl"], resolve, note=notes.append)
    told = sorted(text.removeprefix(runs[n].source) for n, text in zip((1, 2), notes, strict=True))
    assert [text.split(": ")[1] for text in told] == ["meta_cost_usd", "meta_tokens"]
    assert sum("(and 1 more row)" in text for text in told) == 1


rows = st.dictionaries(
    st.sampled_from(["run_id", "agent", "task_id", "competition_id", "submission_path", "seed",
                     "attempt", "hint_tier", "label", "time", "kind", "other", "meta_tokens",
                     "meta_log", "meta_x"]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats()
        | st.sampled_from(["line", "toy/line", "k", "a.csv", "r1", "2025-03-31", "right", "/x/y"])
        | st.text(st.characters(exclude_categories=())),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
        max_leaves=3,
    ),
)  # fmt: skip


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150
)
@given(st.lists(rows, max_size=8))
def test_any_rows_in_json_are_runs_or_bad_rows(tmp_path, rows):
    path = tmp_path / "fuzz.jsonl"
    path.write_text(lines_of(*rows))
    runs, bad = read_runs([path], resolve)
    assert len(runs) + len(bad) == len(rows)
    assert len({(row.task_id, row.run_id) for row in [*runs, *bad]}) == len(rows)
    assert all(row.message.isprintable() and row.agent.isprintable() for row in bad)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=100
)
@given(st.binary(max_size=200))
def test_any_bytes_give_rows_or_a_clear_error(tmp_path, data):
    for name, head in (("a.csv", b""), ("b.csv", HEADER.encode()), ("c.jsonl", b"")):
        (tmp_path / name).write_bytes(head + data)
        with contextlib.suppress(RunTableError):
            runs, bad = read_runs([tmp_path / name], resolve)
            assert all(row.message and name in row.source for row in bad)
            assert all(run.task_id in KINDS for run in runs)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=100
)
@given(st.text(max_size=300))
def test_any_text_gives_rows_or_a_clear_error(tmp_path, text):
    path = tmp_path / "fuzz.csv"
    path.write_text(HEADER + text, encoding="utf-8", errors="surrogatepass")
    try:
        runs, bad = read_runs([path], resolve)
    except RunTableError:
        return
    assert all(row.message for row in bad)
    assert all(run.task_id in KINDS for run in runs)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"\x00" * 10])
def test_binary_tables_are_refused(tmp_path, content):
    (tmp_path / "r.csv").write_bytes(content)
    with pytest.raises(RunTableError, match=r"r\.csv"):
        read_runs([tmp_path / "r.csv"], resolve)


def test_a_table_that_cannot_be_read_is_told_from_a_row(tmp_path):
    write = {
        "good.csv": HEADER + "r1,ada,line,s.csv,,,,,,\nr2,ada,line,s.csv,,x,,,,\n",
        "empty.csv": "",
    }
    for name, text in write.items():
        (tmp_path / name).write_text(text)
    runs, bad = read_runs([tmp_path / name for name in write], resolve)
    assert len(runs) == 1
    assert [row.is_table for row in bad] == [False, True]
