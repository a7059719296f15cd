"""`shape_guard`: the output has the right type and shape. Never evidence of correctness."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.outcomes import Reason
from biomlbench.verify.cases import Finding
from biomlbench.verify.compare import kind_of
from biomlbench.verify.written import describe

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import JsonObject

MODE = "shape_guard"
SEMANTIC = False
ORACLE = False
DEFAULT_SUITE = "hidden"
DEFAULT_WEIGHT = 0.0
REASON = Reason.WRONG_SHAPE
REQUIRED: list[str] = []

_KINDS = ["array", "number", "integer", "bool", "text", "list", "dict", "none"]
OPTIONS: JsonObject = {
    "kind": {"enum": _KINDS, "description": "declared type; by default that of the oracle's"},
    "dtype": {"type": "string", "description": "declared dtype of an array, such as float64"},
    "dtypes": {
        "type": "object",
        "additionalProperties": {"type": "string"},
        "description": "declared dtypes of the arrays of a dict, by key",
    },
    "types": {
        "type": "boolean",
        "description": "at every depth: lists are no tuples, arrays neither, whole numbers are "
        "integers, and numbers, truth values, texts and None are where the oracle has them",
    },
    "lengths_free": {
        "type": "boolean",
        "description": "only the number of axes (or being a list) counts, not their lengths",
    },
    "finite": {"type": "boolean", "description": "every number must be finite"},
}


def resolve(check: Any, library: Any) -> None:
    """See that the declared dtypes exist."""
    declared = [*check.options.get("dtypes", {}).values()]
    if "dtype" in check.options:
        declared.append(check.options["dtype"])
    for name in declared:
        try:
            np.dtype(name)
        except TypeError:
            from biomlbench.verify.library import LibraryError

            raise LibraryError(f"there is no dtype {name!r}") from None


def claim(check: Any, library: Any) -> str:
    """Say what a failure means, without any value."""
    return "the result is not of the type and shape that the function must return"


def judge(check: Any, unit: Any, library: Any) -> Finding:
    """Compare type and shape with what is declared, or with the oracle's output."""
    options, got, want = check.options, unit.output, unit.expected
    kind = options.get("kind")
    if not (_is(got, kind) if kind else _like(got, want)):
        return Finding(False, f"a {describe(got)} is not what the function must return")
    if _has_complex(got) and not _has_complex(want):
        return Finding(False, "there are complex numbers where real ones must be returned")
    if options.get("types") and not _same_types(got, want):
        return Finding(False, "a value stands where another type does")
    if "dtype" in options and not _of_dtype(got, options["dtype"]):
        return Finding(False, f"expected dtype {options['dtype']}, got {describe(got)}")
    for key, dtype in options.get("dtypes", {}).items():
        if not isinstance(got, dict) or not _of_dtype(got.get(key), dtype):
            return Finding(False, f"`{key}` must be an array of dtype {dtype}")
    if not _fits(got, want, options.get("lengths_free", False)):
        return Finding(False, f"a {describe(got)} has the wrong shape or length")
    if options.get("finite") and not _finite(got):
        return Finding(False, "there are NaN or infinite numbers")
    return Finding(True)


def _has_complex(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_complex, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_has_complex, value))
    return bool(np.iscomplexobj(value))


def _same_types(got: Any, want: Any) -> bool:
    """Tell whether all types are where the oracle has them, at every depth."""
    sequences = (list, tuple, np.ndarray)
    if isinstance(got, sequences) and isinstance(want, sequences):
        if type(got) is not type(want):
            return False
        if isinstance(got, np.ndarray) and got.size:
            return kind_of(got) == kind_of(want)
    elif kind_of(got) != kind_of(want) or _has_axes(got) or _has_axes(want):
        return False
    if isinstance(got, dict) and isinstance(want, dict):
        return all(_same_types(got[key], want[key]) for key in got.keys() & want.keys())
    if isinstance(got, (list, tuple)) and isinstance(want, (list, tuple)):
        return all(map(_same_types, got, want))
    if type(want) is int and kind_of(got) == "number":
        return _whole(got)
    return True


def _has_axes(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim > 0


def _of_dtype(value: Any, dtype: str) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == np.dtype(dtype)


def _is(value: Any, kind: str) -> bool:
    if kind == "array":
        return isinstance(value, np.ndarray) and value.ndim > 0
    if kind == "integer":
        return kind_of(value) == "number" and np.ndim(value) == 0 and _whole(value)
    if kind == "number":
        return kind_of(value) == "number" and np.ndim(value) == 0 and not np.iscomplexobj(value)
    if kind == "list":
        return isinstance(value, (list, tuple))
    return kind_of(value) == kind and np.ndim(value) == 0


def _whole(value: Any) -> bool:
    # one that no word of the machine holds is an integer still
    return type(value) is int or np.asarray(value).dtype.kind in "iu"


def _like(got: Any, want: Any) -> bool:
    """Tell whether two values are of the same kind; numbers in a list are like an array."""
    if isinstance(want, (np.ndarray, list, tuple)) and isinstance(got, (np.ndarray, list, tuple)):
        return np.ndim(_safe(got)) > 0 or np.ndim(_safe(want)) == 0
    return kind_of(got) == kind_of(want)


def _safe(value: Any) -> Any:
    return value if isinstance(value, np.ndarray) else [0]


def _fits(got: Any, want: Any, lengths_free: bool) -> bool:
    if isinstance(want, dict):
        return isinstance(got, dict) and (lengths_free or got.keys() == want.keys())
    got_shape, want_shape = _shape(got), _shape(want)
    if lengths_free:
        return len(got_shape) == len(want_shape)
    return got_shape == want_shape


def _shape(value: Any) -> tuple[int, ...]:
    if isinstance(value, (list, tuple)):
        try:
            return np.shape(value)
        except ValueError:
            return (len(value),)
    return np.shape(value) if isinstance(value, np.ndarray) else ()


def _finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_finite(item) for item in value.values())
    if isinstance(value, (list, tuple)):
        return all(_finite(item) for item in value)
    array = np.asarray(value)
    return array.dtype.kind not in "fc" or bool(np.isfinite(array).all())
