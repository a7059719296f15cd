"""Where the workflow's own files are: Snakefile, rules, scripts, schemas, profiles, demo's config.

In a clone they lie beside the package. A wheel carries the same files below the package, as
pyproject.toml (``force-include``) says.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["CONFIG", "install_command", "is_workflow", "shipped", "workflow_root"]

CONFIG = "config/config.yaml"
"""Where the workflow looks for its config, relative to the working directory."""
_PACKAGE = Path(__file__).resolve().parents[1]
_PLACES = (_PACKAGE / "share", _PACKAGE.parent)


def is_workflow(folder: str | Path) -> bool:
    """Tell whether a folder holds the workflow: its Snakefile, rules and scripts."""
    parts = ("Snakefile", "workflow/rules/common.smk", "workflow/schemas/config.schema.json")
    return all((Path(folder) / part).is_file() for part in parts)


def workflow_root() -> Path:
    """Return the folder of the workflow that belongs to this library.

    Returns
    -------
    pathlib.Path
        Below the package where it was installed from a wheel, the clone otherwise.

    Raises
    ------
    FileNotFoundError
        If the package was copied without the workflow.
    """
    for place in _PLACES:
        if is_workflow(place):
            return place
    raise FileNotFoundError(
        f"{_PACKAGE} has come without its workflow; install it with pip, from a wheel or a clone"
    )


def install_command(*extras: str) -> str:
    """Return the shell command that installs optional packages.

    Parameters
    ----------
    *extras : str
        Names as in pyproject.toml (``optional-dependencies``).

    Returns
    -------
    str
        For the clone, where the library runs from one; for the package otherwise.
    """
    wanted = ",".join(extras)
    if is_workflow(_PACKAGE.parent):
        return f"pip install -e '{_PACKAGE.parent}[{wanted}]'"
    return f"pip install 'biomlbench-workflow[{wanted}]'"


def shipped(path: str, root: str | Path) -> Path:
    """Return where a file of the demo is: in the working directory, or else with the workflow.

    Parameters
    ----------
    path : str
        As the config names it, relative to the working directory.
    root : path
        Folder of the workflow.

    Returns
    -------
    pathlib.Path
        ``path`` itself, also where there is no such file at all.
    """
    there = Path(root) / path
    return there if not Path(path).is_file() and there.is_file() else Path(path)
