"""No submission is taken for what the workflow makes or reads in its own words."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from biomlbench.outcomes import Reason
from biomlbench.workflow.runs import read_runs

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


@pytest.mark.parametrize("path", ["sub/<b>.csv", "<results>.csv", "a<b/c>d.csv"])
def test_a_name_that_snakemake_expands_costs_its_row_only(tmp_path: Path, path: str) -> None:
    runs, bad = read(tmp_path, path)
    assert [run.run_id for run in runs] == ["ok"]
    assert "angle brackets" in bad[0].message


def test_a_folder_with_a_like_name_is_no_results_folder(tmp_path: Path) -> None:
    runs, bad = read(tmp_path, "results-of-agents/a.csv", "a < b.csv")
    assert len(runs) == 3
    assert not bad
