"""Adapter of the rules `plot_<figure>`."""

from pathlib import Path

from biomlbench.report.inputs import loaded
from biomlbench.report.plots import render


def main(snakemake):
    """Draw the job's figure."""
    folder = Path(snakemake.output["png"]).parent
    render(snakemake.params["figure"], loaded(folder.parent), folder)
