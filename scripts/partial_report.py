"""Adapter of the Snakefile's `onerror`: report what is there after some job failed."""

from biomlbench.report.write import write_report
from biomlbench.summary.aggregate import aggregate
from biomlbench.summary.telemetry import telemetry
from biomlbench.workflow.plan import Benchmark


def main(snakemake):
    """Write all tables and the report from the pairs that are done."""
    results = snakemake.params["results"]
    config = snakemake.params["config"]
    benchmark = Benchmark(config, snakemake.root, results=results, planned=True)
    aggregate(benchmark, results, snakemake.params["calibration"])
    telemetry(benchmark, results)
    write_report(results, benchmark.config["title"])
