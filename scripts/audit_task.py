"""Adapter of the rule `audit_task`."""

from functools import partial
from pathlib import Path

from biomlbench.audit.write import write_audit
from biomlbench.calibrate.card_audit import audit_of
from biomlbench.runtime.apart import call_apart
from biomlbench.workflow.job import context_of


def main(snakemake):
    """Audit the job's task, in a fork of its own, as the task's functions are called in it."""
    call_apart(partial(_audit, snakemake), tries=1)


def _audit(snakemake):
    context = context_of(snakemake.params["job"])
    audit = audit_of(context.task(snakemake.wildcards["task"]), context)
    write_audit(audit, Path(snakemake.output["findings"]).parent)
