"""The statement of a card: the section that is written from its declarations, and its check."""

from __future__ import annotations

import copy
import math
import re
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.outcomes import Suite
from biomlbench.task.task_files import description_file
from biomlbench.verify.alternates import IN_ONE_MEMORY, LAYOUTS
from biomlbench.verify.declarations import KINDS, leaves, may_be_float, parts
from biomlbench.verify.edge_numbers import LARGEST_STATED, SMALLEST_STATED
from biomlbench.verify.shared_memory import can_share

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from biomlbench.verify.card import Card
    from biomlbench.verify.declarations import ArgumentSpec

__all__ = [
    "conventions",
    "magnitudes",
    "problems_of_statement",
    "statement_path",
    "write_conventions",
]

LEAST_STATED = 100
"""Whole numbers of the statement from here on must be declared."""
_STATED = re.compile(r"(?<![\w.^*-])(\d{1,3}(?:,\d{3})+|\d{3,})(?![\w.]*\d|\*\*)")

_TITLE = "## For all calls"
_NO_STATE = (
    "A result depends on the arguments of its own call alone: not on earlier calls, nor on what "
    "their callers did to their results; and it stays what it is when the function is called again."
)
_TIME = (
    "A call is ended after ten times the time of the reference, plain code in Python and NumPy, "
    "but never before 4 seconds have passed."
)
_ROUNDING = (
    "Floats need not be right to the last digit: where no tolerance is given, what any sound order "
    "of the operations in double precision gives is right"
)
_LIMITS = {
    "atol": "{:g}",
    "rtol": "{:g} of itself",
    "scale_rtol": "{:g} of the largest of its array",
    "ulp": "{:g} units in its last place",
}
"""How the limits of `numeric_tolerance` are called."""


def conventions(card: Card) -> str:
    """Return the section that ends a card's statement, written from its declarations.

    Parameters
    ----------
    card : Card

    Returns
    -------
    str
    """
    config = card.config
    given = config.get("inputs", {}).values()
    kinds = {next(kind for kind in KINDS if kind in spec) for _, spec in _leaves(given)}
    lines = []
    sizes = [
        f"{name} is {low:,} to {high:,}" for name, (low, high) in config.get("sizes", {}).items()
    ]
    if sizes:
        product = config.get("product")
        most = f"; the product of a call's sizes is at most {product:,}" if product else ""
        lines.append(f"Sizes: {', '.join(sizes)}{most}.")
    if "array" in kinds:
        ways = [LAYOUTS[name] for name in card.layouts]
        if "strided" in card.layouts and any(map(can_share, given)):
            ways.append(IN_ONE_MEMORY)
        layouts = ", ".join(ways)
        lines.append(
            "Arrays are NumPy arrays of the given dtypes, never lists in their place. They may "
            f"lie in memory in any of these ways, which must not change the result: {layouts}."
        )
    if "number" in kinds:
        lines.append("Single numbers are Python's own, never 0-d arrays.")
    floats = [(name, spec) for name, spec in _leaves(given) if may_be_float(spec)]
    lines += magnitudes(floats)
    lines += [
        "Arguments must not be changed in place, nor by what a caller does to a result.",
        _NO_STATE,
        *([_rounding(card)] if floats or _returns_floats(card) else []),
        _TIME,
    ]
    return f"{_TITLE}\n\n" + "\n".join(_wrapped(line) for line in lines) + "\n"


def magnitudes(floats: list[tuple[str, ArgumentSpec]]) -> Iterator[str]:
    """Say how small and how large floats may be, as far as their bounds do not.

    Parameters
    ----------
    floats : list of (str, dict)
        Names and declarations of arguments.

    Yields
    ------
    str
    """
    free = {f"`{name}`": None for name, spec in floats if spec.get("any_magnitude")}
    others = [spec for _, spec in floats if not spec.get("any_magnitude")]
    are_small = any(_least(spec) < SMALLEST_STATED for spec in others)
    are_large = any(_largest(spec) > LARGEST_STATED for spec in others)
    limits = {
        (True, True): f"from {SMALLEST_STATED:g} to {LARGEST_STATED:g}",
        (True, False): f"at least {SMALLEST_STATED:g}",
        (False, True): f"at most {LARGEST_STATED:g}",
    }
    names = " and ".join(free)
    if limit := limits.get((are_small, are_large)):
        more = f"; {names} may be of any" if free else ""
        yield f"Floats other than 0, NaN and infinity are {limit} in magnitude{more}."
    elif free:
        yield f"Floats of {names} may be of any magnitude."


def _least(spec: ArgumentSpec) -> float:
    """Return the least magnitude beside 0 that the bounds allow."""
    return max(spec.get("min", 0), spec.get("above", 0), -spec.get("max", 0), 0)


