"""Adapter of the rule `aggregate`."""

from datetime import UTC, datetime
from pathlib import Path

from biomlbench.summary.aggregate import aggregate
from biomlbench.summary.history import keep
from biomlbench.workflow.plan import Benchmark


def main(snakemake):
    """Write the tables over all pairs, and keep them."""
    results = Path(snakemake.output["pairs"]).parent
    config = snakemake.params["config"]
    benchmark = Benchmark(config, snakemake.root, results=results, planned=True)
    aggregate(benchmark, results, snakemake.params["calibration"])
    keep(results, datetime.now(UTC), benchmark.config["title"])
