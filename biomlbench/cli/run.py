"""Run the workflow."""

from __future__ import annotations

import os
from pathlib import Path

import click

from biomlbench.cli._common import echo


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.option("-c", "--cores", default=os.cpu_count(), show_default="all", help="CPU cores to use.")
@click.option("--results", metavar="DIR", help="Folder of the results. [default: as configured]")
@click.option("-h", "--help", "show_help", is_flag=True, help="Show this message and exit.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[SNAKEMAKE ARGUMENT]...")
@click.pass_context
def command(
    ctx: click.Context,
    cores: int,
    *,
    results: str | None,
    show_help: bool,
    arguments: tuple[str, ...],
) -> None:
    """Run the benchmark of config/config.yaml; only what is new or changed is done.

    It needs no clone: Snakemake is started here with the Snakefile that came with biomlbench, or
    with the one that is here. Further arguments are handed to it. A folder without a
    config/config.yaml gets the demo benchmark. The report is results/report.html.

    \b
    Examples:
      biomlbench run
      biomlbench run -n                         what would be done
      biomlbench run --configfile mine.yaml --results results-mine
      biomlbench run --profile slurm            or cluster-generic
    """  # noqa: D301
    from biomlbench.workflow.command import arguments as arguments_for
    from biomlbench.workflow.command import become_snakemake, check_configs, runs_the_demo

    if show_help:
        echo(ctx.get_help())
        return
    here = Path.cwd()
    check_configs(arguments)
    if runs_the_demo(arguments, here):
        echo("There is no config/config.yaml here, so this is the demo benchmark.", err=True)
    become_snakemake(arguments_for(arguments, here, results), cores)
