"""Lists of runs and tables of others have limits on lengths and counts, each with its remedy."""

from __future__ import annotations

import csv
import json
import re
import time
import tracemalloc
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from biomlbench.contracts import SCHEMAS, ContractError, _reading, read_table, write_table
from biomlbench.contracts._text_limits import MOST_OF_A_NAME
from biomlbench.export import public_tables
from biomlbench.export.public_tables import without_paths
from biomlbench.submission import cells, table_rows
from biomlbench.workflow import run_ids
from biomlbench.workflow.runs import RunTableError, read_runs

HEAD = "run_id,agent,task_id,submission\n"


def read(tmp_path, text, name="runs.csv"):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return read_runs([path], lambda task: (f"toy/{task}", "predictions"))


def test_more_columns_than_any_table_has_are_refused(tmp_path):
    many = ",".join(f"meta_{n}" for n in range(table_rows.MOST_COLUMNS))
    with pytest.raises(RunTableError, match="1004 columns; at most 1000 are read; leave out"):
        read(tmp_path, HEAD.strip() + f",{many}\n")


def test_more_lines_than_any_table_has_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(table_rows, "MOST_LINES", 3)
    assert len(read(tmp_path, HEAD + "r,a,line,s.csv\n")[0]) == 1
    with pytest.raises(RunTableError, match="4 lines; at most 3 are read; split it"):
        read(tmp_path, HEAD + "\n\n\n")


def test_a_number_of_too_many_digits_is_named_without_a_remedy_for_programmers(tmp_path):
    lines = f'{{"task_id": "line", "submission_path": null, "seed": {"1" * 5000}}}\n{{"a": 1'
    _, (long, torn) = read(tmp_path, lines, "a/runs.jsonl")
    assert long.message.endswith("runs.jsonl:1: holds a number of more than 4,300 digits")
    assert "not JSON" in torn.message


@given(st.integers(0, 2 * MOST_OF_A_NAME), st.sampled_from(["kind", "message"]))
def test_a_table_that_can_be_written_can_be_read(tmp_path_factory, length, column):
    path = tmp_path_factory.mktemp("table") / "pairs.parquet"
    empty = {pa.string(): "", pa.bool_(): False, pa.list_(pa.string()): []}
    row = {f.name: empty.get(f.type) for f in SCHEMAS["pairs"]} | {column: "x" * length}
    table = pa.Table.from_pylist([row], schema=SCHEMAS["pairs"])
    if column == "kind" and length > MOST_OF_A_NAME:
        with pytest.raises(ContractError, match="are read; it is not written"):
            write_table("pairs", table, path)
        assert not path.exists()
    else:
        write_table("pairs", table, path)
        assert read_table("pairs", path, [column])[column].to_pylist() == ["x" * length]


@pytest.mark.parametrize("name", ["runs.csv", "a/runs.jsonl"])
def test_a_row_that_is_too_long_costs_only_itself(tmp_path, name):
    rows = [
        {"run_id": f"r{n}", "agent": agent, "task_id": "line", "submission_path": "s.csv"}
        for n, agent in enumerate(("a", "b" * 3_000_000, "c" * 1_000, "a"))
    ]
    if name == "runs.csv":
        text = HEAD + "".join(",".join(row.values()) + "\n" for row in rows)
    else:
        text = "".join(json.dumps(row) + "\n" for row in rows)
    runs, bad = read(tmp_path, text, name)
    assert [run.run_id for run in runs] == ["r0", "r3"]
    assert "longer than 1,000,000 characters; split it" in bad[0].message
    assert "`agent` has 1000 characters; at most 200" in bad[1].message
    assert max(len(str(value)) for row in bad for value in (row.agent, row.message)) <= 1000


