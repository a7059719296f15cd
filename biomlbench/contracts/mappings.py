"""Open mappings: those whose keys are not ours to declare, under a name that says whose they are.

A row or a message whose keys we do know is a typed dict, such as those of
:mod:`biomlbench.contracts.rows`, or a dataclass.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

__all__ = ["AnyRow", "Arguments", "Config", "JsonObject", "TypedRow"]

Arguments: TypeAlias = dict[str, Any]
"""Keyword arguments of a function, or values by the name that its author gave them: of a
candidate's, of a metric's, of a class to be made."""

JsonObject: TypeAlias = dict[str, Any]
"""An object of a JSON document whose form others declare, or that is written and never read here:
Croissant, RO-Crate, OpenAPI, JSON schema, logs of other harnesses, output for a user's program."""

Config: TypeAlias = dict[str, Any]
"""A section of a YAML file that a user wrote; its keys are declared, and checked, by a JSON schema,
or are those of the plug-in that it is for."""

AnyRow: TypeAlias = dict[str, Any]
"""A row of a table of which only the run knows the columns: of a user's file, or of any of our
tables, where the code is the same for all."""

TypedRow: TypeAlias = Mapping[str, object]
"""A row that its writer has typed, on its way to what checks it against its table's schema."""
