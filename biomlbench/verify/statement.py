"""The statement of a card: the section that is written from its declarations, and its check."""

from __future__ import annotations

import copy
import math
import re
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.errors import TaskError
from biomlbench.outcomes import Suite
from biomlbench.plain_text import plain
from biomlbench.task.task_files import description_file
from biomlbench.verify.alternates import IN_ONE_MEMORY, LAYOUTS
from biomlbench.verify.declarations import KINDS, leaves, may_be_float, parts
from biomlbench.verify.edge_numbers import LARGEST_STATED, SMALLEST_STATED
from biomlbench.verify.shared_memory import can_share
from biomlbench.verify.statement_section import TITLE, in_parts
from biomlbench.verify.statement_sentences import (
    ALLOWED,
    AND_OF,
    ARRAYS,
    AXES,
    BESIDE,
    BUT,
    DICTS,
    FINITE,
    FREE,
    LIMITS,
    MAGNITUDES,
    NO_STATE,
    NUMBERS,
    OURS,
    PRODUCT,
    ROUNDING,
    SCALARS,
    SIZE,
    SIZES,
    SPECIAL,
    TIME,
    UNCHANGED,
    WHOLE,
    WORDS,
)
from biomlbench.whole_files import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from biomlbench.verify.card import Card
    from biomlbench.verify.declarations import ArgumentSpec

__all__ = [
    "conventions",
    "magnitudes",
    "problems_of_own_text",
    "problems_of_statement",
    "statement_path",
    "write_conventions",
]

LEAST_STATED = 100
"""Whole numbers of the statement from here on must be declared."""
_SPECIAL_NAMES = {"nan": "NaN", "inf": "infinite"}
"""What a declaration calls floats that are no finite numbers, and a statement."""
_STATED = re.compile(r"(?<![\w.^*-])(\d{1,3}(?:,\d{3})+|\d{3,})(?![\w.]*\d|\*\*)")


