"""Adapter of the rule `calibrate_flakes`."""

from biomlbench.calibrate.flaky import flakes_table
from biomlbench.calibrate.settings import Settings
from biomlbench.contracts import write_table
from biomlbench.workflow.job import context_of, provenance_of


def main(snakemake):
    """Look for checks of the job's card that disagree with themselves."""
    trials = Settings.of(snakemake.params["settings"]).flake_trials
    context = context_of(snakemake.params["job"])
    table = flakes_table(snakemake.wildcards["task"], context, trials)
    output = snakemake.output["flakes"]
    write_table("flakes", table, output, provenance_of(snakemake.params))
