"""Run the workflow."""

from __future__ import annotations

from pathlib import Path

import click

from biomlbench.cli._common import cores_option, echo

_OWN = ("-c", "--cores", "--results")
_MARK = "--an-option-of-biomlbench"


class _Run(click.Command):
    """Marks where an option of ours stood among Snakemake's.

    Without a mark, what follows one would look like a further value of the option before it: the
    target of ``--configfile mine.yaml --cores 2 calibrate`` like a second config file.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        marked, is_value = [], False
        for number, text in enumerate(args):
            if text == "--":
                marked += args[number:]
                break
            marked.append(text)
            alone = text.startswith(("--cores=", "--results=")) or (
                text.startswith("-c") and text != "-c"
            )
            if is_value or alone:
                marked.append(_MARK)
            is_value = text in _OWN and not is_value
        return super().parse_args(ctx, marked)


@click.command(cls=_Run, context_settings={"ignore_unknown_options": True, "help_option_names": []})
@cores_option("CPU cores to use.")
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
    from biomlbench.workflow.command import (
        become_snakemake,
        check_configs,
        refuse_touch,
        runs_the_demo,
    )

    if show_help:
        echo(ctx.get_help())
        return
    here = Path.cwd()
    # said again, it changes nothing and ends the values of the option before it
    arguments = tuple(f"--cores={cores}" if text == _MARK else text for text in arguments)
    refuse_touch(arguments)
    check_configs(arguments)
    if runs_the_demo(arguments, here):
        echo("There is no config/config.yaml here, so this is the demo benchmark.", err=True)
    become_snakemake(arguments_for(arguments, here, results), cores)
