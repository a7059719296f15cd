"""Adapter of the rule `calibrate_controls`."""

from biomlbench.calibrate.jobs import controls_table
from biomlbench.contracts import read_table, write_table
from biomlbench.workflow.job import context_of, provenance_of


def main(snakemake):
    """Grade the job's batch of controls."""
    mutants = snakemake.input.get("mutants")
    table = controls_table(
        snakemake.wildcards["task"],
        snakemake.wildcards["batch"],
        context_of(snakemake.params["job"]),
        read_table("mutants", mutants) if mutants else None,
    )
    output = snakemake.output["controls"]
    write_table("controls", table, output, provenance_of(snakemake.params))