def _largest(spec: ArgumentSpec) -> float:
    """Return the largest magnitude that the bounds allow."""
    low = max(spec.get("min", -math.inf), spec.get("above", -math.inf))
    return max(-low, spec.get("max", math.inf))


def _returns_floats(card: Card) -> bool:
    """Whether the reference gives a float for a visible or hidden case, or raises."""
    for case in (*card.cases[Suite.VISIBLE], *card.cases[Suite.HIDDEN]):
        args, kwargs = copy.deepcopy((case.args, case.kwargs))
        try:
            result = card.reference[case.function](*args, **kwargs)
        except Exception:
            return True
        if _holds_float(result):
            return True
    return False


def _holds_float(value: Any) -> bool:
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, (list, tuple)):
        return any(map(_holds_float, value))
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype.kind not in "biuSU"
    return isinstance(value, (float, complex))


def _rounding(card: Card) -> str:
    """Say how far a float may be off: what every check that compares with the oracle allows."""
    checks = [c for c in card.checks if c.decides and any(c.options.get(n) for n in _LIMITS)]
    # of results as they are returned, where any check looks at them so
    checks = [c for c in checks if not c.options.get("canonical")] or checks
    limits = {
        name: min((float(check.options.get(name, 0)) for check in checks), default=0.0)
        for name in _LIMITS
    }
    said = [text.format(limits[name]) for name, text in _LIMITS.items() if limits[name]]
    return f"{_ROUNDING}{', and so is what is off by at most ' if said else ''}{' or '.join(said)}."


def write_conventions(card: Card) -> None:
    """Put the section at the end of a card's statement, in place of an older one."""
    path = statement_path(card)
    text = path.read_text(encoding="utf-8").split(_TITLE)[0].rstrip()
    path.write_text(f"{text}\n\n{conventions(card)}", encoding="utf-8")


def statement_path(card: Card) -> Path:
    """Return where a card's statement is."""
    return description_file(card.folder, card.config)


def _wrapped(line: str) -> str:
    return textwrap.fill(line, 98, initial_indent="- ", subsequent_indent="  ")


_RETURNED = re.compile(
    r"^(?:Returns|\*\*`\w+`\*\* returns) (?:an? )?`?(float64|int64|bool)\b", re.M
)


def problems_of_statement(card: Card) -> Iterator[str]:
    """Compare a card's statement with its declarations.

    Parameters
    ----------
    card : Card

    Yields
    ------
    str
        What is missing, or is said and not declared.
    """
    declared = card.config["inputs"]
    path = statement_path(card)
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if conventions(card) not in text:
        yield "the statement does not end with the section that `biomlbench statement` writes"
    body = text.split(_TITLE)[0]
    table = "\n".join(line for line in body.splitlines() if line.startswith("|"))
    for arguments in declared.values():
        for name, spec in arguments.items():
            if f"`{name}`" not in table:
                yield f"the statement's table has no row for `{name}`"
            for place, part in leaves(name, spec):
                for dtype in part.get("array", ()):
                    if dtype not in body:
                        yield f"the statement does not say that `{place}` may be {dtype}"
            for key in _keys(spec):
                if key not in body:
                    yield f"the statement does not say what `{name}` holds under `{key}`"
    checked = {str(check.options.get("dtype")) for check in card.checks}
    checked |= {d for check in card.checks for d in check.options.get("dtypes", {}).values()}
    for dtype in sorted({*_RETURNED.findall(body)} - checked):
        yield f"the statement says that {dtype} is returned, which no shape_guard asks for"
    known = set(_numbers(declared)) | set(_numbers(card.config.get("sizes", {})))
    known |= set(_numbers(card.config.get("quantities", {}))) | set(card.config.get("stated", ()))
    known.add(card.config.get("product", 0))
    prose = re.sub(r"```.*?```", "", body, flags=re.DOTALL)
    prose = re.sub(r"\b(?:float|int|uint)\d+\b|\((?:[^()]*\b(?:18|19|20)\d\d[^()]*)\)", "", prose)
    for match in _STATED.finditer(prose):
        number = int(match[1].replace(",", ""))
        if number >= LEAST_STATED and number not in known and -number not in known:
            yield (
                f"the statement speaks of {match[1]}, which no declaration carries; declare the "
                "bound, or list the number under `stated` of config.yaml if it bounds no input"
            )


def _leaves(
    given: Iterable[dict[str, ArgumentSpec]],
) -> Iterator[tuple[str, ArgumentSpec]]:
    """Yield what the arguments of all entry points are made of in the end."""
    for arguments in given:
        for name, spec in arguments.items():
            yield from leaves(name, spec)


def _keys(spec: ArgumentSpec) -> Iterator[str]:
    """Yield the keys of all records that an argument holds."""
    yield from spec.get("record", ())
    for part in parts(spec).values():
        yield from _keys(part)


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _numbers(item)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value
