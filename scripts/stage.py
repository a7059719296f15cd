"""Adapter of the rules of all stages of a pair, and of their batches."""

from biomlbench.workflow.job import run_job


def main(snakemake):
    """Run the stage for the job's pair or pairs."""
    return run_job(next(iter(snakemake.output)), snakemake)
