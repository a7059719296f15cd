"""Adapter of the rule `prepare`."""

from biomlbench.contracts import write_table
from biomlbench.stages.prepare import compute
from biomlbench.stages.provenance import sources
from biomlbench.workflow.job import context_of, provenance_of


def main(snakemake):
    """Prepare the job's task."""
    task, context = snakemake.wildcards["task"], context_of(snakemake.params["job"])
    record = {**sources("prepare", task, context, {}), **provenance_of(snakemake.params)}
    write_table("prepare", compute(task, context), snakemake.output["prepare"], record)
