"""Rules for what a card's `config.yaml` declares: its form, and that what it names exists.

:mod:`biomlbench.verify.declarations` has the schema, :mod:`biomlbench.verify.promises` holds a
card's cases against what is declared.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from biomlbench.runtime.schema_words import in_words, unknown_keys
from biomlbench.verify._lines import read
from biomlbench.verify.config import VerifierError
from biomlbench.verify.declarations import INPUTS_SCHEMA, KINDS
from biomlbench.verify.library import LibraryError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from biomlbench.contracts.mappings import Config
    from biomlbench.verify.card import Card
    from biomlbench.verify.declarations import ArgumentSpec

__all__ = ["hold_form", "hold_functions"]

_PAGE = "docs/reference/problem-config.md"
_Place: TypeAlias = tuple[str | int, ...]
_Fault: TypeAlias = tuple[_Place, str]
_BELONGS = {"keys": "mapping", "distinct": "items", "further": "record", "absent": "record"}
"""Keys that tell something of one kind alone; the last one of what a record holds."""
_NUMERIC = "biufc"
"""Kinds of dtypes that an array may be declared to have."""


def hold_form(path: Path, config: Config, entry_points: tuple[str, ...]) -> None:
    """Hold the declarations of a card to their schema, and against one another.

    Parameters
    ----------
    path : Path
        The `config.yaml`.
    config : dict
    entry_points : tuple of str

    Raises
    ------
    VerifierError
        If a key or value is none that may be declared, or nothing would use it.
    """
    if not INPUTS_SCHEMA["properties"].keys() & config.keys():
        return
    # one after the other: each relies on the form that those before have seen to
    for place, message in chain(
        _of_schema(config), _of_values(config), _unused(config, entry_points)
    ):
        raise _error(path, place, f"{message}; {_PAGE} has the grammar")


def hold_functions(card: Card) -> None:
    """See that the functions that the declarations name are in `properties.py`.

    Raises
    ------
    VerifierError
        If one is not.
    """
    edges, quantities = card.config.get("edges", {}), card.config.get("quantities", {})
    named: dict[_Place, str] = {("quantities", name): name for name in quantities}
    for function, own in edges.items():
        if "build" in own:
            named["edges", function, "build"] = own["build"]
    for place, name in named.items():
        try:
            card.library.own(name)
        except LibraryError as error:
            raise _error(
                card.folder / "config.yaml", place, f"{error}; define it, or correct the name"
            ) from error


def _error(path: Path, place: _Place, message: str) -> VerifierError:
    where = ".".join(map(str, place))
    return VerifierError(path, read(path)[1].at(*place), "declarations", f"`{where}`: {message}")


def _of_schema(config: Config) -> Iterator[_Fault]:
    from jsonschema import Draft202012Validator

    errors = list(Draft202012Validator(INPUTS_SCHEMA).iter_errors(config))
    # of those of one argument the one that says what an argument is
    errors.sort(key=lambda error: (-len(error.absolute_path), error.validator != "oneOf"))
    for error in errors:
        yield tuple(error.absolute_path), _message(error)


def _message(error: Any) -> str:
    value = error.instance
    known = error.schema.get("properties", {})
    unknown = [key for key in value if key not in known] if isinstance(value, dict) else []
    if error.validator == "oneOf" and isinstance(value, dict):
        kinds = [kind for kind in KINDS if kind in value]
        if kinds:
            return f"an argument is of one kind, not of {' and '.join(kinds)}"
        of_kinds = f"an argument is of one of the kinds {', '.join(KINDS)}"
        return unknown_keys(unknown, list(known), of_kinds) if unknown else of_kinds
    if error.validator == "oneOf" and known:
        return f"an argument is declared as {{number: int, min: 0}} is, not by {value!r}"
    if error.validator == "oneOf":
        return f"{value!r} is neither a whole number nor the name of a size"
    return in_words(error)


def _of_values(config: Config) -> Iterator[_Fault]:
    """Yield what a schema cannot say."""
    for function, arguments in config.get("inputs", {}).items():
        for name, spec in arguments.items():
            yield from _of_argument(("inputs", function, name), spec)
    sizes: dict[_Place, dict[str, list[int]]] = {("sizes",): config.get("sizes", {})}
    for function, own in config.get("edges", {}).items():
        sizes["edges", function, "sizes"] = own.get("sizes", {})
        for name, spec in own.get("arguments", {}).items():
            yield from _of_argument(("edges", function, "arguments", name), spec)
    for place, bounds in sizes.items():
        for name, (low, high) in bounds.items():
            if low > high:
                yield (*place, name), f"the least size, {low}, is above the largest, {high}"


def _of_argument(place: _Place, spec: ArgumentSpec, of: str = "") -> Iterator[_Fault]:
    """Yield what is wrong about an argument, or about what a kind of another one is made of."""
    for key, kind in _BELONGS.items():
        if key in spec and kind not in (*spec, of):
            yield (*place, key), f"`{key}` is of `{kind}` alone"
    if "mapping" in spec and "keys" not in spec:
        yield place, "say what the `keys` of a `mapping` are, as {text: ACGT, length: 6} does"
    if not {"text", "choice", "number"} & set(spec.get("keys", {"text": ""})):
        yield (*place, "keys"), "a key is of the kinds text, choice or number"
    for kind, inside in (("items", ("items",)), ("mapping", ("mapping", "keys"))):
        for key in inside if kind in spec else ():
            yield from _of_argument((*place, key), spec[key])  # type: ignore[literal-required]
    for key, part in spec.get("record", {}).items():
        yield from _of_argument((*place, "record", key), part, "record")
    for dtype in spec.get("array", ()):
        if not _is_dtype(dtype):
            yield (
                (*place, "array"),
                f"there is no dtype {dtype!r}; write it as float64, int32, bool",
            )
    if "..." in spec.get("shape", [])[1:]:
        yield (*place, "shape"), "`...` may only stand before all other sizes"
    if "min" in spec and "max" in spec and spec["min"] > spec["max"]:
        yield (*place, "min"), f"the least number, {spec['min']}, is above the largest"


def _is_dtype(name: str) -> bool:
    try:
        dtype = np.dtype(name)
    except TypeError:
        return False
    # what a case has is told by this name
    return dtype.kind in _NUMERIC and dtype.name == name


def _unused(config: Config, entry_points: tuple[str, ...]) -> Iterator[_Fault]:
    """Yield what is declared and would be ignored."""
    inputs = config.get("inputs", {})
    known = f"the entry points {', '.join(entry_points)}"
    for function in config.get("edges", {}):
        if function not in entry_points:
            yield ("edges", function), f"`{function}` is none of {known}"
        if not inputs.get(function):
            told = f"no edge cases are made without `inputs` of `{function}`"
            yield ("edges", function), f"{told}: declare them, or take this out"
    for name, spec in config.get("quantities", {}).items():
        function = spec.get("function")
        if function is not None and function not in entry_points:
            yield ("quantities", name, "function"), f"`{function}` is none of {known}"
        if not (inputs.get(function) if function else inputs):
            whose = f"`{function}`" if function else "the entry points"
            told = f"no case is held against it without `inputs` of {whose}"
            yield ("quantities", name), f"{told}: declare them, or take this out"
