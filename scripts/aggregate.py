"""Adapter of the rule `aggregate`."""

from datetime import UTC, datetime
from pathlib import Path

from biomlbench.summary.aggregate import aggregate
from biomlbench.summary.history import keep
from biomlbench.workflow.plan import Benchmark


def main(snakemake):
    """Write the tables over all pairs, and keep them."""
    results = Path(snakemake.output["pairs"]).parent
    benchmark = Benchmark(snakemake.params["config"], snakemake.root, results=results)
    aggregate(benchmark, results, snakemake.params["calibration"])
    keep(results, datetime.now(UTC), benchmark.config["title"])
