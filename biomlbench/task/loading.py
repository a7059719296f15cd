"""Functions named in a task's config: ``module:function``, from the task's folder or imported."""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError, words_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, ModuleType

__all__ = ["import_libraries", "is_built_in", "load_function", "load_module"]

_LOCK = threading.RLock()
_PACKAGE = Path(__file__).resolve().parents[1]


class _Loader(importlib.machinery.SourceFileLoader):
    """Compile what the file says now.

    Cached bytecode counts as current when size and second of the change agree: it may be an
    older version, or what somebody else left beside the file.
    """

    def get_code(self, fullname: str) -> CodeType | None:
        return self.source_to_code(self.get_data(self.path), self.path)


def load_module(path: str | Path) -> ModuleType:
    """Return the module of a Python file, loaded once for each state of the file.

    Parameters
    ----------
    path : path
        Python file. Its folder need be no package and may have hyphens in its name.

    Raises
    ------
    OSError
        If there is no such file.

    Notes
    -----
    The module is registered under a name of its own, so that two tasks may both have a
    ``grade.py``. A changed file is loaded anew. While its code is run, an ``import`` finds the
    Python files beside it, each as a module of its own in the same way: two tasks may both have a
    ``helper.py``. Names of the standard library are not found there.
    """
    path = Path(path).resolve()
    name = _name_of(path)
    with _LOCK:
        if name in sys.modules and _is_current(name):
            return sys.modules[name]
        spec = importlib.util.spec_from_file_location(name, path, loader=_Loader(name, str(path)))
        if spec is None or spec.loader is None:
            raise ImportError(f"{path} is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            with _Neighbours(path.parent) as neighbours:
                spec.loader.exec_module(module)
            _beside[name] = neighbours.found
        except BaseException:
            del sys.modules[name]
            raise
    return module


def _name_of(path: Path) -> str:
    """Return the name of a file's module, another one for each state of the file."""
    state = path.stat()
    key = f"{path}|{state.st_mtime_ns}|{state.st_size}".encode()
    return f"_biomlbench_file_{hashlib.sha256(key).hexdigest()[:16]}_{path.stem}"


_beside: dict[str, dict[Path, str]] = {}
"""Of each module the files beside it that it imported, with the names of their modules."""


def _is_current(module: str) -> bool:
    """Whether the files that a module imported from beside it are as they were, and theirs."""
    seen: set[str] = set()
    left = [module]
    while left:
        for path, name in _beside.get(left.pop(), {}).items():
            if not path.is_file() or _name_of(path) != name:
                return False
            if name not in seen:
                seen.add(name)
                left.append(name)
    return True


class _Neighbours(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the Python files of a folder by their bare names, for the thread that entered it.

    Of a name that is loaded already the folder's file comes first, and gives it back at the end.
    """

    def __init__(self, folder: Path) -> None:
        self.found: dict[Path, str] = {}
        self._folder, self._thread = folder, threading.get_ident()
        self._held: dict[str, ModuleType | None] = {}

    def __enter__(self) -> _Neighbours:
        for file in self._folder.glob("*.py"):
            if file.stem not in sys.stdlib_module_names:
                self._held[file.stem] = sys.modules.pop(file.stem, None)
        sys.meta_path.insert(0, self)
        return self

    def __exit__(self, *_: object) -> None:
        sys.meta_path.remove(self)
        for name, module in self._held.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module

    def find_spec(self, fullname: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        if threading.get_ident() != self._thread or fullname not in self._held:
            return None
        return importlib.machinery.ModuleSpec(fullname, self)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        path = self._folder / f"{spec.name}.py"
        self.found[path] = _name_of(path)
        return load_module(path)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to do."""


def load_function(reference: str, folder: str | Path | None = None) -> Callable[..., Any]:
    """Return the function that a reference names.

    Parameters
    ----------
    reference : str
        ``"module:function"``. With a folder, a module whose last part is a Python file of
        that folder is that file, if the reference names no package (``grade:grade``), if it
        is a path (``grade.py:grade``), or if the part before it is the folder's name
        (``biomlbench.tasks.manual.caco2-wang.grade:grade``, the published way). Everything
        else is imported.
    folder : path, optional
        Folder of the task.

    Raises
    ------
    TaskError
        If the reference is malformed or there is no such module or function.

    Examples
    --------
    >>> load_function("math:sqrt")(9.0)
    3.0
    """
    module_name, colon, name = str(reference).partition(":")
    if not colon or not module_name or not name.isidentifier():
        raise TaskError(
            f"{reference!r} does not name a function; write it as `module:function`, for "
            "instance `grade:grade` for the function `grade` of `grade.py` beside config.yaml"
        )
    file = None
    if folder is not None:
        file = _file_of(module_name, Path(folder))
        _extend_tasks(Path(folder).resolve().parent.parent)
    try:
        module = load_module(file) if file else importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise TaskError(
            f"{reference!r}: there is no module {error.name!r}"
            + (f", and no file {module_name}.py in {folder}" if folder and not file else "")
            + (f" (needed by {file})" if file else "")
            + "; install it, or correct the name in config.yaml"
        ) from error
    except (TaskError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise TaskError(
            f"{reference!r}: {file or module_name} cannot be imported: "
            f"{words_of(error)}; correct it"
        ) from error
    function = getattr(module, name, None)
    if not callable(function):
        raise TaskError(f"{reference!r}: {file or module_name} defines no function {name!r}")
    result: Callable[..., Any] = function
    return result


def is_built_in(folder: str | Path) -> bool:
    """Whether a task's folder lies in this package, so that its code is this package's own."""
    return Path(folder).resolve().is_relative_to(_PACKAGE)


def import_libraries(reference: str, folder: str | Path) -> None:
    """Import the installed packages that a function's file and those beside it import.

    For a process that calls the function in forks, each of which would import them anew. Files of
    the folder are not imported.

    Parameters
    ----------
    reference, folder
        As for :func:`load_function`.
    """
    file = _file_of(reference.partition(":")[0], Path(folder))
    if file is None:
        return
    files = sorted(file.parent.glob("*.py"))
    _import_all(tuple((path, path.stat().st_mtime_ns) for path in files if path.is_file()))


@cache
def _import_all(files: tuple[tuple[Path, int], ...]) -> None:
    own = {path.stem for path, _ in files}
    for path, _ in files:
        try:
            found = list(ast.walk(ast.parse(path.read_bytes())))
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            continue  # told by whoever loads it
        names = [one.name for node in found if isinstance(node, ast.Import) for one in node.names]
        names += [
            node.module
            for node in found
            if isinstance(node, ast.ImportFrom) and node.module and not node.level
        ]
        for name in names:
            if name.split(".")[0] not in own and not name.startswith("biomlbench.tasks"):
                with suppress(Exception):
                    importlib.import_module(name)


def _extend_tasks(root: Path) -> None:
    """Let modules of a user's folder of tasks be imported as ``biomlbench.tasks.<...>``.

    Published task folders import what they share that way. Built-in modules come first.
    """
    # By name: a task knows nothing of the built-in ones, it only finds them by their folder.
    tasks = importlib.import_module("biomlbench.tasks")
    if str(root) not in tasks.__path__:
        tasks.__path__.append(str(root))


def _file_of(module_name: str, folder: Path) -> Path | None:
    parts = module_name.removesuffix(".py").replace("/", ".").split(".")
    if len(parts) > 1 and parts[-2] != folder.name and not module_name.endswith(".py"):
        return None
    file = folder / f"{parts[-1]}.py"
    return file if file.is_file() else None
