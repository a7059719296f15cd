"""The verification modes, a file each, found by looking into this folder.

A mode's file defines

``MODE`` : str
    Its name in `verifier.yaml`.
``SEMANTIC`` : bool
    Whether passing it is evidence that the work is right.
``ORACLE`` : bool
    Whether it compares the output with the oracle's.
``DEFAULT_SUITE``, ``DEFAULT_WEIGHT``
    Used where a check does not say.
``REASON`` : Reason
    The reason code of its failure.
``OPTIONS`` : dict
    JSON schema of the keys that it adds to a check, and ``REQUIRED``, a list of them.
``resolve(check, library) -> None``
    Raise :class:`~biomlbench.verify.library.LibraryError` for options that cannot work.
``claim(check, library) -> str``
    Say what a failure means without any value, for messages about hidden cases.
``judge(check, unit, library) -> Finding``
    Look at one unit of work (a case, or a base case with its variants).
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

from biomlbench.by_name import by_name

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["all_modes", "get_mode"]


@cache
def all_modes() -> dict[str, ModuleType]:
    """Return every mode's module by the mode's name, in alphabetical order."""
    names = sorted(info.name for info in pkgutil.iter_modules(__path__))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return by_name((module.MODE, module) for module in modules)


def get_mode(name: str) -> ModuleType:
    """Return the module of a mode.

    Raises
    ------
    KeyError
        If there is no such mode.
    """
    return all_modes()[name]
