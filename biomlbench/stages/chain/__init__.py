"""The stages of a pair, a file each, found by looking into this folder.

A stage's file defines ``STAGE``, its `Stage` (see `biomlbench.stages.specification`). It is
imported where the workflow is planned, and by every other stage's jobs, so that it imports what
does the work within its functions. A file whose name starts with an underscore is no stage.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

from biomlbench.contracts import declare

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biomlbench.stages.specification import Dependencies, Stage

__all__ = ["FINAL", "all_stages", "before", "dependencies", "get_stage", "in_order", "module_of"]

FINAL = "medal"
"""The stage whose row is the pair's final record, which the tables over all pairs are made of."""
_OF_TASKS = "prepare"


@cache
def all_stages() -> dict[str, Stage]:
    """Return every stage of a pair by its name, in the order in which they run."""
    names = [info.name for info in pkgutil.iter_modules(__path__) if info.name[0] != "_"]
    found: dict[str, Stage] = {
        name: importlib.import_module(f"{__name__}.{name}").STAGE for name in names
    }
    for name, stage in found.items():
        declare(name, stage.table)
    return {name: found[name] for name in in_order({n: s.reads for n, s in found.items()})}


def in_order(reads: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return stages in the order in which they run: each after all that it reads.

    Where that leaves a choice, the one that more stages build on comes first, then the final
    record: a further stage that nothing reads comes last, and adding it reruns no other.

    Parameters
    ----------
    reads : mapping of str to tuple of str
        By stage, the stages that it reads.

    Raises
    ------
    ValueError
        If a stage reads one that there is not, or two read each other.

    Examples
    --------
    >>> in_order({"medal": ("grade",), "extra": ("grade",), "grade": ()})
    ['grade', 'medal', 'extra']
    """
    readers: dict[str, set[str]] = {name: set() for name in reads}

    def note(name: str, reader: str) -> None:
        if name not in reads or name == reader:
            raise ValueError(f"stage {reader!r} cannot read {name!r}; there are: {sorted(reads)}")
        if reader not in readers[name]:
            readers[name].add(reader)
            for earlier in reads[name]:
                note(earlier, reader)

    for name, earlier in reads.items():
        for stage in earlier:
            note(stage, name)
    return sorted(reads, key=lambda name: (-len(readers[name]), name != FINAL, name))


def get_stage(name: str) -> Stage:
    """Return a stage of a pair.

    Raises
    ------
    ValueError
        If there is none of that name.
    """
    try:
        return all_stages()[name]
    except KeyError:
        known = ", ".join(all_stages())
        raise ValueError(f"there is no stage {name!r}; there are: {known}") from None


def before(name: str) -> str | None:
    """Return the stage before another; None for the first."""
    names = list(all_stages())
    place = names.index(name)
    return names[place - 1] if place else None


def dependencies(name: str) -> Dependencies:
    """Return what a stage depends on: one of a pair, or ``prepare``, that of a task."""
    if name == _OF_TASKS:
        # Not by a statement: a stage's code hash follows those, and no stage calls `prepare`.
        found: Dependencies = importlib.import_module(module_of(name)).DEPENDENCIES
        return found
    return get_stage(name)


def module_of(name: str) -> str:
    """Return the module of a stage of a pair, or of ``prepare``."""
    package = "biomlbench.stages" if name == _OF_TASKS else __name__
    return f"{package}.{name}"
