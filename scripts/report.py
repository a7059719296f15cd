"""Adapter of the rule `report`."""

from pathlib import Path

from biomlbench.report.write import write_report


def main(snakemake):
    """Write the report."""
    write_report(Path(snakemake.output["report"]).parent, snakemake.params["title"])
