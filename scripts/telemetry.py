"""Adapter of the rule `telemetry`."""

from pathlib import Path

from biomlbench.summary.telemetry import telemetry
from biomlbench.workflow.plan import Benchmark


def main(snakemake):
    """Write the telemetry of all pairs."""
    results = Path(snakemake.output["telemetry"]).parent
    config = snakemake.params["config"]
    benchmark = Benchmark(config, snakemake.root, results=results, planned=True)
    telemetry(benchmark, results)