@pytest.mark.parametrize(
    "letters",
    ["\u00ad", "\u034f", "\u115f", "\u180e", "\u200c", "\u200d", "\u2063", "\u206a", "\u3164",
     "\ufe0f", "\ufff9", "\U0001d173", "\U000e0041", "\u200d\u200c"],
)  # fmt: skip
def test_nothing_that_cannot_be_seen_makes_another_agent(tmp_path, letters):
    names = ["GPT 5", f"GP{letters}T 5", f"GPT 5{letters}", f"{letters}GPT {letters}5"]
    text = "".join(f"r{n},{name},line,s.csv\n" for n, name in enumerate(names))
    runs, bad = read(tmp_path, HEAD + text + f"r,{letters},line,s.csv\n")
    assert {run.agent for run in runs} == {"GPT 5"}
    assert len(runs) == 4
    assert "`agent` is empty" in bad[0].message


@pytest.mark.parametrize("space", ["  ", "\u00a0", "\u2003", "\u3000", "\u2800", " \u202f "])
def test_spaces_that_a_page_shows_alike_make_no_other_agent(tmp_path, space):
    text = f"r1,GPT 5,line,s.csv\nr2,GPT{space}5{space},line,s.csv\n"
    runs, bad = read(tmp_path, HEAD + text)
    assert not bad
    assert {run.agent for run in runs} == {"GPT 5"}


@pytest.mark.parametrize(
    "name",
    [
        "\u0645\u06cc\u200c\u062e\u0648\u0627",
        "\u0915\u094d\u200d\u0937",
        "\U0001f469\u200d\U0001f52c",
    ],
)
def test_joiners_stay_where_they_change_what_is_seen(tmp_path, name):
    (run,), _ = read(tmp_path, HEAD + f"r,{name},line,s.csv\n")
    assert run.agent == name


@pytest.mark.parametrize(
    "name",
    [
        "team\U0001f916\u200d",
        "team\U0001f916\u200c",
        "\u200d\U0001f916team",
        "\u0633\u0644\u0627\u0645\u200c",
        "\u200c\u0633\u0644\u0627\u0645",
        "\u0633\u0644\u0627\u0645\u200d\u200c",
        "\u0633\u200d\u0644\u0627\u0645",
        "\u062f\u200c\u0627",
        "\u0645\u200c team",
        "\u0915\u094d\u200d",
        "\u0915\u094d\u200c-x",
        "\U0001f916\u200cteam",
        "\U0001f916\u200c\U0001f916",
        "\U0001f916\u200dteam",
        "^\u200dx",
        "\u0784\u200c\u0784",
    ],
)
def test_joiners_that_join_nothing_make_no_second_agent(tmp_path, name):
    plain = name.replace("\u200c", "").replace("\u200d", "")
    runs, bad = read(tmp_path, HEAD + f"r,{name},line,s.csv\nq,{plain},line,s.csv\n")
    assert not bad
    assert [run.agent for run in runs] == [plain, plain]


signs = st.text(
    st.sampled_from(
        "a \u0645\u06cc\u062f\u0627\u0915\u094d\u0937\U0001f469\U0001f3fd\u2642\u00ae\u064e"
    )
    | st.sampled_from("\u200c\u200d\u200b"),
    max_size=12,
)


@given(signs)
@example("\u064e\u094d\u200c\u0915")  # marks that Unicode puts in another order
@example("\u064e\u200d\u094d\u200c\u0915")
def test_a_name_in_its_one_form_stays_and_joins_at_both_sides(text):
    name = cells.text_of({"agent": f"a{text}"}, "agent")
    assert cells.text_of({"agent": name}, "agent") == name
    assert re.fullmatch("([^\u200c\u200d]+[\u200c\u200d])*[^\u200c\u200d]+", name)


def test_a_row_of_many_lines_is_not_looked_for_beyond_what_a_row_may_have(tmp_path, monkeypatch):
    seen = 0

    def reader(lines, **options):
        def counted():
            nonlocal seen
            for line in lines:
                seen += len(line)
                yield line

        return csv.reader(counted(), **options)

    monkeypatch.setattr(table_rows, "csv", SimpleNamespace(reader=reader, Error=csv.Error))
    monkeypatch.setattr(table_rows, "MOST_IN_A_LINE", 1_000)
    chain = '"b\n' + 'a","b\n' * 20_000
    runs, bad = read(tmp_path, HEAD + '"r\n1",a,line,s.csv\nr,"a\nb",line,s.csv\n' + chain)
    assert not runs
    assert "holds a control character" in bad[1].message
    assert len(bad) == 20_003
    assert seen < 100 * 1_000 + 3 * len(chain)


