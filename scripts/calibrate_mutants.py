"""Adapter of the rule `calibrate_mutants`."""

from biomlbench.calibrate.jobs import mutants_table
from biomlbench.calibrate.settings import Settings
from biomlbench.contracts import write_table
from biomlbench.workflow.job import context_of, provenance_of


def main(snakemake):
    """Make the mutants of the job's card."""
    settings = Settings.of(snakemake.params["settings"])
    context = context_of(snakemake.params["job"])
    table = mutants_table(snakemake.wildcards["task"], context, settings)
    output = snakemake.output["mutants"]
    write_table("mutants", table, output, provenance_of(snakemake.params))
