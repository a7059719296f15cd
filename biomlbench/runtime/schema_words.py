"""What a JSON schema refuses, in the words of those who write YAML, and what is allowed instead."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["KINDS", "in_words", "near_key", "quoted", "remedy", "unknown_keys"]

KINDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping of keys to values",
}
"""Types of a schema, in words."""
_SHOWN = 60
_PLAIN_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]*([eE][-+][0-9]+)?)?", re.ASCII)
_ALIKE = 0.7  # at the default, `dict` is like `distinct`
# Keys that are called otherwise elsewhere: a like spelling would not find them.
_ALSO_CALLED = (
    ("min", "minimum", "low", "lower", "least", "lo", "from"),
    ("max", "maximum", "high", "upper", "largest", "hi", "to"),
    ("array", "dtype", "dtypes", "type", "ndarray"),
    ("shape", "size", "sizes", "dims", "dim"),
    ("choice", "allowed", "choices", "enum", "values", "options"),
    ("text", "string", "str", "alphabet"),
    ("length", "len", "size"),
    ("number", "int", "float", "integer"),
)


def in_words(error: Any) -> str:
    """Return what a schema's error says, and what is allowed in place of the value.

    Parameters
    ----------
    error : jsonschema.ValidationError

    Returns
    -------
    str

    Examples
    --------
    >>> from jsonschema import Draft202012Validator
    >>> schema = {"properties": {"array": {"type": "array"}}, "additionalProperties": False}
    >>> for error in Draft202012Validator(schema).iter_errors({"array": "float64"}):
    ...     print(in_words(error))
    'float64' is not a list; write `array: [float64]`
    >>> for error in Draft202012Validator(schema).iter_errors({"dtype": 3}):
    ...     print(in_words(error))
    there is no key `dtype`; did you mean `array`? there are array
    """
    value, rule, path = error.instance, error.validator, tuple(error.absolute_path)
    if rule == "additionalProperties" and isinstance(value, dict):
        known = list(error.schema.get("properties", {}))
        return unknown_keys([key for key in value if key not in known], known)
    if rule == "type":
        kinds = [error.validator_value] if isinstance(error.validator_value, str) else []
        kinds = kinds or list(error.validator_value)
        return f"{quoted(value)} is not {_either(kinds)}{remedy(value, path, kinds[0])}"
    if rule in ("oneOf", "anyOf"):
        kinds = [one["type"] for one in error.validator_value if "type" in one]
        if len(kinds) == len(error.validator_value):
            return f"{quoted(value)} is not {_either(kinds)}"
    if rule == "enum":
        return _none_of(value, error.validator_value, path)
    if rule == "required" and isinstance(value, dict):
        lost = [f"`{name}`" for name in error.validator_value if name not in value]
        more = list(error.schema.get("properties", {}))
        return f"{' and '.join(lost)} is missing" + (f"; there are {', '.join(more)}" * bool(more))
    least, most = (error.schema.get(key) for key in ("minItems", "maxItems"))
    if rule in ("minItems", "maxItems") and least == most:
        return f"{quoted(value)} is not a list of {least}"
    return str(error.message)[:300]


def unknown_keys(unknown: Sequence[Any], known: Sequence[str], allowed: str = "") -> str:
    """Say which keys there are not, which may have been meant, and what is allowed.

    Parameters
    ----------
    unknown : sequence
    known : sequence of str
    allowed : str
        By default, that these keys are.
    """
    told = f"there is no key {' or '.join(f'`{key}`' for key in unknown)}; "
    meant = dict.fromkeys(near for key in unknown if (near := near_key(str(key), known)))
    if meant:
        told += f"did you mean {' and '.join(f'`{key}`' for key in meant)}? "
    return told + (allowed or f"there are {', '.join(known)}")


def near_key(key: str, known: Collection[str]) -> str:
    """Return the known key that an unknown one may mean; empty for none.

    Examples
    --------
    >>> near_key("low", ["min", "max"]), near_key("shpae", ["shape"]), near_key("x", ["min"])
    ('min', 'shape', '')
    """
    groups = (names for names in _ALSO_CALLED if key.lower() in names)
    if also := [name for names in groups for name in names if name in known]:
        return also[0]
    near = difflib.get_close_matches(key.lower(), known, 1, _ALIKE)
    return near[0] if near else ""


def remedy(value: Any, path: Sequence[str | int], kind: Any) -> str:
    """Show how a value would have to be written, where that can be told."""
    name = next((part for part in reversed(path) if isinstance(part, str)), "")
    if kind == "array" and isinstance(value, (str, int, float)):
        return f"; write `{name}: [{value}]`"
    if kind == "string" and not isinstance(value, (list, dict)):
        return f'; put it in quotes: "{value}"'
    if kind in ("integer", "number") and isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            return ""
        if _PLAIN_NUMBER.fullmatch(value):
            return f"; write it without quotes: {value}"
        # what a reader of YAML 1.1, as Snakemake's, takes for text even without quotes
        return f"; write it as {_in_yaml(number)}, without quotes"
    if kind == "boolean" and str(value).lower() in ("yes", "no", "1", "0", "on", "off"):
        return f"; write {'true' if str(value).lower() in ('yes', '1', 'on') else 'false'}"
    return ""


def _in_yaml(number: float) -> str:
    """Write a number as every version of YAML reads it.

    Examples
    --------
    >>> _in_yaml(1e-9), _in_yaml(1e22), _in_yaml(float("-inf"))
    ('1.0e-09', '1.0e+22', '-.inf')
    """
    text = repr(number)
    if text[-1] in "fn":
        return text.replace("inf", ".inf").replace("nan", ".nan")
    digits, mark, power = text.partition("e")
    return f"{digits}{'.0' if mark and '.' not in digits else ''}{mark}{power}"


def quoted(value: Any) -> str:
    """Return a value as messages show it, cut where it is long."""
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _none_of(value: Any, allowed: Sequence[Any], path: Sequence[str | int]) -> str:
    words = [str(one) for one in allowed]
    if isinstance(value, list) and len(value) == 1 and value[0] in allowed:
        name = next((part for part in reversed(path) if isinstance(part, str)), "")
        return f"{quoted(value)} is a list; write `{name}: {value[0]}`"
    near = difflib.get_close_matches(str(value), words, 1)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"{quoted(value)} is not allowed; {hint}use one of {', '.join(words)}"


def _either(kinds: Sequence[str]) -> str:
    return " or ".join(KINDS.get(kind, kind) for kind in kinds)
