"""Functions named in a task's config: ``module:function``, from the task's folder or imported."""

from __future__ import annotations

import hashlib
import importlib
import importlib.machinery
import importlib.util
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, ModuleType

__all__ = ["load_function", "load_module"]

_LOCK = threading.RLock()


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
    ``grade.py``. A changed file is loaded anew.
    """
    path = Path(path).resolve()
    state = path.stat()
    key = f"{path}|{state.st_mtime_ns}|{state.st_size}".encode()
    name = f"_biomlbench_file_{hashlib.sha256(key).hexdigest()[:16]}_{path.stem}"
    with _LOCK:
        if name in sys.modules:
            return sys.modules[name]
        spec = importlib.util.spec_from_file_location(name, path, loader=_Loader(name, str(path)))
        if spec is None or spec.loader is None:
            raise ImportError(f"{path} is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    return module


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
            f"{type(error).__name__}: {error}; correct it"
        ) from error
    function = getattr(module, name, None)
    if not callable(function):
        raise TaskError(f"{reference!r}: {file or module_name} defines no function {name!r}")
    result: Callable[..., Any] = function
    return result


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
