"""Adapter of the rule `audit_task`."""

from pathlib import Path

from biomlbench.audit.write import write_audit
from biomlbench.calibrate.card_audit import audit_of
from biomlbench.workflow.job import context_of


def main(snakemake):
    """Audit the job's task."""
    context = context_of(snakemake.params["job"])
    audit = audit_of(context.task(snakemake.wildcards["task"]), context)
    write_audit(audit, Path(snakemake.output["findings"]).parent)
