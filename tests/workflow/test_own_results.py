"""No submission is taken for what the workflow makes or reads in its own words."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from biomlbench.outcomes import Reason
from biomlbench.workflow.checked_config import check_results
from biomlbench.workflow.config import ConfigError
from biomlbench.workflow.runs import ResultsPlaceError, read_runs

if TYPE_CHECKING:
    from pathlib import Path


def read(folder: Path, *submissions: str):
    table = folder / "runs.csv"
    rows = [f"r{i},a,toy,{path}" for i, path in enumerate(submissions)]
    table.write_text("\n".join(["run_id,agent,task_id,submission", *rows, "ok,a,toy,ok.csv"]))
    return read_runs(
        [table], lambda task: (f"toy/{task}", "predictions"), results=folder / "results"
    )


@pytest.mark.parametrize(
    "path",
    [
        "results/pairs.parquet",
        "./results/pairs/toy/r0/validate.parquet",
        "other/../results/logs/aggregate.log",
        "link/pairs.parquet",
        "{here}/results/batches/toy/b00001/validate.parquet",
    ],
)
def test_a_submission_among_the_results_costs_its_row_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    (tmp_path / "other").mkdir()
    os.symlink("results", tmp_path / "link")

    runs, bad = read(tmp_path, path.format(here=tmp_path))

    assert [run.run_id for run in runs] == ["ok"]
    assert [row.reason for row in bad] == [Reason.UNSAFE_PATH]
    assert "lies in the folder of the results" in bad[0].message


@pytest.mark.parametrize("path", ["results/a.csv", "results/deep/a.csv", "link/agents.parquet"])
def test_a_folder_that_holds_submissions_is_refused_for_the_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results" / "deep").mkdir(parents=True)
    os.symlink("results", tmp_path / "link")
    (tmp_path / path).write_text("id,y\n")

    with pytest.raises(ResultsPlaceError, match="name another folder as `results_dir`") as caught:
        read(tmp_path, path)
    assert path in str(caught.value)

    # An agent that puts a file among the results that are there costs nobody else a run.
    (tmp_path / "results" / ".lock").touch()
    runs, bad = read(tmp_path, path)
    assert [run.run_id for run in runs] == ["ok"]
    assert [row.reason for row in bad] == [Reason.UNSAFE_PATH]


def test_what_is_in_the_way_of_the_results_is_told(tmp_path: Path) -> None:
    check_results(tmp_path / "gone")
    (tmp_path / "logs").mkdir()
    (tmp_path / "report.html").write_text("")
    check_results(tmp_path)
    (tmp_path / "report.html").unlink()
    (tmp_path / "report.html").mkdir()
    with pytest.raises(ConfigError, match=r"report\.html: is a folder, .*; move it away"):
        check_results(tmp_path)
    (tmp_path / "report.html").rmdir()
    (tmp_path / "logs").rmdir()
    (tmp_path / "logs").touch()
    with pytest.raises(ConfigError, match=r"logs: is no folder, .*; move it away"):
        check_results(tmp_path)


def test_submissions_may_lie_around_the_results_and_in_those_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "results-of-others/a.csv", "results-of-others/.lock"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    runs, bad = read(tmp_path, "a.csv", "results-of-others/a.csv")
    assert len(runs) == 3
    assert not bad


@pytest.mark.parametrize("path", ["sub/<b>.csv", "<results>.csv", "a<b/c>d.csv"])
def test_a_name_that_snakemake_expands_costs_its_row_only(tmp_path: Path, path: str) -> None:
    runs, bad = read(tmp_path, path)
    assert [run.run_id for run in runs] == ["ok"]
    assert "angle brackets" in bad[0].message


def test_a_folder_with_a_like_name_is_no_results_folder(tmp_path: Path) -> None:
    runs, bad = read(tmp_path, "results-of-agents/a.csv", "a < b.csv")
    assert len(runs) == 3
    assert not bad
