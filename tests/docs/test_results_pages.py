"""The pages reproduce.md and query-results.md, run in the folder of a finished small benchmark."""

from __future__ import annotations

import subprocess

import pyarrow.parquet as pq
import pytest

from tests.docs.snippets import ROOT, environment, run_page
from tests.workflow.conftest import Bench, write_benchmark

HOW_TO = ROOT / "docs" / "how-to"


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    path = tmp_path_factory.mktemp("bench")
    write_benchmark(path)
    # As the reader's shell, whose variables may choose other numerical code than the test's.
    home = tmp_path_factory.mktemp("home")
    call = Bench(path).command()
    subprocess.run(call, cwd=path, env=environment(path, home), capture_output=True, check=True)
    return path


@pytest.mark.slow
def test_query_results(bench, tmp_path):
    pytest.importorskip("duckdb", reason="DuckDB is not installed")
    pytest.importorskip("polars", reason="Polars is not installed")
    seen, best, failing, medals, pairs, across, same, origin = run_page(
        HOW_TO / "query-results.md", bench, tmp_path
    )
    assert "Pair('" in seen
    assert (bench / "agents-and-boards.png").stat().st_size > 10_000
    assert "toy/line" in best
    assert "missing_ids" in failing
    assert "gold" in medals
    assert pairs.count("\n") == 2  # a header, and the run of the first task
    assert "results/pairs.parquet" in across
    assert "runs" in same
    assert "leaderboard_sha256" in origin


@pytest.mark.slow
def test_reproduce(bench, tmp_path):
    again, against, _, from_archive = run_page(HOW_TO / "reproduce.md", bench, tmp_path)
    assert "Equal" in again
    assert '"equal": true' in against
    assert "Equal" in from_archive
    for folder in ("again", "from-archive/again"):
        assert pq.read_metadata(bench / folder / "differences.parquet").num_rows == 0
