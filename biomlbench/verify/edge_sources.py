"""What edge cases are made from: declared inputs, ``edges`` of `config.yaml`, or input spaces."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.verify import edge_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from biomlbench.verify.card import Card

__all__ = ["Source", "sources"]


class Source(NamedTuple):
    """What the values of one entry point's edge cases are made from.

    Parameters
    ----------
    arguments : dict
        Declared arguments by name.
    sizes : dict
        Least and largest of each named size.
    build : callable or None
        Makes inputs out of the values; None where they are not promised.
    left_out : tuple of str
        Arguments that may be left out.
    most : int
        Edge cases at most.
    strict : bool
        Whether a build that raises is a fault, not a word that the inputs are not promised.
    """

    arguments: dict[str, dict[str, Any]]
    sizes: dict[str, list[int]]
    build: Callable[..., dict[str, Any] | None] | None
    left_out: tuple[str, ...]
    most: int
    strict: bool = True


def sources(card: Card, function: str, count: int) -> list[Source]:
    """Return what the edge cases of an entry point are made from.

    Parameters
    ----------
    card : Card
    function : str
    count : int
        Edge cases that are wanted where the card does not say how many.

    Returns
    -------
    list of Source
        Empty where the card declares nothing that values can be made for.
    """
    own = card.config.get("edges", {}).get(function, {})
    declared = card.config.get("inputs", {}).get(function)
    if not declared:
        return []
    count = own.get("count", count)
    parameters = inspect.signature(card.reference[function]).parameters
    left_out = tuple(n for n in parameters if parameters[n].default is not inspect.Parameter.empty)
    arguments = own.get("arguments") if "build" in own else None
    arguments = arguments or {**declared, **own.get("arguments", {})}
    sizes = {**card.config.get("sizes", {}), **own.get("sizes", {})}
    build = card.library.own(own["build"]) if "build" in own else None
    if all(_can_be_made(spec, sizes) for spec in arguments.values()):
        return [Source(arguments, sizes, build, left_out, count)]
    return _of_spaces(card, function, count)


def _of_spaces(card: Card, function: str, count: int) -> list[Source]:
    """Make sources of the declared input spaces of an entry point."""
    spaces = [
        space
        for space in (card.verifier.generate if card.verifier else ())
        if space.get("function", card.entry_points[0]) == function
    ]
    found = []
    for space in spaces:
        arguments = {name: _of_space(spec) for name, spec in space["arguments"].items()}
        if all(arguments.values()):
            sizes = {name: list(bounds) for name, bounds in space.get("dims", {}).items()}
            build = card.library.own(space["build"]) if "build" in space else None
            found.append(Source(arguments, sizes, build, (), max(1, count // len(spaces)), False))
    return found


def _of_space(spec: dict[str, Any]) -> dict[str, Any]:
    """Return an argument of a space in the words of declared inputs; empty where it has none."""
    if "value" in spec:
        return {"choice": [spec["value"]]}
    if "choice" in spec:
        return {"choice": spec["choice"]}
    if "string" in spec:
        return {"text": spec["string"], "length": spec.get("length", 1)}
    for key, kind in (("integer", "int"), ("number", "float")):
        if key in spec:
            low, high = spec[key]
            fixed = not isinstance(low, str) and not isinstance(high, str)
            return {"number": kind, "min": low, "max": high} if fixed else {}
    if spec.get("distinct") or any(isinstance(spec.get(b), str) for b in ("min", "max")):
        return {}
    whole = "int" in spec["array"]
    low, high = (0, 9) if whole else (-1.0, 1.0)
    kept = {"min": spec.get("min", low), "max": spec.get("max", high)}
    if "decimals" in spec:
        kept["decimals"] = spec["decimals"]
    shape = spec.get("shape", [])
    if spec.get("list") and len(shape) == 1:
        return {"list": "int" if whole else "float", "length": shape[0], **kept}
    return {"array": [spec["array"]], "shape": shape, **kept}


def _can_be_made(spec: dict[str, Any], sizes: dict[str, Any]) -> bool:
    wanted = [*spec.get("shape", []), *([spec["length"]] if "length" in spec else [])]
    known = all(isinstance(n, int) or n in sizes or n == "..." for n in wanted)
    needs_length = any(kind in spec for kind in ("text", "list", "tuple"))
    kind = any(kind in spec for kind in edge_values.KINDS)
    return kind and known and ("length" in spec or not needs_length)
