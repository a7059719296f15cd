"""Adapter of the rule `calibrate_flaky_run`."""

from biomlbench.calibrate.flaky_runs import run_flakes_table
from biomlbench.calibrate.settings import Settings
from biomlbench.contracts import write_table
from biomlbench.workflow.job import context_of, provenance_of


def main(snakemake):
    """Run one submission again and again, and look for checks that disagree with themselves."""
    wildcards, job = snakemake.wildcards, snakemake.params["job"]
    table = run_flakes_table(
        wildcards["task"],
        f"run/{wildcards['run']}",
        job["submission"],
        context_of(job),
        Settings.of(snakemake.params["settings"]).flake_trials,
        root=job["root"],
    )
    write_table("flakes", table, snakemake.output["flakes"], provenance_of(snakemake.params))