@pytest.mark.parametrize("key", ["agent", "meta_site", "task_id"])
def test_accents_without_end_cost_a_row_no_time(tmp_path, key):
    row = {"run_id": "r", "agent": "a", "task_id": "line", "submission_path": "s.csv"}
    row |= {key: "e" + "\u0301\u0323" * 400_000}
    begin = time.process_time()
    runs, bad = read(tmp_path, json.dumps(row, ensure_ascii=False) + "\n", "a/runs.jsonl")
    assert time.process_time() - begin < 10
    said = runs[0].metadata["meta_note"] if runs else bad[0].message
    assert "has 800001 characters; at most" in said


def test_lists_where_cells_should_be_are_not_kept(tmp_path):
    row = '{"run_id": "r%d", "agent": "a", "task_id": "t", "submission_path": %s, "meta_x": %s}\n'
    many = "[" + ",".join(["[]"] * 150_000) + "]"
    path = tmp_path / "runs.jsonl"
    path.write_text("".join(row % (n, path_, many) for n, path_ in enumerate(('"s.csv"', many))))
    tracemalloc.start()
    rows = list(table_rows.json_rows(path))
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 1_000_000
    assert len(rows) == 2
    runs, bad = read(tmp_path, path.read_text(), "a/runs.jsonl")
    assert "[[], [], [], " in runs[0].metadata["meta_note"]
    assert "`submission_path` is [[], [], [], " in bad[0].message
    assert bad[0].message.endswith("..., not text")


@pytest.mark.parametrize("brackets", [("[", "]"), ('{"a":', "0}")])
def test_cells_as_deep_as_json_can_be_read_cost_only_their_row(tmp_path, brackets):
    row = '{"run_id": "r%d", "agent": %s, "task_id": "line", "submission_path": "s.csv"}\n'
    first, last = brackets
    deep = (first * n + last[:-1] + last[-1] * n for n in range(800, 1000))
    text = "".join(row % (n, cell) for n, cell in enumerate(['"a"', *deep, '"a"']))
    runs, bad = read(tmp_path, text, "a/runs.jsonl")
    assert [run.run_id for run in runs] == ["r0", "r201"]
    assert len(bad) == 200


def test_more_keys_than_any_line_has_cost_only_the_line(tmp_path):
    row = {"run_id": "r", "agent": "a", "task_id": "line", "submission_path": "s.csv"}
    many = row | {f"meta_{n}": n for n in range(table_rows.MOST_COLUMNS)}
    text = json.dumps(many) + "\n" + json.dumps(row) + "\n"
    runs, bad = read(tmp_path, text, "a/runs.jsonl")
    assert [run.source.rpartition(":")[2] for run in runs] == ["2"]
    assert bad[0].message.endswith("1004 keys; at most 1000 are read")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_the_same_in_all_encodings(tmp_path, encoding, end):
    path = tmp_path / "runs.csv"
    path.write_bytes(f"{HEAD.strip()}{end}r,\U0001f600\u2028\x85,line,s.csv{end}".encode(encoding))
    assert table_rows._lines(path)[:2] == [HEAD.strip(), "r,\U0001f600\u2028\x85,line,s.csv"]


@pytest.mark.parametrize("run_id", ["x" * 100, "run-" + "0" * 20, "ab" * 20, "a.b-c" * 20])
def test_run_ids_that_would_stop_the_workflow_cost_only_their_row(tmp_path, run_id):
    from snakemake.io import PeriodicityDetector

    assert PeriodicityDetector().is_periodic(run_id)
    _, bad = read(tmp_path, HEAD + f"{run_id},a,line,s.csv\nr,a,line,s.csv\n")
    assert "its end repeats itself 20 times, which Snakemake" in bad[0].message


