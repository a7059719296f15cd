"""Which host paths an interpreter needs inside the sandbox, and which must stay hidden.

Only the interpreter's own folders are shown: its executables, libraries and site-packages.
This package itself is hidden wherever it is installed, because its task folders hold
references, known-bad solutions and answers.
"""

from __future__ import annotations

import functools
import glob
import json
import os
import site
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from biomlbench.runtime.linked_packages import linked_packages
from biomlbench.sandbox.model import SandboxUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["SYSTEM_PATHS", "Interpreter", "covered", "current", "hidden_paths", "of_environment"]

SYSTEM_PATHS = (
    "/usr/bin",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libexec",
    "/usr/share/zoneinfo",
    "/etc/alternatives",
    "/etc/ld.so.cache",
)
"""Shared libraries and tools of the operating system."""

_PARTS = ("bin", "lib", "lib64", "share", "pyvenv.cfg")
_QUERY = (
    "import json, site, sys; json.dump([sys.executable, sys.prefix, sys.base_prefix, "
    "site.getsitepackages()], sys.stdout)"
)
_SELF = "biomlbench"
_SITE_NAMES = ("site-packages", "dist-packages")
MAX_LINKS = 40
"""As many links as the kernel follows."""


@dataclass(frozen=True)
class Interpreter:
    """One Python and the paths that it needs.

    Attributes
    ----------
    executable : str
    paths : tuple of str
        Files and folders to show read-only, each at its own path.
    links : tuple of (str, str)
        Path and target of symbolic links that lead to the executable.
    site_packages : tuple of str
        With the folders that links in them lead to.
    further_sites : tuple of str
        Folders of packages that the interpreter does not find by itself inside: the user's own
        (``pip install --user``) and those that ``PYTHONPATH`` adds.
    library_path : str
        ``LD_LIBRARY_PATH``, where the interpreter needs one.
    """

    executable: str
    paths: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    site_packages: tuple[str, ...]
    further_sites: tuple[str, ...] = ()
    library_path: str = ""


def _describe(executable: str, prefix: str, base_prefix: str, sites: Iterable[str]) -> Interpreter:
    paths: list[str] = []
    links: list[tuple[str, str]] = []
    for root in dict.fromkeys((prefix, base_prefix, str(Path(base_prefix).resolve()))):
        if root == "/usr":
            continue
        if root == "/usr/local":
            folder = f"python{sys.version_info[0]}.{sys.version_info[1]}"
            names = [str(p) for p in Path("/usr/local/lib").glob("libpython*")]
            paths += [f"/usr/local/lib/{folder}", *names]
            continue
        for path in (f"{root}/{part}" for part in _PARTS):
            if os.path.islink(path) and os.readlink(path) in _PARTS:
                links.append((path, os.readlink(path)))
            elif os.path.exists(path):
                paths.append(path)
    sites = [entry for entry in sites if Path(entry).is_dir()]
    paths += [entry for entry in sites if not covered(entry, (*paths, *SYSTEM_PATHS))]
    linked = [linked_packages(entry) for entry in sites]
    sites += [folder for found in linked for folder in found.folders]
    kept = [path for found in linked for path in found.paths]
    paths += [path for path in kept if not covered(path, (*paths, *SYSTEM_PATHS))]
    hop = executable
    for _ in range(MAX_LINKS):
        if not covered(hop, (*paths, *SYSTEM_PATHS)):
            if Path(hop).is_symlink():
                links.append((hop, os.readlink(hop)))
            else:
                paths += _with_libraries(hop)
        if not Path(hop).is_symlink():
            break
        hop = os.path.normpath(os.path.join(os.path.dirname(hop), os.readlink(hop)))
    return Interpreter(executable, tuple(dict.fromkeys(paths)), tuple(links), tuple(sites))


def _with_libraries(executable: str) -> list[str]:
    """Return what to show of an interpreter that lies under another name than its prefix.

    A folder such as ``cpython-3.11`` that links to ``cpython-3.11.9`` (uv): the interpreter looks
    for its libraries under the name by which it was started.
    """
    root = os.path.dirname(os.path.dirname(executable))
    if not glob.glob(os.path.join(glob.escape(root), "lib", "python3*", "os.py")):
        return [executable]
    return [path for part in _PARTS if os.path.exists(path := f"{root}/{part}")]


def covered(path: str, folders: Iterable[str]) -> bool:
    """Whether a path is one of some folders or lies in one."""
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


