"""Folders of installed packages that hold links to where the packages are kept.

``uv pip install --link-mode symlink`` makes folders with a link for each file; Nix and Spack link
whole packages. What such links lead to belongs to the environment as what lies in it does.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

__all__ = ["LinkedPackages", "linked_packages"]

_METADATA = "METADATA"
"""The file that every package has, and that installers link as they link its others."""
_OF_A_PACKAGE = (".dist-info", ".egg-info")
_BESIDE = (".libs", ".data")
_CODE = (".py", ".so", ".pth")


@dataclass(frozen=True)
class LinkedPackages:
    """What the links of a folder of installed packages lead to.

    Attributes
    ----------
    folders : tuple of str
        Folders in which packages lie by the same names as in the folder of links.
    paths : tuple of str
        Files and folders of packages. Of a folder only what the folder of links names, too.
    """

    folders: tuple[str, ...]
    paths: tuple[str, ...]


def linked_packages(site: str) -> LinkedPackages:
    """Return what the links of a folder of installed packages lead to.

    Parameters
    ----------
    site : str
        Such as ``lib/python3.11/site-packages``.

    Notes
    -----
    A package of which each file is a link is known by its metadata; other links are followed
    where they are entries of the folder itself and lead to code.
    """
    names = _names(site)
    folders: dict[str, None] = {}
    paths: dict[str, None] = {}
    for name in sorted(names):
        whole = Path(site, name).is_symlink()
        relative = name if whole else f"{name}/{_METADATA}"
        link = Path(site, relative)
        if not link.is_symlink():
            continue
        target = os.path.normpath(link.parent / link.readlink())
        folder = target.removesuffix(f"/{relative}")
        if not Path(target).exists():
            continue
        beside = _names(folder) if folder != target else set()
        if any(other.endswith(_OF_A_PACKAGE) for other in beside):
            folders[folder] = None
        if whole and _is_installed(Path(target)):
            paths[target] = None
        elif not whole:
            paths |= dict.fromkeys(f"{folder}/{other}" for other in sorted(names & beside))
    return LinkedPackages(tuple(folders), tuple(paths))


def _names(folder: str) -> set[str]:
    """Return what is in a folder; nothing of one that this user may not list."""
    try:
        return set(os.listdir(folder))
    except OSError:
        return set()


def _is_installed(path: Path) -> bool:
    """Whether a link leads to what packages consist of, and not to somebody's data."""
    if path.is_file():
        return path.suffix in _CODE
    if path.name.endswith((*_OF_A_PACKAGE, *_BESIDE)):
        return True
    return any(path.glob("*.py")) or any(path.glob("*/*.py"))
