"""A `submission.jsonl` may be an agent's own: it speaks for that agent, and for nobody else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from biomlbench.importers.groups import read_group
from biomlbench.outcomes import Reason
from biomlbench.workflow.runs import read_runs

HEAD = "run_id,agent,task_id,submission"
LINE = {"task_id": "line", "submission_path": None}


def listed(path: Path, *lines: dict[str, Any] | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text("".join(f"{text}\n" for text in texts))
    return path


def read(*tables: Path, **options: Any):
    return read_runs(tables, lambda task: (f"toy/{task}", "predictions"), **options)


@pytest.mark.parametrize(
    ("folder", "agent"), [("2026_run-group_eve", "eve"), ("eve_group3", "eve"), ("eve", "eve")]
)
def test_a_list_books_no_run_on_another_agent(tmp_path: Path, folder: str, agent: str) -> None:
    path = listed(
        tmp_path / folder / "submission.jsonl",
        {**LINE, "agent": "rival"},
        {**LINE, "agent": agent},
        {**LINE, "agent": f" {agent}\u200b"},
        {**LINE, "agent": ""},
        {**LINE, "submission_path": "/away/2026_run-group_rival/a.csv"},
        {**LINE, "logs_path": "/away/2026_run-group_rival/logs"},
    )
    runs, (bad,) = read(path)
    assert [run.agent for run in runs] == [agent] * 5
    assert bad.agent == agent
    assert bad.message.startswith(f"{path}:1: `agent` is 'rival', but")
    assert f"names '{agent}'; list runs of other agents in a run table" in bad.message


@pytest.mark.parametrize("lines", [1, 3, 4, 50])
@pytest.mark.parametrize("line", [LINE, "no JSON"])
def test_a_list_of_any_length_brings_no_more_rows_than_it_may(
    tmp_path: Path, lines: int, line: dict[str, Any] | str
) -> None:
    """Good or bad: each of them is a row of the report."""
    path = listed(tmp_path / "eve" / "submission.jsonl", *[line] * lines)
    table = tmp_path / "runs.csv"
    table.write_text(
        "run_id,agent,task_id,submission\n" + "".join(f"r{n},ada,line,a.csv\n" for n in range(9))
    )
    runs, bad = read(path, table, most_listed=3)
    assert [run.agent for run in runs[:9]] == ["ada"] * 9
    rows = [*runs[9:], *bad]
    assert [row.agent for row in rows] == ["eve"] * min(lines, 4)
    assert [row.source.rpartition(":")[2] for row in rows] == ["1", "2", "3", "4"][:lines]
    if lines > 3:
        told = "1 run, are" if lines == 4 else "47 runs, are"
        assert told in bad[-1].message
        assert "raise `runs_per_list`" in bad[-1].message


@pytest.mark.parametrize("first", ['"agent": "eve", ', '"agent": "rival", '])
@pytest.mark.parametrize("last", [', "agent": "eve"', ', "agent": "rival"', ', "\\u0061gent": "x"'])
def test_a_line_with_a_key_twice_costs_its_row(tmp_path: Path, first: str, last: str) -> None:
    text = f'{{{first}"task_id": "line", "submission_path": null{last}}}'
    runs, (bad,) = read(listed(tmp_path / "eve" / "submission.jsonl", text, LINE))
    assert [run.source.rpartition(":")[2] for run in runs] == ["2"]
    assert bad.message.endswith(":1: names 'agent' more than once; keep one of each")
    assert bad.agent == "eve"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["agent", "logs_path", "code_path", "submission_path", "run_id"]),
            st.sampled_from(["eve", "rival", "x_run-group_rival/a", "rival_group1/a", "", None, 3]),
        ),
        max_size=6,
    )
)
def test_all_rows_of_a_list_are_of_its_agent(tmp_path: Path, lines: list[dict[str, Any]]) -> None:
    runs, bad = read(
        listed(tmp_path / "eve" / "submission.jsonl", *({**LINE, **line} for line in lines))
    )
    assert len(runs) + len(bad) == len(lines)
    assert {row.agent for row in (*runs, *bad)} <= {"eve"}


def test_who_imports_a_list_may_say_whose_it_is(tmp_path: Path) -> None:
    path = listed(tmp_path / "my-group" / "submission.jsonl", {**LINE, "agent": "ada"}, LINE)
    entries, left_out = read_group(path)
    assert [(entry.line, entry.agent) for entry in entries] == [(2, "my-group")]
    assert "`agent` is 'ada'" in left_out[0]
    entries, left_out = read_group(path, agent="ada")
    assert [entry.agent for entry in entries] == ["ada", "ada"]
    assert not left_out


@pytest.mark.parametrize("agent", ["eve", "rival"])
@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("suffix", ["csv", "tsv", "CSV"])
def test_a_list_takes_no_run_of_a_table(
    tmp_path: Path, agent: str, is_first: bool, suffix: str
) -> None:
    (tmp_path / "eve").mkdir()
    (tmp_path / "eve" / "a.csv").touch()
    own = tmp_path / f"runs.{suffix}"
    file = tmp_path / agent / "a.csv"
    own.write_text(f"{HEAD},attempt,meta_site\nr,{agent},line,{file},3,here\n")
    path = listed(
        tmp_path / "eve" / "submission.jsonl",
        {**LINE, "submission_path": "a.csv", "run_id": "r", "attempt": 1, "meta_site": "forged"},
        {**LINE, "run_id": "r-2"},
    )
    notes: list[str] = []
    runs, bad = read(*((path, own) if is_first else (own, path)), note=notes.append)
    assert (runs[0].run_id, runs[0].agent, runs[0].attempt) == ("r", agent, 3)
    assert runs[0].metadata == {"meta_other": '{"site": "here"}'}
    assert all(run.agent == "eve" for run in runs[1:])
    told = [row.message for row in bad] or notes
    assert [text.startswith(f"{path}:1: ") for text in told] == [True]
    assert f"is already at {own}:2" in told[0]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(
    st.data(),
    st.sampled_from(["rival", "rival-2", "r.1", "eve/out"]),
    st.integers(1, 4),
    st.booleans(),
    st.booleans(),
)
def test_what_is_in_a_list_changes_no_id_of_another_ones_runs(
    tmp_path: Path, data: st.DataObject, folder: str, lines: int, is_first: bool, ignore_case: bool
) -> None:
    """Adjudications and judgements name runs by their ids."""
    own = listed(tmp_path / "rival" / folder / "submission.jsonl", *[LINE] * lines)
    name = folder.rpartition("/")[2]
    asked = st.sampled_from([name, f"{name}-2", f"{name}-3", name.upper(), f"{name}_2", "r-2", ""])
    ids = data.draw(st.lists(asked, max_size=6))
    mine = data.draw(st.sampled_from(["rival", "evil", name]))
    hostile = tmp_path / "evil" / mine / "submission.jsonl"
    tables = (hostile, own) if is_first else (own, hostile)

    def ids_of_rival(*rows: dict[str, Any]) -> list[str]:
        listed(hostile, *rows)
        runs, _ = read(*tables, ignore_case=ignore_case)
        kept = [run.run_id.lower() if ignore_case else run.run_id for run in runs]
        assert len(set(kept)) == len(kept)
        return [run.run_id for run in runs if run.source.startswith(f"{own}:")]

    assert ids_of_rival(*[{**LINE, "run_id": run_id} for run_id in ids]) == ids_of_rival()
    if mine != name:
        assert ids_of_rival()[:2] == [name, f"{name}-2"][:lines]


def test_an_id_of_another_lists_runs_is_not_given_and_told(tmp_path: Path) -> None:
    hostile = listed(
        tmp_path / "a_run-group_evil" / "submission.jsonl",
        {**LINE, "run_id": "b_run-group_rival"},
        {**LINE, "run_id": "b_run-group_rival-2"},
    )
    own = listed(tmp_path / "b_run-group_rival" / "submission.jsonl", LINE, LINE)
    notes: list[str] = []
    runs, bad = read(hostile, own, note=notes.append)
    assert not bad
    assert [(run.agent, run.run_id) for run in runs] == [
        ("evil", "a_run-group_evil"),
        ("evil", "a_run-group_evil-2"),
        ("rival", "b_run-group_rival"),
        ("rival", "b_run-group_rival-2"),
    ]
    (note,) = notes
    assert note == (
        f"{hostile}:1: `b_run-group_rival` is what runs of another list are called; this one is "
        "called `a_run-group_evil` (and 1 more row)"
    )


@pytest.mark.parametrize(
    "stated",
    [
        "../rival/a.csv",
        "../gone.csv",
        "sub/../../rival/a.csv",
        "{here}/rival/a.csv",
        "{here}/eve/../rival/a.csv",
        "rival/a.csv",
        "./rival/../rival/a.csv",
        "linked/a.csv",
        "/etc/passwd",
    ],
)
def test_a_list_names_no_file_outside_of_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stated: str
) -> None:
    monkeypatch.chdir(tmp_path)
    listed(tmp_path / "rival" / "a.csv", "id,y")
    (tmp_path / "eve" / "sub").mkdir(parents=True)
    (tmp_path / "eve" / "linked").symlink_to(tmp_path / "rival")
    line = {**LINE, "submission_path": stated.format(here=tmp_path)}
    runs, (bad,) = read(listed(tmp_path / "eve" / "submission.jsonl", line, LINE))
    assert len(runs) == 1
    assert (bad.reason, bad.agent) == (Reason.BAD_RUN_ROW, "eve")
    assert "lies outside of the list's folder" in bad.message
    # Of the list as it is imported, too.
    entries, left_out = read_group(tmp_path / "eve")
    assert [len(entries), len(left_out)] == [1, 1]


@pytest.mark.parametrize(
    ("stated", "found"),
    [
        ("sub/a.csv", "sub/a.csv"),
        ("{here}/eve/sub/a.csv", "sub/a.csv"),
        ("eve/sub/a.csv", "sub/a.csv"),
        ("../eve/sub/a.csv", "sub/a.csv"),
        ("{here}/rival/sub/a.csv", "sub/a.csv"),
        ("/away/eve/gone.csv", "gone.csv"),
        ("/away/" + "far/" * 9 + "gone.csv", "far/" * 7 + "gone.csv"),
        ("gone.csv", "gone.csv"),
    ],
)
def test_files_of_the_folder_are_found_however_they_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stated: str, found: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("eve", "rival"):
        listed(tmp_path / folder / "sub" / "a.csv", "id,y")
    line = {**LINE, "submission_path": stated.format(here=tmp_path)}
    (run,), bad = read(listed(Path("eve/submission.jsonl"), line))
    assert not bad
    assert run.submission == f"eve/{found}" or Path(run.submission) == tmp_path / "eve" / found


parts = st.sampled_from(["..", ".", "a.csv", "sub", "eve", "rival", "linked", "up", "x"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(st.lists(parts, min_size=1, max_size=6), st.sampled_from(["", "{here}/", "/", "/x/eve/"]))
def test_no_path_leads_out_of_the_folder(tmp_path: Path, names: list[str], start: str) -> None:
    if not (tmp_path / "rival").exists():
        for name in ("rival", "eve", "eve/sub", "eve/rival", "rival/sub"):
            listed(tmp_path / name / "a.csv", "id,y")
        (tmp_path / "eve" / "linked").symlink_to(tmp_path / "rival")
        (tmp_path / "eve" / "up").symlink_to("..")
    line = {**LINE, "submission_path": start.format(here=tmp_path) + "/".join(names)}
    runs, bad = read(listed(tmp_path / "eve" / "submission.jsonl", line))
    assert len(runs) + len(bad) == 1
    for run in runs:
        assert Path(run.submission).parent.resolve().is_relative_to(tmp_path / "eve")


def test_a_file_that_a_table_gives_another_agent_is_not_a_lists(tmp_path: Path) -> None:
    """Also where all agents' files lie below the folder of the list."""
    for name in ("rival", "ada"):
        listed(tmp_path / name / "a.csv", "id,y")
    own = tmp_path / "runs.csv"
    here = tmp_path.name
    own.write_text(
        f"{HEAD}\nr,rival,line,{tmp_path}/rival/a.csv\ns,{here},line,{tmp_path}/ada/a.csv"
    )
    lines = [{**LINE, "submission_path": f"{name}/a.csv"} for name in ("rival", "ada")]
    runs, (bad,) = read(listed(tmp_path / "submission.jsonl", *lines), own)
    assert [run.agent for run in runs] == ["rival", here, here]
    assert "is that of 'rival' by a run table" in bad.message


@pytest.mark.parametrize("place", ["sub.csv", "a/sub.csv", "link/sub.csv"])
@pytest.mark.parametrize("start", [".", "through"])
def test_an_own_file_is_named_alike_wherever_the_benchmark_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, start: str
) -> None:
    base = tmp_path / "base"
    (base / "eve_group1" / "a").mkdir(parents=True)
    (base / "eve_group1" / "link").symlink_to("a")
    (tmp_path / "through").symlink_to("base")
    for name in ("sub.csv", "a/sub.csv"):
        (base / "eve_group1" / name).write_text("id,y\n")
    stated = str(tmp_path / ("base" if start == "." else start) / "eve_group1" / place)
    named = []
    for folder in (base, tmp_path / "moved"):
        if folder != base:
            base.rename(folder)
        monkeypatch.chdir(folder)
        path = listed(Path("eve_group1/submission.jsonl"), {**LINE, "submission_path": stated})
        (run,), bad = read(path)
        assert not bad
        named.append(run.submission)
    assert not Path(named[0]).is_absolute()
    assert Path(named[0]).exists()
    assert {Path(path).name for path in named} == {"sub.csv"}
    assert "link" in place or named[0] == named[1]