@given(
    run_id=st.text(st.sampled_from("ab"), min_size=1, max_size=3).flatmap(
        lambda part: st.integers(18, 22).map(lambda times: (part * times)[:100])
    )
)
def test_run_ids_are_refused_as_snakemake_does(run_id):
    from snakemake.io import PeriodicityDetector

    assert bool(run_ids._ENDLESS.search(run_id)) == bool(PeriodicityDetector().is_periodic(run_id))


def test_a_run_group_whose_name_would_stop_the_workflow_has_runs(tmp_path):
    folder = tmp_path / ("x" * 60)
    folder.mkdir()
    line = json.dumps({"task_id": "line", "submission_path": "s.csv"}) + "\n"
    runs, _ = read(folder, line, "submission.jsonl")
    assert [run.run_id for run in runs] == ["group"]


def test_a_header_that_is_too_long_is_refused(tmp_path):
    with pytest.raises(RunTableError, match="longer than 1,000,000 characters; split it"):
        read(tmp_path, HEAD.strip() + ",meta_" + "x" * 1_000_000 + "\n")


def test_rows_over_several_lines_are_looked_for_only_so_often(tmp_path, monkeypatch):
    over_two = 'r{},"a\n",line,s.csv\n'
    unclosed = '"r{},a,line,s.csv\n'
    looks = []
    quoted = table_rows._quoted

    def spy(lines, start, last, *rest):
        looks.append(last - start)
        return quoted(lines, start, last, *rest)

    monkeypatch.setattr(table_rows, "_quoted", spy)
    text = HEAD + over_two.format(0) + "".join(unclosed.format(n) for n in range(1, 1_001))
    runs, bad = read(tmp_path, text)
    assert ([run.agent for run in runs], len(bad)) == (["a"], 1_000)
    assert sum(look > 1 for look in looks) == table_rows._MOST_OPEN + 1


def pairs_with(path, **cells):
    """Write a `pairs` table of one row, whatever its columns hold."""
    schema = SCHEMAS["pairs"]
    empty = {pa.string(): "x", pa.bool_(): False, pa.float64(): 0.5, pa.int64(): 1}
    row = {f.name: empty.get(f.type, [] if pa.types.is_list(f.type) else None) for f in schema}
    pq.write_table(pa.Table.from_pylist([row | cells], schema=schema), path)
    return path


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"agent": "a" * 3_000_000}, "row 1: `pairs.agent` has 3000000 bytes; at most 4096"),
        ({"message": "m" * 2_000_000}, "row 1: `pairs.message` has 2000000 bytes; at most 1048576"),
        ({"verdict_reasons": ["r"] * 20_000}, "list of 20000 items; at most 10000"),
        ({"verdict_reasons": ["r" * 2_000_000]}, "`pairs.verdict_reasons` has 2000000 bytes"),
    ],
    ids=["name", "text", "list", "item"],
)
def test_texts_that_no_table_of_ours_has_are_refused(tmp_path, cells, said):
    path = pairs_with(tmp_path / "pairs.parquet", **cells)
    with pytest.raises(ContractError, match=re.escape(said)) as caught:
        read_table("pairs", path)
    assert "; make the table anew" in str(caught.value)
    with pytest.raises(ContractError):
        read_table("pairs", path, list(cells))
    with pytest.raises(ContractError, match=re.escape(said)):
        read_table("pairs", path, coded=True)
    read_table("pairs", pairs_with(path, agent="a" * MOST_OF_A_NAME))


def test_the_row_of_a_long_text_is_told_whether_texts_are_coded_or_not(tmp_path):
    path = pairs_with(tmp_path / "pairs.parquet")
    short = pq.read_table(path)
    long = pq.read_table(pairs_with(path, agent="a" * 5000))
    pq.write_table(pa.concat_tables([short, short, long, long]), path, row_group_size=2)
    for coded in (False, True):
        with pytest.raises(ContractError, match=r"row 3: `pairs\.agent` has 5000 bytes"):
            read_table("pairs", path, coded=coded)


