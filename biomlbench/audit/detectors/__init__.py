"""The detectors of an audit, a file each, found by looking into this folder.

A detector's file begins with a docstring whose first line names what it looks for, and defines

``ORDER`` : int
    Its place in the audit, from low to high.
``SCORES`` : bool
    Whether it needs scores that get better with the predictions. Without, it is run even where
    the grader does not read them.
``FINDINGS`` : dict of str to str
    The names of what it can find, with the remedy of each.
``MEDAL`` : str
    What is said of a medal that one of them touches: "medal on a task ...".
``COVERED_BY`` : dict of str to str, optional
    The check of predictions that whoever uses a hole of that name fails, whatever the submission.
``find(subject) -> iterable of Found``
    Look at one task, given as a :class:`biomlbench.audit.subject.Subject`.

Files whose name starts with an underscore are no detectors.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from biomlbench.audit import card_findings

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["all_detectors", "detector_of", "remedies"]


@cache
def all_detectors() -> Mapping[str, Any]:
    """Return every detector's module by its name, in their order."""
    names = sorted(info.name for info in pkgutil.iter_modules(__path__))
    modules = {name: importlib.import_module(f"{__name__}.{name}") for name in names
               if name[0] != "_"}  # fmt: skip
    ordered = sorted(modules, key=lambda name: (modules[name].ORDER, name))
    return MappingProxyType({name: modules[name] for name in ordered})


@cache
def _by_finding() -> Mapping[str, Any]:
    modules = (*all_detectors().values(), card_findings)
    return MappingProxyType({name: module for module in modules for name in module.FINDINGS})


def detector_of(finding: str) -> Any:
    """Return the module that finds what has that name."""
    return _by_finding()[finding]


@cache
def remedies() -> Mapping[str, str]:
    """Return the names of all that can be found, in tables and in code, with their remedies."""
    return MappingProxyType({n: module.FINDINGS[n] for n, module in _by_finding().items()})
