"""Adapter of the rule `calibrate_tables`."""

from datetime import UTC, datetime
from pathlib import Path

from biomlbench.calibrate.jobs import write_tables
from biomlbench.calibrate.labels import Labelled
from biomlbench.calibrate.settings import Settings
from biomlbench.calibrate.unused_rows import Unused
from biomlbench.stages import Context
from biomlbench.summary.telemetry import iso_week


def main(snakemake):
    """Write the tables over all tasks."""
    context = snakemake.params["context"]
    write_tables(
        Path(snakemake.output["rates"]).parent,
        snakemake.input["controls"],
        snakemake.input["mutants"],
        snakemake.input["flakes"],
        Context(data_dir=context.get("data_dir"), tasks_dirs=tuple(context["tasks_dirs"])),
        Settings.of(snakemake.params["settings"]),
        iso_week(datetime.now(UTC).isoformat()),
        [Labelled(*run) for run in snakemake.params["runs"]],
        snakemake.params["code"],
        snakemake.params["measured"],
        context,
        [Unused(*row) for row in snakemake.params["unused"]],
    )
