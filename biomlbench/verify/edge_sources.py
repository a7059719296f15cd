"""What edge cases are made from: declared inputs, ``edges`` of `config.yaml`, or input spaces."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, NamedTuple

from biomlbench.verify import edge_values
from biomlbench.verify.declarations import is_nested, names_of_sizes, parts

if TYPE_CHECKING:
    from collections.abc import Callable

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.card import Card
    from biomlbench.verify.declarations import ArgumentSpec, EdgesSpec
    from biomlbench.verify.space import DrawnSpec

__all__ = ["Source", "not_made", "of_inputs", "of_spaces", "sources"]


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
    wide : dict
        Arguments as declared in ``inputs``, where ``edges`` narrows them without a build.
    """

    arguments: dict[str, ArgumentSpec]
    sizes: dict[str, list[int]]
    build: Callable[..., Arguments | None] | None
    left_out: tuple[str, ...]
    most: int
    strict: bool = True
    wide: dict[str, ArgumentSpec] = {}  # noqa: RUF012  # never changed

    @property
    def call_sizes(self) -> dict[str, list[int]]:
        """The sizes that a call has, without those that each item of a list has for itself."""
        specs = self.arguments.values()
        inner = {name for spec in specs for name in names_of_sizes(spec, inner=True)}
        inner -= {name for spec in specs for name in names_of_sizes(spec)}
        return {name: bounds for name, bounds in self.sizes.items() if name not in inner}


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
    own: EdgesSpec = card.config.get("edges", {}).get(function, {})
    declared = card.config.get("inputs", {}).get(function)
    if not declared:
        return []
    count = own.get("count", count)
    parameters = inspect.signature(card.reference[function]).parameters
    left_out = tuple(n for n in parameters if parameters[n].default is not inspect.Parameter.empty)
    replaced = own.get("arguments", {})
    arguments, sizes = _drawn(card, declared, own)
    build = card.build_of(own)
    if all(_can_be_made(spec, sizes) for spec in arguments.values()):
        wide = {} if "build" in own else _narrowed(declared, replaced, sizes)
        return [Source(arguments, sizes, build, left_out, count, wide=wide)]
    return of_spaces(card, function, count)


def _drawn(
    card: Card, declared: dict[str, ArgumentSpec], own: EdgesSpec
) -> tuple[dict[str, ArgumentSpec], dict[str, list[int]]]:
    """Return what edge cases are drawn from by ``inputs`` and ``edges``, and the sizes."""
    replaced = own.get("arguments", {})
    arguments = (replaced if "build" in own else {}) or {**declared, **replaced}
    return arguments, {**card.config.get("sizes", {}), **own.get("sizes", {})}


def not_made(card: Card, function: str) -> list[str]:
    """Return the arguments because of which ``edges`` of an entry point is not followed."""
    own: EdgesSpec | None = card.config.get("edges", {}).get(function)
    if not own or not {"build", "arguments"} & own.keys():
        return []
    arguments, sizes = _drawn(card, card.config["inputs"][function], own)
    return [name for name, spec in arguments.items() if not _can_be_made(spec, sizes)]


def _narrowed(
    declared: dict[str, ArgumentSpec],
    replaced: dict[str, ArgumentSpec],
    sizes: dict[str, list[int]],
) -> dict[str, ArgumentSpec]:
    """Return the declarations of arguments that are replaced by narrower bounds."""
    return {
        name: spec
        for name, spec in declared.items()
        if any(replaced.get(name, spec).get(end) != spec.get(end) for end in ("min", "max"))
        and _can_be_made(spec, sizes)
    }


def of_inputs(card: Card, function: str) -> list[Source]:
    """Return the arguments of an entry point as ``inputs`` declares them, if values can be made."""
    declared = card.config.get("inputs", {}).get(function, {})
    sizes = card.config.get("sizes", {})
    if not all(_can_be_made(spec, sizes) for spec in declared.values()):
        return []
    return [Source(declared, sizes, None, (), 1)]


def of_spaces(card: Card, function: str, count: int) -> list[Source]:
    """Return what the ordinary inputs of an entry point are drawn from: its input spaces."""
    spaces = [space for space in card.spaces if card.function_of(space) == function]
    found = []
    for space in spaces:
        arguments = {name: _of_space(spec) for name, spec in space["arguments"].items()}
        if all(arguments.values()):
            sizes = {name: list(bounds) for name, bounds in space.get("dims", {}).items()}
            build = card.build_of(space)
            found.append(Source(arguments, sizes, build, (), max(1, count // len(spaces)), False))
    return found


def _of_space(spec: DrawnSpec) -> ArgumentSpec:
    """Return an argument of a space in the words of declared inputs; empty where it has none."""
    if "value" in spec:
        return {"choice": [spec["value"]]}
    if "choice" in spec:
        return {"choice": spec["choice"]}
    if "string" in spec:
        return {"text": spec["string"], "length": spec.get("length", 1)}
    if "integer" in spec or "number" in spec:
        low, high = spec["integer"] if "integer" in spec else spec["number"]
        if isinstance(low, str) or isinstance(high, str):
            return {}
        return {"number": "int" if "integer" in spec else "float", "min": low, "max": high}
    whole = "int" in spec["array"]
    low, high = spec.get("min", 0 if whole else -1.0), spec.get("max", 9 if whole else 1.0)
    if spec.get("distinct") or isinstance(low, str) or isinstance(high, str):
        return {}
    kept: ArgumentSpec = {"min": low, "max": high}
    if "decimals" in spec:
        kept["decimals"] = spec["decimals"]
    shape = spec.get("shape", [])
    if spec.get("list") and len(shape) == 1:
        return {"list": "int" if whole else "float", "length": shape[0], **kept}
    return {"array": [spec["array"]], "shape": shape, **kept}


def _can_be_made(spec: ArgumentSpec, sizes: dict[str, list[int]]) -> bool:
    known = all(name in sizes for name in names_of_sizes(spec))
    if is_nested(spec):
        sized = "record" in spec or "length" in spec
        return known and sized and all(_can_be_made(part, sizes) for part in parts(spec).values())
    needs_length = any(kind in spec for kind in ("text", "list", "tuple"))
    kind = any(kind in spec for kind in edge_values.KINDS)
    return kind and known and ("length" in spec or not needs_length)