# As it was before it went back no more; see `public_tables`.
BACKTRACKING = re.compile(
    r"([\"'`])" + public_tables._BEGINNING + r"[^\"'`\n]*[\\/]([^\"'`\\/\n]*)\1"
)


@given(st.text(st.sampled_from("'\"`/\\ a:.~C\n"), max_size=60))
def test_paths_in_quotation_marks_are_those_that_going_back_would_find(text):
    assert public_tables._QUOTED.sub(r"\1\2\1", text) == BACKTRACKING.sub(r"\1\2\1", text)


def test_a_long_text_of_slashes_is_cleaned_in_a_linear_number_of_steps():
    # Going back to each slash would take thousands of millions of steps: minutes.
    assert len(without_paths("'/a" + "/" * (1 << 18))) < 1 << 19


COLUMNS = ("run_id", "agent", "task_id", "submission")


def equal_rows(path, rows, text):
    """Write a run table of equal rows, of which one is kept."""
    column = pa.DictionaryArray.from_arrays(pa.array([0] * rows, "int32"), pa.array([text]))
    pq.write_table(pa.table(dict.fromkeys(COLUMNS, column)), path, compression="zstd")
    return path


@pytest.mark.parametrize(
    ("rows", "text", "said"),
    [
        (10_000_000, "r", "10000000 rows of 4 columns"),
        (100_000, "r" * 10_000, "its texts have 4000000000 bytes"),
    ],
    ids=["rows", "texts"],
)
def test_a_packed_run_table_is_refused_before_it_is_unpacked(tmp_path, rows, text, said):
    path = equal_rows(tmp_path / "runs.parquet", rows, text)
    assert path.stat().st_size < 200_000
    with pytest.raises(RunTableError, match=f"cannot be read as Parquet .*{said}"):
        read_runs([path], lambda task: (f"toy/{task}", "predictions"))


def repeated(value, kind, number=100_000):
    return pa.DictionaryArray.from_arrays(pa.array([0] * number, "int32"), pa.array([value], kind))


def struct_of_long_names():
    return pa.StructArray.from_arrays([pa.nulls(5_000, "int8")], names=["n" * 100_000])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: pa.ListArray.from_arrays([0, 50_000_000], pa.nulls(50_000_000, "int8")), "values"),
        (lambda: pa.StructArray.from_arrays([repeated("r" * 10_000, "string")], names=["n"]),
         "texts have 1000[0-9]{6} bytes"),
        (lambda: pa.ListArray.from_arrays([0, 100_000], repeated("r" * 10_000, "string")),
         "texts have 1000[0-9]{6} bytes"),
        (lambda: repeated(b"r" * 10_000, pa.binary(10_000)), "more than a list of runs has"),
        (struct_of_long_names, "texts have"),
    ],
    ids=["values", "in structs", "in lists", "fixed size", "names"],
)  # fmt: skip
def test_packed_values_of_any_type_are_refused_before_they_are_unpacked(tmp_path, make, said):
    column = make()
    own = {name: repeated("r", "string", len(column)) for name in COLUMNS}
    path = tmp_path / "runs.parquet"
    pq.write_table(pa.table({**own, "meta_x": column}), path, compression="zstd")
    assert path.stat().st_size < 500_000
    with pytest.raises(RunTableError, match=f"cannot be read as Parquet .*{said}"):
        read_runs([path], lambda task: (f"toy/{task}", "predictions"))


def test_a_run_table_of_equal_texts_is_read(tmp_path):
    path = equal_rows(tmp_path / "runs.parquet", 3, "line")
    runs, bad = read_runs([path], lambda task: (f"toy/{task}", "predictions"))
    assert ([run.agent for run in runs], len(bad)) == (["line"], 2)  # one run id thrice


def test_a_table_of_others_with_any_number_of_rows_is_refused(tmp_path, monkeypatch):
    path = pairs_with(tmp_path / "pairs.parquet")
    read_table("pairs", path)
    monkeypatch.setattr(_reading, "MOST_ROWS", 0)
    with pytest.raises(ContractError, match="1 rows; at most 0 are read; make the table anew"):
        read_table("pairs", path)
