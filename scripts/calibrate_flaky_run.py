"""Adapter of the rule `calibrate_flaky_run`."""

from biomlbench.calibrate.flaky_runs import run_flakes_table_or_reason
from biomlbench.calibrate.settings import Settings
from biomlbench.calibrate.unused_rows import NOT_REPEATED
from biomlbench.contracts import write_table
from biomlbench.workflow.job import context_of, provenance_of


def main(snakemake):
    """Run one submission again and again, and look for checks that disagree with themselves."""
    wildcards, job = snakemake.wildcards, snakemake.params["job"]
    table, reason = run_flakes_table_or_reason(
        wildcards["task"],
        f"run/{wildcards['run']}",
        job["submission"],
        context_of(job),
        Settings.of(snakemake.params["settings"]).flake_trials,
        job["root"],
    )
    made_from = provenance_of(snakemake.params) | ({NOT_REPEATED: reason} if reason else {})
    write_table("flakes", table, snakemake.output["flakes"], made_from)
