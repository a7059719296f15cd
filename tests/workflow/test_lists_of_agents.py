"""A `submission.jsonl` may be an agent's own: it speaks for that agent, and for nobody else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from biomlbench.importers.groups import read_group
from biomlbench.workflow.runs import read_runs

if TYPE_CHECKING:
    from pathlib import Path

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
    file = tmp_path / "eve" / "a.csv"
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
