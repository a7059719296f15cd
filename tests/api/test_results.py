"""A results folder as one object: lazy, in three forms, with every figure."""

import subprocess
import sys
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

import biomlbench
from biomlbench.contracts import ContractError, read_table
from biomlbench.report import plots
from biomlbench.results import NoSuchPairError
from tests.docs.snippets import ROOT, blocks_of
from tests.report import fixtures


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("results")
    fixtures.write(root, 60)
    return root


@pytest.fixture(scope="module")
def results(folder):
    return biomlbench.Results(folder)


@pytest.mark.slow
def test_from_import_to_a_figure_in_ten_lines(folder, tmp_path, monkeypatch):
    (block, *_) = blocks_of(ROOT / "docs" / "how-to" / "query-results.md")
    assert len(block.text.strip().splitlines()) <= 11  # ten, and an empty one below the imports
    (tmp_path / "results").symlink_to(folder)
    monkeypatch.chdir(tmp_path)
    mpl.use("agg")
    exec(compile(block.text, "query-results.md", "exec"), {})
    assert (tmp_path / "agents-and-boards.png").read_bytes().startswith(b"\x89PNG")


def test_other_tables_of_a_figure_are_those_of_results(results):
    for wrong in ({"agents": results.agents}, results.agents, "results"):
        with pytest.raises(TypeError, match=r"tables: a `Tables` is taken, as `Results.tables`"):
            results.plot.agent_rates(tables=wrong)
    some = results.agents[results.agents["agent"] != results.agents["agent"].iloc[0]]
    assert results.plot.agent_rates(tables=replace(results.tables, agents=some)).axes
    assert "dataclasses.replace(results.tables" in results.plot.agent_rates.__doc__


def test_the_package_offers_what_one_types_first():
    assert {"Results", "Registry", "grade_csv", "validate_submission"} <= set(dir(biomlbench))
    for name in dir(biomlbench):
        assert getattr(biomlbench, name)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        biomlbench.Nothing  # noqa: B018
    code = "import biomlbench, sys; print([n for n in ('numpy', 'pyarrow') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_tables_come_in_the_form_that_is_asked_for(folder, results):
    pytest.importorskip("polars", reason="Polars is not installed")
    pairs = read_table("pairs", folder / "pairs.parquet")
    assert biomlbench.Results(folder, as_="arrow").pairs.equals(pairs)
    polars = biomlbench.Results(folder, as_="polars").runs
    assert polars["run_id"].to_list() == results.runs["run_id"].tolist()
    assert len(results.runs) == sum(label is None for label in pairs["label"].to_pylist())
    assert results.table("agents", as_="arrow").to_pandas().equals(results.agents)
    with pytest.raises(ValueError, match="no form 'excel'"):
        biomlbench.Results(folder, as_="excel")
    with pytest.raises(ValueError, match="no table 'runs'"):
        results.table("runs")


def test_a_pair_has_its_columns_and_checks(results):
    row = results.pairs.iloc[0]
    pair = results.pair(row["task_id"].rpartition("/")[2], row["run_id"])
    assert (pair.task_id, pair.verdict) == (row["task_id"], row["verdict"])
    assert set(pair.checks["run_id"]) <= {row["run_id"]}
    assert pair.report.task_id == row["task_id"]
    assert repr(pair).startswith(f"Pair({row['task_id']!r}, {row['run_id']!r}: verdict=")
    assert row["run_id"] in pair._repr_html_()
    with pytest.raises(AttributeError, match="a pair has no 'colour'"):
        pair.colour  # noqa: B018
    with pytest.raises(NoSuchPairError, match=f"no run 'x'; there are .*{row['run_id']}"):
        results.pair(row["task_id"], "x")
    with pytest.raises(NoSuchPairError, match="no task 'lien'"):
        results.pair("lien", "x")


def test_a_stage_that_is_misspelt_or_has_seen_no_run_is_told_as_such(results, monkeypatch):
    row = results.pairs.iloc[0]
    pair = results.pair(row["task_id"], row["run_id"])
    for ask in (pair.stage, pair.made_from):
        with pytest.raises(ValueError, match="no stage 'medals'; there are: validate"):
            ask("medals")
    unused = {"fault": "run_table", "message": "no such task", "kind": ""}
    bad = replace(pair, row=pair.row | unused)
    for ask in (bad.stage, bad.made_from):
        with pytest.raises(ContractError, match=r"row of a run table .*: no such task"):
            ask("grade")
        with pytest.raises(ValueError, match="no stage"):
            ask("medals")


@pytest.mark.parametrize("number", [0, np.int64(0), 0.5, None])
def test_an_id_that_is_no_text_is_refused(results, number):
    task = results.pairs["task_id"].iloc[0]
    with pytest.raises(TypeError, match="the id of a run is text: write '"):
        results.pair(task, number)
    with pytest.raises(TypeError, match="the id of a task is text: write '"):
        results.pair(number, "x")


def test_nothing_is_there_without_results(tmp_path):
    with pytest.raises(ContractError, match=r"no pairs\.parquet; name the folder"):
        biomlbench.Results(tmp_path)


def test_it_says_what_it_holds(results):
    assert "60 pairs" in repr(results)
    assert len(results.agents) > results.agents["agent"].nunique()
    assert f", {results.agents['agent'].nunique()} agents" in repr(results)
    assert "<td>60</td>" in results._repr_html_()
    assert "agent_rates" in repr(results.plot)


@pytest.mark.slow
def test_every_figure_is_drawn_in_axes(results):
    assert set(plots.names()) <= set(dir(results.plot))
    whole = Figure(figsize=(8, 40), layout="constrained")
    for axes, name in zip(whole.subplots(len(plots.names())), plots.names(), strict=True):
        assert getattr(results.plot, name)(axes=axes) is whole
    assert len(whole.subfigs) == len(plots.names())
    assert all(part.axes for part in whole.subfigs)
    assert results.plot.leaderboards.__name__ == "leaderboards"
    # A name that is nearly one of a figure is none: its reader would not know what is drawn.
    for misspelt, meant in (("leaderboard", "leaderboards"), ("agent_rate", "agent_rates")):
        assert not hasattr(results.plot, misspelt)
        with pytest.raises(AttributeError, match=f"did you mean '{meant}'"):
            getattr(results.plot, misspelt)
    assert results.plot.medals()._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(AttributeError, match="did you mean 'medals'"):
        results.plot.medlas()
    with pytest.raises(ValueError, match="not of a grid"):
        results.plot.medals(axes=Figure().add_axes((0, 0, 1, 1)))
