"""Tables of things by their names, of which no two may be the same."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeVar

from biomlbench.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["NameTakenError", "by_name", "source_file"]

T = TypeVar("T")


class NameTakenError(UserError, ValueError):
    """Two files define something of one name."""

    def __init__(self, name: str, one: str, other: str) -> None:
        files = f"{one} and {other}" if one != other else f"{one}, twice"
        super().__init__(
            f"the name {name!r} is defined in {files}; give one of them another name, or remove it"
        )


def by_name(named: Iterable[tuple[str, T]]) -> dict[str, T]:
    """Return modules, classes or instances by their names, in the order given.

    Parameters
    ----------
    named : iterable of (str, object)

    Raises
    ------
    NameTakenError
        If two have the same name; the message says in which files.
    """
    found: dict[str, T] = {}
    for name, thing in named:
        if name in found:
            raise NameTakenError(name, source_file(found[name]), source_file(thing))
        found[name] = thing
    return found


def source_file(thing: Any) -> str:
    """Return the file of a module, or of the module in which something is defined."""
    own = getattr(thing, "__file__", None)
    module = sys.modules.get(getattr(thing, "__module__", ""))
    return str(own or getattr(module, "__file__", None) or thing)