@functools.cache
def current() -> Interpreter:
    """Return the interpreter that runs this code."""
    found = _describe(sys.executable, sys.prefix, sys.base_prefix, site.getsitepackages())
    shown = (*found.paths, *SYSTEM_PATHS)
    sites = [p for p in sys.path if Path(p).name in _SITE_NAMES and Path(p).is_dir()]
    sites = [p for p in sites if p not in found.site_packages and not covered(p, SYSTEM_PATHS)]
    linked = [linked_packages(folder) for folder in sites]
    further = (*sites, *(path for kept in linked for path in kept.paths))
    folders = [folder for kept in linked for folder in kept.folders]
    libraries = _loaded_libraries()
    searched = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    searched = [os.path.realpath(folder) for folder in searched if folder]
    used = dict.fromkeys(os.path.dirname(os.path.realpath(path)) for path in libraries)
    used = {folder: None for folder in used if folder in searched}
    # A library is in use under its real path. What is shown under the name of a link holds it.
    names = (*shown, *further)
    real = {*names, *(os.path.realpath(name) for name in names)}
    libraries = [p for p in libraries if os.path.dirname(p) in used or not covered(p, real)]
    libraries = [path for path in libraries if not covered(path, names)]
    return replace(
        found,
        paths=tuple(dict.fromkeys((*found.paths, *further, *libraries))),
        site_packages=(*found.site_packages, *sites, *folders),
        further_sites=tuple(sites),
        library_path=":".join(used),
    )


def _loaded_libraries() -> list[str]:
    """Return the shared libraries in use: modules of a cluster keep them beside no interpreter."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
        mapped = (line.rstrip("\n").split(maxsplit=5) for line in file)
        paths = {words[5] for words in mapped if len(words) == 6 and "x" in words[1]}
    return sorted(p for p in paths if ".so" in Path(p).name and Path(p).is_file())


@functools.cache
def of_environment(folder: Path) -> Interpreter:
    """Return the interpreter of a prepared virtual environment.

    Parameters
    ----------
    folder : pathlib.Path
        Folder with ``bin/python``; written by the task's author, hence trusted.

    Raises
    ------
    SandboxUnavailable
        If it has no working interpreter.
    """
    python = folder.absolute() / "bin" / "python"
    try:
        done = subprocess.run(
            [str(python), "-I", "-c", _QUERY], capture_output=True, check=True, timeout=60
        )
        found = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise SandboxUnavailable(
            f"environment {folder}: no working bin/python ({error}); prepare it with "
            "`python -m venv` and install the task's packages into it"
        ) from error
    return _describe(*found)


def hidden_paths(
    shown: Iterable[str], interpreter: Interpreter, extra: Iterable[PurePath] = ()
) -> list[str]:
    """Return what must be covered because a shown folder contains it.

    Parameters
    ----------
    shown : iterable of str
        Paths bound into the sandbox.
    interpreter : Interpreter
    extra : iterable of pathlib.PurePath
        Further paths that must never be visible, such as a user's task folders. A relative one
        lies in every folder of installed packages.

    Returns
    -------
    list of str
        Existing files and folders at or under one of the shown paths.
    """
    package = Path(__file__).absolute().parents[1]
    extra = tuple(extra)
    absolute = (place for place in extra if place.is_absolute())
    places = {os.path.realpath(place) for place in (package, *absolute)}
    within = [str(place) for place in extra if not place.is_absolute()]
    shown = tuple(shown)
    for folder in _sites_of_others(shown).union(interpreter.site_packages):
        names = (name for name in os.listdir(folder) if _SELF in name.lower())
        places.update(os.path.join(os.path.realpath(folder), name) for name in names)
        # A link in there is covered where it lies, and so is what it leads to.
        for inner in (os.path.join(os.path.realpath(folder), name) for name in within):
            places |= {inner, os.path.realpath(inner)}
    found = set()
    for path in shown:
        # One folder may be shown under several names; it is covered under each of them.
        real = os.path.realpath(path)
        for place in places:
            if covered(place, (real,)) and os.path.lexists(place):
                found.add(path + place[len(real) :])
    return sorted(found)


def _sites_of_others(shown: Iterable[str]) -> set[str]:
    """Return the folders of packages of interpreters that come with a folder of libraries.

    They are looked for at each start, among thousands of names: so by their names first.
    """
    sites = set()
    for path in shown:
        try:
            pythons = [name for name in os.listdir(path) if name.startswith("python")]
        except OSError:  # a file, or a folder that nobody here may list
            continue
        sites |= {f"{path}/{python}/{name}" for python in pythons for name in _SITE_NAMES}
    return {site for site in sites if os.path.isdir(site)}
