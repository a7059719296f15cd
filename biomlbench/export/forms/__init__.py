"""The forms that results are exported in, a file each, found by looking into this folder.

A form's file begins with a docstring whose first line names it and says what it gives, and defines

``FORM`` : str
    Its name, that of the file with hyphens.
``write(tables, to, about) -> list of Path``
    Write the tables, by their names, into a folder that is there; the describing file last.
``report(reports, created_at) -> dict``
    Only where the form is the grading report of a published benchmark: that report.

All of them are imported for the choices of a command line, so that they import what does the work
within their functions. Files whose name starts with an underscore are no forms.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from biomlbench.by_name import by_name

if TYPE_CHECKING:
    from types import ModuleType

    from biomlbench.contracts.mappings import JsonObject

__all__ = ["About", "all_forms", "published_forms", "summary"]


@dataclass(frozen=True, slots=True)
class About:
    """What a description of the results says of them.

    Attributes
    ----------
    title : str
        Name of the data set.
    date : str
        Day of publication or of grading, ISO 8601; may be empty.
    licence : str
        Address of the results' licence.
    """

    title: str
    date: str
    licence: str


@cache
def all_forms() -> JsonObject:
    """Return every form's module by the form's name, in alphabetical order."""
    names = sorted(info.name for info in pkgutil.iter_modules(__path__))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names if name[0] != "_"]
    return by_name((module.FORM, module) for module in modules)


def published_forms() -> JsonObject:
    """Return the forms that are the grading report of a published benchmark."""
    return {name: form for name, form in all_forms().items() if hasattr(form, "report")}


def summary(form: ModuleType) -> str:
    """Return what a form gives, from its docstring.

    Examples
    --------
    >>> summary(all_forms()["csv"])
    'a file for each table; lists are JSON text'
    """
    first: str = (form.__doc__ or "").strip().splitlines()[0]
    return first.partition(": ")[2].rstrip(".")
