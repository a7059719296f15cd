"""Adapter of the rule `prepare`."""

from pathlib import Path

from biomlbench.stages.prepare import compute
from biomlbench.stages.provenance import sources
from biomlbench.workflow.job import context_of, provenance_of
from biomlbench.workflow.preparations import write_prepared


def main(snakemake):
    """Prepare the job's task."""
    task, context = snakemake.wildcards["task"], context_of(snakemake.params["job"])
    record = {**sources("prepare", task, context, {}), **provenance_of(snakemake.params)}
    write_prepared(compute(task, context), Path(snakemake.output["prepare"]), record)
