"""Hash of the library code that a stage uses, so that editing it reruns what depends on it.

Snakemake notices a changed script, but not a changed module that the script imports. Each
rule therefore carries the hash of all modules that its stage reaches through imports.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["code_hash", "imports_hash", "modules_of"]

PACKAGE = Path(__file__).resolve().parents[1]
# Members of these packages are found by discovery, not by an import statement.
PLUGIN_PACKAGES = ("metrics", "verify", "sandbox", "report", "stages/kinds", "audit")
_IMPORT = re.compile(
    r"^\s*(?:from\s+(biomlbench[\w.]*|\.[\w.]*)\s+import\s+(\([^)]*\)|[^\n]*)"
    r"|import\s+(biomlbench[\w.]*))",
    re.MULTILINE,
)
# An `if TYPE_CHECKING:` block at the top level of a module.
_FOR_TYPES = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t]+[^\n]*\n|\n)*", re.MULTILINE)


@cache
def modules_of(module: str, unused: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the files that a module reaches through imports of this package.

    Parameters
    ----------
    module : str
        Dotted name, for instance ``"biomlbench.stages.chain.grade"``.
    unused : tuple of str
        Modules or packages (``"biomlbench.metrics"``) that an import statement reaches but
        that the module never needs.

    Returns
    -------
    tuple of str
        Paths relative to the package, sorted. Imports inside functions count, those for type
        checkers do not; every file of a package of plug-ins counts as soon as the package is
        reached.
    """
    paths = _closure(_with_parents(module), unused)
    return tuple(sorted(path.relative_to(PACKAGE).as_posix() for path in paths))


@cache
def code_hash(module: str, unused: tuple[str, ...] = ()) -> str:
    """Return a hash over the source of everything that a module uses of this package.

    Parameters
    ----------
    module, unused
        As in :func:`modules_of`.

    Returns
    -------
    str
        16 hexadecimal digits.

    Raises
    ------
    ModuleNotFoundError
        If there is no such module: the hash of nothing would never change.
    """
    if not _files_of(module):
        raise ModuleNotFoundError(f"no module {module}", name=module)
    return _hash(_closure(_with_parents(module), unused))


def imports_hash(paths: Iterable[Path], unused: tuple[str, ...] = ()) -> str:
    """Return a hash over what some files outside the package import from it.

    Parameters
    ----------
    paths : iterable of pathlib.Path
        Python files, a task's for instance.
    unused : tuple of str
        As in :func:`modules_of`.

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    modules = frozenset(module for path in paths for module in _imports(path))
    return _hash_of_imports(modules, unused)


@cache
def _hash_of_imports(modules: frozenset[str], unused: tuple[str, ...]) -> str:
    return _hash(_closure(modules, unused))


def _hash(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0")
        digest.update(_digest(path))
    return digest.hexdigest()[:16]


@cache
def _digest(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def _with_parents(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[:n]) for n in range(1, len(parts) + 1)]


def _closure(modules: Iterable[str], unused: tuple[str, ...] = ()) -> set[Path]:
    left_out = {path for module in unused for path in _files_of(module)}
    seen = set(left_out)
    todo = [path for module in modules for path in _files_of(module)]
    while todo:
        path = todo.pop()
        if path not in seen:
            seen.add(path)
            todo += [file for file in _imported(path) if file not in seen]
    return seen - left_out


@cache
def _imported(path: Path) -> tuple[Path, ...]:
    files = (file for module in _imports(path) for file in _files_of(module))
    return tuple(dict.fromkeys(files))


@cache
def _imports(path: Path) -> tuple[str, ...]:
    found: list[str] = []
    source = _FOR_TYPES.sub("", path.read_text(encoding="utf-8", errors="replace"))
    for base, names, plain in _IMPORT.findall(source):
        base = _absolute(base, path)
        found.append(plain or base)
        if base:
            found += [f"{base}.{name}" for name in re.findall(r"\w+", names)]
    return tuple(found)


def _absolute(module: str, path: Path) -> str:
    """Return the dotted name that a relative import in a file of the package means."""
    level = len(module) - len(module.lstrip("."))
    if not level or not path.is_relative_to(PACKAGE):
        return module
    package = (PACKAGE.name, *path.relative_to(PACKAGE).parts[:-1])
    return ".".join([*package[: len(package) - level + 1], module.lstrip(".")]).rstrip(".")


@cache
def _files_of(module: str) -> tuple[Path, ...]:
    return tuple(_path(str(path)) for path in _find(module))


# Of each file one object: to compare two takes long, and most of them are equal.
_path = cache(Path)


@cache
def _plugins(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def _find(module: str) -> list[Path]:
    parts = module.split(".")[1:]
    path = PACKAGE.joinpath(*parts)
    for name in PLUGIN_PACKAGES:
        folder = name.split("/")
        if parts[: len(folder)] == folder and (PACKAGE / name).is_dir():
            return _plugins(PACKAGE / name)
    if parts and path.with_suffix(".py").is_file():
        return [path.with_suffix(".py")]
    if parts and (path / "__init__.py").is_file():
        return [path / "__init__.py"]
    return []
