"""Adapter of the rule `audit_task`."""

from pathlib import Path

from biomlbench.audit import audit_task
from biomlbench.audit.write import write_audit
from biomlbench.workflow.job import context_of


def main(snakemake):
    """Audit the job's task."""
    context = context_of(snakemake.params["job"])
    audit = audit_task(context.task(snakemake.wildcards["task"]))
    write_audit(audit, Path(snakemake.output["findings"]).parent)
