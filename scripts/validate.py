"""Adapter of the rule `validate`."""

from biomlbench.workflow.job import run_job


def main(snakemake):
    """Run the stage for the job's pair."""
    return run_job("validate", snakemake)