def conventions(card: Card) -> str:
    """Return the section of a card's statement that is written from its declarations.

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
        SIZE.format(name=name, low=low, high=high)
        for name, (low, high) in config.get("sizes", {}).items()
    ]
    if sizes:
        product = config.get("product")
        most = PRODUCT.format(product=product) if product else ""
        lines.append(SIZES.format(sizes=", ".join(sizes), product=most))
    if "array" in kinds:
        ways = [LAYOUTS[name] for name in card.layouts]
        if "strided" in card.layouts and any(map(can_share, given)):
            ways.append(IN_ONE_MEMORY)
        lines.append(ARRAYS.format(ways=", ".join(ways)))
    if "number" in kinds:
        lines.append(NUMBERS)
    if any(spec.get("number") == "int" and _is_unbounded(spec) for _, spec in _leaves(given)):
        lines.append(WORDS)
    floats = [(name, spec) for name, spec in _leaves(given) if may_be_float(spec)]
    if floats:
        lines.append(_finite(floats))
    lines += magnitudes(floats)
    returned = _returned(card)
    if {FLOAT, INT} & returned:
        # `types` of `exact_match` tells a number from an array without axes
        strict = any(
            c.decides and c.mode == "exact_match" and c.options.get("types") for c in card.checks
        )
        whole = WHOLE if FLOAT in returned else ""
        lines.append(SCALARS.format(axes="" if strict else AXES, whole=whole))
    if dict in returned:
        lines.append(DICTS)
    lines += [
        UNCHANGED,
        NO_STATE,
        *([_rounding(card)] if floats or {FLOAT, FLOATS} & returned else []),
        TIME,
    ]
    return f"{TITLE}\n\n" + "\n".join(_wrapped(line) for line in lines) + "\n"


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
        more = BESIDE.format(names=names) if free else ""
        yield MAGNITUDES.format(limit=limit, free=more)
    elif free:
        yield FREE.format(names=names)


def _finite(floats: list[tuple[str, ArgumentSpec]]) -> str:
    """Say of which arguments floats may be NaN or infinite."""
    flags: dict[str, set[str]] = {}
    for name, spec in floats:
        flags.setdefault(name, set()).update(flag for flag in _SPECIAL_NAMES if spec.get(flag))
    by_what: dict[str, list[str]] = {}
    for name, found in flags.items():
        if what := " or ".join(said for flag, said in _SPECIAL_NAMES.items() if flag in found):
            by_what.setdefault(what, []).append(f"`{name}`")
    special = [
        SPECIAL.format(names=" and ".join(names), what=what) for what, names in by_what.items()
    ]
    return FINITE.format(but=BUT.format(special=AND_OF.join(special)) if special else "")


def _least(spec: ArgumentSpec) -> float:
    """Return the least magnitude beside 0 that the bounds allow."""
    return max(spec.get("min", 0), spec.get("above", 0), -spec.get("max", 0), 0)


def _largest(spec: ArgumentSpec) -> float:
    """Return the largest magnitude that the bounds allow."""
    low = max(spec.get("min", -math.inf), spec.get("above", -math.inf))
    return max(-low, spec.get("max", math.inf))


FLOAT, INT, FLOATS = "float", "int", "array of floats"


def _is_unbounded(spec: ArgumentSpec) -> bool:
    return "max" not in spec or not {"min", "above"} & spec.keys()


def _returned(card: Card) -> set[Any]:
    """Return what the reference's results for visible and hidden cases are made of.

    :data:`FLOAT` and :data:`INT` stand outside of arrays, :data:`FLOATS` in one. Where the
    reference raises, floats may be anywhere.
    """
    found: set[Any] = set()
    for case in (*card.cases[Suite.VISIBLE], *card.cases[Suite.HIDDEN]):
        args, kwargs = copy.deepcopy((case.args, case.kwargs))
        try:
            result = card.reference[case.function](*args, **kwargs)
        except Exception:
            found.add(FLOATS)
            continue
        found |= set(_made_of(result))
    return found


def _made_of(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield dict
        value = [*value.keys(), *value.values()]
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _made_of(item)
    elif isinstance(value, np.ndarray) and value.ndim:
        yield from [FLOATS] if value.dtype.kind not in "biuSU" else []
    elif isinstance(value, (float, complex, np.inexact)):
        yield FLOAT
    elif isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        yield INT


def _rounding(card: Card) -> str:
    """Say how far a float may be off: what every check that compares with the oracle allows."""
    checks = [c for c in card.checks if c.decides and any(c.options.get(n) for n in LIMITS)]
    # of results as they are returned, where any check looks at them so
    checks = [c for c in checks if not c.options.get("canonical")] or checks
    limits = {
        name: min((float(check.options.get(name, 0)) for check in checks), default=0.0)
        for name in LIMITS
    }
    said = [text.format(limit=limits[name]) for name, text in LIMITS.items() if limits[name]]
    return ROUNDING.format(allowed=ALLOWED.format(limits=" or ".join(said)) if said else "")


def write_conventions(card: Card) -> None:
    """Put the section in place of an older one, or at the end of a card's statement.

    What the author wrote before and after it stays as it is; hold the statement against
    :func:`problems_of_own_text` before.

    Parameters
    ----------
    card : Card
    """
    path = statement_path(card)
    try:
        found = in_parts(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise TaskError(f"{path}: is no UTF-8 text; save it as UTF-8 first") from error
    text = f"{found.before.rstrip()}\n\n{conventions(card)}{found.after}"
    with whole_file(path.resolve()) as temporary:
        temporary.write_text(text, encoding="utf-8")


def statement_path(card: Card) -> Path:
    """Return where a card's statement is."""
    return description_file(card.folder, card.config)


def _text(card: Card) -> str:
    path = statement_path(card)
    return path.read_text("utf-8", errors="replace") if path.is_file() else ""


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
    if conventions(card) not in _text(card):
        yield "the statement does not hold the section that `biomlbench statement` writes"
    yield from problems_of_own_text(card)


def problems_of_own_text(card: Card) -> Iterator[str]:
    """Compare with a card's declarations what its author wrote of the statement.

    Parameters
    ----------
    card : Card

    Yields
    ------
    str
        What is missing, is said and not declared, or stands where the section is to be written.
    """
    declared = card.config.get("inputs", {})
    found = in_parts(_text(card))
    for line, text in found.foreign(OURS):
        yield (
            f"line {line} of the statement, `{plain(text)}`, stands in the section "
            f"`{TITLE}` and is not of `biomlbench statement`, which would replace it: move it "
            "before the section or below a heading of its own, or delete it"
        )
    body = f"{found.before}\n{found.after}"
    table = "\n".join(line for line in body.splitlines() if line.startswith("|"))
    for arguments in declared.values():
        for name, spec in arguments.items():
            if f"`{name}`" not in table:
                yield (
                    f"the statement's table has no row for `{name}`: add a line such as "
                    f"| `{name}` | what it is |"
                )
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
