"""List tables of pairs that left the config; delete them only when asked to."""

from __future__ import annotations

from pathlib import Path

import click

from biomlbench.cli._common import Trouble, as_json, echo, print_json

_DEFAULT = Path("config/config.yaml")


@click.command()
@click.argument(
    "config",
    type=click.Path(dir_okay=False, exists=True, path_type=Path),
    required=False,
)
@click.option(
    "--configfile",
    type=click.Path(dir_okay=False, exists=True, path_type=Path),
    help="CONFIG by the option that `biomlbench run` has for it.",
)
@click.option("--delete", is_flag=True, help="Delete what is listed, after asking.")
@click.option("--yes", is_flag=True, help="Do not ask before deleting.")
@as_json
def command(
    config: Path | None, *, configfile: Path | None, delete: bool, yes: bool, as_json: bool
) -> None:
    """List tables and logs in the results of pairs that CONFIG does not name any more.

    CONFIG is the workflow's config file (default: config/config.yaml); run this where the
    workflow runs. Nothing is deleted without --delete.

    \b
    Examples:
      biomlbench prune
      biomlbench prune my-config.yaml --delete
      biomlbench prune --configfile my-config.yaml
    """  # noqa: D301
    import yaml

    from biomlbench.runtime.bounded_yaml import read_yaml
    from biomlbench.runtime.files import workflow_root
    from biomlbench.runtime.locking import LockedError, lock
    from biomlbench.workflow.checked_config import checked
    from biomlbench.workflow.prune import leftovers, remove
    from biomlbench.workflow.run_state import LOCK

    if config is not None and configfile is not None:
        raise click.UsageError("name one config, as CONFIG or by --configfile")
    config = config or configfile or _DEFAULT
    if not config.is_file():
        raise click.UsageError(f"{config}: there is no such config file in {Path.cwd()}")
    try:
        settings = read_yaml(config)
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        raise Trouble(f"{config}: cannot be read as YAML ({error}); name a config file") from None
    if not isinstance(settings, dict):
        raise Trouble(f"{config}: is no config of the workflow; name one, as config/config.yaml")
    found = leftovers(settings, Path.cwd(), [config])
    if as_json:
        print_json([item._asdict() for item in found])
    elif not found:
        echo("Nothing is left over.")
    if not found:
        return
    for item in () if as_json else found:
        echo(f"{item.path}  {item.bytes / 1024:.0f} kB  {item.why}")
    size = sum(item.bytes for item in found) / 2**20
    echo(f"{len(found)} left over, {size:.1f} MB", err=as_json)
    if not delete or not (yes or click.confirm("Delete them?")):
        return
    try:
        held = lock(Path(checked(settings, workflow_root())["results_dir"]) / LOCK)
    except LockedError as error:
        raise Trouble(str(error)) from error
    remove(found)
    held.close()
    echo("Deleted.", err=as_json)
