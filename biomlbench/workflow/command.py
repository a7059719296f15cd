"""The command line of Snakemake for a benchmark: which Snakefile, which profile, which config."""

from __future__ import annotations

import os
import re
import shlex
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from biomlbench.errors import UserError
from biomlbench.runtime.files import CONFIG, is_workflow, workflow_root
from biomlbench.runtime.user_cache import temporary_cache, user_cache

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "NO_TOUCH",
    "arguments",
    "become_snakemake",
    "check_configs",
    "place_of_profile",
    "refuse_touch",
    "runs_the_demo",
]

_SNAKEFILE = ("-s", "--snakefile")
_CONFIG = ("-C", "--config")
_CONFIGFILE = ("--configfile", "--configfiles")
_CORES = ("-c", "--cores")
_KEY = re.compile(r"[a-zA-Z_][\w-]*\w")
"""What Snakemake takes for a key."""
_TOUCH = ("-t", "--touch")
NO_TOUCH = (
    "--touch would have results taken for those of submissions, data and a config that they were "
    "not made from; leave it out: a run does again what has changed, and nothing else"
)
"""Why the workflow is not run with this option of Snakemake's, and the remedy."""
_PROFILE = ("--profile", "--workflow-profile")
_DIRECTORY = ("-d", "--directory")


def arguments(given: Sequence[str], folder: str | Path, results: str | None = None) -> list[str]:
    """Return Snakemake's arguments for a run of the workflow in a folder.

    Parameters
    ----------
    given : sequence of str
        Arguments for Snakemake; those that it does not say are added.
    folder : path
        The working directory. Its own Snakefile is taken if it has one that has to do with this
        library: the one of a clone, or of a workflow that imports ours. Otherwise it is the one
        that came with the library.
    results : str, optional
        Folder of the results, before what the config says.

    Returns
    -------
    list of str
    """
    call = [_profile(given, number) for number in range(len(given))]
    if results is not None:
        call = _with_config(call, f"results_dir={results}")
    if not _names(given, _SNAKEFILE) and not _has_own(Path(folder)):
        call = ["--snakefile", str(workflow_root() / "Snakefile"), *call]
    return call


def check_configs(given: Sequence[str]) -> None:
    """Refuse files and folders that there are not, files of no YAML, and odd keys of ``--config``.

    Parameters
    ----------
    given : sequence of str
        Arguments for Snakemake.

    Raises
    ------
    UserError
        Naming file and line, or key; Snakemake would name neither, or end with a traceback.
    """
    from biomlbench.verify._lines import read

    option, first = "", True
    for text in given:
        if text.startswith("-"):
            option, _, value = text.partition("=")
        else:
            value = text
        if option in _DIRECTORY and value:
            if not Path(value).is_dir():
                raise UserError(f"{value}: to run in it, make this folder in {Path.cwd()} first")
            option = ""  # what follows is a target
        elif option in _CONFIGFILE and value:
            if not Path(value).is_file():
                raise UserError(f"{value}: there is no such config file in {Path.cwd()}")
            if not isinstance(read(Path(value))[0], dict):
                raise UserError(f"{value}:1: a config is a mapping of keys to values")
        elif option in _CONFIG and value:
            _check_entry(value)
        elif first and option in ("", *_CORES) and Path(value).suffix.lower() in (".yaml", ".yml"):
            named = shlex.quote(value)
            raise UserError(f"{value}: name a config by its option, --configfile {named}")
        first = first and option in _CORES


def _check_entry(entry: str) -> None:
    key, equals, value = entry.partition("=")
    if equals and _KEY.fullmatch(key):
        return
    outer, *inner = key.split(".")
    if not equals or not all((outer, *inner)):
        raise UserError(f"--config: {entry!r} is no key=value")
    nested = f"{': {'.join(inner)}: {value}{'}' * len(inner)}"
    told = f"; write --config {shlex.quote(f'{outer}={{{nested}')}" if inner else ""
    raise UserError(f"--config: {key!r} is no key of the config{told}")


def refuse_touch(given: Sequence[str]) -> None:
    """Refuse ``--touch`` before Snakemake, whose rules say the same after seconds of planning.

    Parameters
    ----------
    given : sequence of str
        Arguments for Snakemake.

    Raises
    ------
    UserError
        With the remedy.
    """
    if any(text in _TOUCH for text in given):
        raise UserError(NO_TOUCH)


def runs_the_demo(given: Sequence[str], folder: str | Path) -> bool:
    """Tell whether a run in a folder would be the demo's, as there is no config of its own.

    Parameters
    ----------
    given, folder
        As for :func:`arguments`.
    """
    elsewhere = _names(given, (*_CONFIGFILE, *_SNAKEFILE, *_DIRECTORY))
    named = any(text.startswith("runs=") for text in given)
    here = Path(folder)
    return not (elsewhere or named or (here / CONFIG).is_file() or _has_own(here))


def _has_own(folder: Path) -> bool:
    if is_workflow(folder):
        return True
    places = (folder / "Snakefile", folder / "workflow" / "Snakefile")
    return any(
        "biomlbench" in path.read_text(encoding="utf-8", errors="replace")
        for path in places
        if path.is_file()
    )


def _names(given: Sequence[str], options: Sequence[str]) -> bool:
    return any(text.partition("=")[0] in options for text in given)


def _with_config(call: list[str], entry: str) -> list[str]:
    """Add an entry to the last `--config`: of several, Snakemake takes only that one."""
    places = [n for n, text in enumerate(call) if text in _CONFIG]
    if places:
        return [*call[: places[-1] + 1], entry, *call[places[-1] + 1 :]]
    return [*call, "--config", entry]


def _profile(given: Sequence[str], number: int) -> str:
    """Return an argument; the name of a profile of ours becomes its place."""
    text = given[number]
    option, equals, value = text.partition("=")
    if option in _PROFILE and equals:
        return f"{option}={place_of_profile(value)}"
    return place_of_profile(text) if number and given[number - 1] in _PROFILE else text


def place_of_profile(profile: str) -> str:
    """Return the folder of a profile of ours that is named; any other name as it is."""
    ours = workflow_root() / "profiles" / profile.removeprefix("profiles/")
    there = Path(profile).is_dir()
    return str(ours) if not there and (ours / "config.yaml").is_file() else profile


def _give_it_a_cache() -> None:
    """Let Snakemake, which ends with a traceback without a folder for its cache, have one."""
    from biomlbench.task.registry import cache_dir

    usual = user_cache()
    if usual != temporary_cache():
        with suppress(OSError):  # as Snakemake itself would make it
            (usual / "snakemake").mkdir(parents=True, exist_ok=True)
            if os.access(usual / "snakemake", os.W_OK | os.X_OK):
                return
    os.environ.setdefault("BIOMLBENCH_CACHE_DIR", str(cache_dir()))  # the data stay where they are
    os.environ["XDG_CACHE_HOME"] = str(temporary_cache())


def become_snakemake(given: Sequence[str], cores: int) -> NoReturn:
    """Replace this process by Snakemake, so that whoever stops it stops the run.

    Parameters
    ----------
    given : sequence of str
        As :func:`arguments` returns them.
    cores : int
    """
    _give_it_a_cache()
    sys.stdout.flush()
    sys.stderr.flush()
    call = [sys.executable, "-P", "-m", "snakemake", "--cores", str(cores), *given]
    os.execv(call[0], call)  # noqa: S606 - there is no shell that could be meant
