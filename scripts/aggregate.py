"""Adapter of the rule `aggregate`."""

from pathlib import Path

from biomlbench.summary.aggregate import aggregate
from biomlbench.workflow.plan import Benchmark


def main(snakemake):
    """Write the tables over all pairs."""
    results = Path(snakemake.output["pairs"]).parent
    benchmark = Benchmark(snakemake.params["config"], snakemake.root, results=results)
    aggregate(benchmark, results, snakemake.params["calibration"])
