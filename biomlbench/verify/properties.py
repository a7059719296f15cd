# ruff: noqa: D401 - a docstring is the claim that a failed check is reported with
"""Ready invariants: plain functions of (inputs, output) that a check names.

A property returns a :class:`~biomlbench.verify.cases.Finding`, or None or True where all is
well, or False or a sentence where it is not. Its keyword options come from `verifier.yaml`.
A property in a card's own `properties.py` is used the same way. Options that name an input
(`mask`, `of`) are names of arguments of the entry point; `key` picks a part out of a dict,
list or tuple that the candidate returned.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.verify.cases import Finding, within
from biomlbench.verify.every_number import every_number

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import Arguments

__all__ = [
    "bounded",
    "conserves_sum",
    "finite",
    "idempotent",
    "integer_valued",
    "masked_entries_zero",
    "monotone",
    "orthogonal",
    "permutation_of_input",
    "positive_semidefinite",
    "probability_simplex",
    "row_stochastic",
    "same_shape_as",
    "sorted_values",
    "symmetric",
]

TOLERANCE = 1e-9
"""Default tolerance of an invariant: far above rounding in double precision, far below use."""


def _part(output: Any, key: Any) -> Any:
    return output if key is None else output[key]


def _numbers(output: Any, key: Any = None) -> np.ndarray:
    return _real(np.asarray(_part(output, key))).astype(float)


def _real(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind not in "biuf":
        raise TypeError("not an array of real numbers")
    return array


def _worst(deviation: np.ndarray, limit: float, message: str) -> Finding:
    if deviation.size == 0:
        return Finding(True, "", 1.0)
    return within(float(np.max(np.where(np.isnan(deviation), np.inf, deviation))), limit, message)


def finite(
    inputs: Arguments,
    output: Any,
    *,
    allow_nan: bool = False,
    allow_infinity: bool = False,
    others: bool = False,
    key: Any = None,
) -> Finding:
    """Every number is finite, as far as the check allows no others.

    Numbers of dicts and lists count at any depth. What is no number, None among it, is refused
    unless `others` may stand beside them.
    """
    x = every_number(_part(output, key), others)
    bad = np.zeros(x.shape, bool)
    if not allow_nan:
        bad |= np.isnan(x)
    if not allow_infinity:
        bad |= np.isinf(x)
    count = int(np.count_nonzero(bad))
    return Finding(not count, f"{count} of the numbers are NaN or infinite" if count else "")


def bounded(
    inputs: Arguments,
    output: Any,
    *,
    low: float = -np.inf,
    high: float = np.inf,
    tolerance: float = TOLERANCE,
    allow_nan: bool = False,
    key: Any = None,
) -> Finding:
    """Every number lies in [low, high]; NaN does not unless `allow_nan`."""
    x = _real(every_number(_part(output, key)))
    if allow_nan:
        x = x[~np.isnan(x)]
    # infinity minus infinity is computed, and then not used
    with np.errstate(invalid="ignore"):
        below = np.where(x < low, low - x, np.where(np.isnan(x), np.inf, 0.0))
        above = np.where(x > high, x - high, 0.0)
    return _worst(np.maximum(below, above), tolerance, f"a number is outside [{low:g}, {high:g}]")


def row_stochastic(
    inputs: Arguments, output: Any, *, axis: int = -1, tolerance: float = TOLERANCE, key: Any = None
) -> Finding:
    """No number is negative and every line along `axis` sums to 1."""
    x = _numbers(output, key)
    off = np.abs(x.sum(axis=axis) - 1)
    negative = np.maximum(-x, 0)
    if np.isnan(x).any() or (x < -tolerance).any():
        return Finding(False, "there are negative or NaN weights", min(0.0, 1 - _max(negative)))
    return _worst(np.atleast_1d(off), tolerance, f"sums along axis {axis} are not 1")


def _max(x: np.ndarray) -> float:
    return float(np.nanmax(x)) if x.size and not np.isnan(x).all() else 0.0


def probability_simplex(
    inputs: Arguments, output: Any, *, tolerance: float = TOLERANCE, key: Any = None
) -> Finding:
    """A vector (or every row of a matrix) is a probability distribution."""
    return row_stochastic(inputs, output, axis=-1, tolerance=tolerance, key=key)


def masked_entries_zero(
    inputs: Arguments,
    output: Any,
    *,
    mask: str,
    masked_where: bool = False,
    tolerance: float = 0.0,
    skip_fully_masked: bool = False,
    key: Any = None,
) -> Finding:
    """Entries whose mask equals `masked_where` are zero.

    The mask broadcasts against the output. With `skip_fully_masked`, rows without any
    unmasked entry are left out.
    """
    x = _numbers(output, key)
    hidden = np.broadcast_to(np.asarray(inputs[mask], bool) == masked_where, x.shape)
    if skip_fully_masked:
        hidden = hidden & ~hidden.all(axis=-1, keepdims=True)
    return _worst(np.abs(x[hidden]), tolerance, "a masked entry is not zero")


def monotone(
    inputs: Arguments,
    output: Any,
    *,
    increasing: bool = True,
    strict: bool = False,
    axis: int = -1,
    tolerance: float = 0.0,
    key: Any = None,
) -> Finding:
    """Numbers never decrease (or, with `increasing: false`, never increase) along `axis`."""
    x = _numbers(output, key)
    step = np.diff(x, axis=axis) * (1 if increasing else -1)
    if strict and (step <= 0).any():
        return Finding(False, "numbers repeat or turn back")
    return _worst(
        np.where(step < 0, -step, np.where(np.isnan(step), np.inf, 0.0)),
        tolerance,
        "numbers turn back",
    )


def sorted_values(
    inputs: Arguments, output: Any, *, descending: bool = False, key: Any = None
) -> Finding:
    """The list is sorted; strings are allowed."""
    items = list(_part(output, key))
    ok = all((b <= a) if descending else (a <= b) for a, b in pairwise(items))
    return Finding(ok, "" if ok else "the values are not sorted")


def symmetric(
    inputs: Arguments, output: Any, *, tolerance: float = TOLERANCE, key: Any = None
) -> Finding:
    """A square matrix equals its transpose."""
    x = _numbers(output, key)
    if x.ndim != 2 or x.shape[0] != x.shape[1]:
        return Finding(False, "not a square matrix")
    return _worst(np.abs(x - x.T), tolerance, "the matrix is not symmetric")


def positive_semidefinite(
    inputs: Arguments, output: Any, *, tolerance: float = 1e-8, key: Any = None
) -> Finding:
    """A symmetric matrix has no eigenvalue below -tolerance times the largest."""
    x = _numbers(output, key)
    if x.ndim != 2 or x.shape[0] != x.shape[1] or not np.isfinite(x).all():
        return Finding(False, "not a finite square matrix")
    if x.size == 0:
        return Finding(True, "", 1.0)
    values = np.linalg.eigvalsh((x + x.T) / 2)
    scale = max(float(np.abs(values).max()), np.finfo(float).tiny)
    return within(max(-float(values[0]) / scale, 0.0), tolerance, "an eigenvalue is negative")


def orthogonal(
    inputs: Arguments,
    output: Any,
    *,
    rows: bool = False,
    proper: bool = False,
    tolerance: float = 1e-8,
    key: Any = None,
) -> Finding:
    """Columns (or `rows`) are orthonormal; `proper` asks for determinant +1 as well."""
    x = _numbers(output, key)
    if x.ndim != 2:
        return Finding(False, "not a matrix")
    q = x.T if rows else x
    gram = q.T @ q
    found = _worst(np.abs(gram - np.eye(len(gram))), tolerance, "the vectors are not orthonormal")
    if found.ok and proper and np.linalg.det(x) < 0:
        return Finding(False, "it is a reflection, not a rotation")
    return found


def permutation_of_input(inputs: Arguments, output: Any, *, of: str, key: Any = None) -> Finding:
    """The values are those of the input `of`, each as often, in any order."""
    got = np.sort(_numbers(output, key), axis=None)
    want = np.sort(np.asarray(inputs[of], float), axis=None)
    ok = got.shape == want.shape and np.array_equal(got, want, equal_nan=True)
    return Finding(ok, "" if ok else f"the values are not those of `{of}`")


def integer_valued(inputs: Arguments, output: Any, *, key: Any = None) -> Finding:
    """Every number is a whole number."""
    x = _real(every_number(_part(output, key)))
    ok = bool(np.isfinite(x).all() and (x == np.round(x)).all())
    return Finding(ok, "" if ok else "a number is not whole")


def conserves_sum(
    inputs: Arguments,
    output: Any,
    *,
    of: str | None = None,
    total: float | None = None,
    axis: int | None = None,
    rtol: float = TOLERANCE,
    key: Any = None,
) -> Finding:
    """The sum (along `axis`) equals that of the input `of`, or `total`."""
    x = _numbers(output, key)
    if (of is None) == (total is None):
        raise ValueError("give either `of` or `total`")
    want: Any = np.asarray(inputs[of], float).sum(axis=axis) if of is not None else total
    got = x.sum(axis=axis)
    scale = np.maximum(np.abs(want), 1.0)
    return _worst(np.atleast_1d(np.abs(got - want) / scale), rtol, "the sum is not conserved")


def same_shape_as(inputs: Arguments, output: Any, *, of: str, key: Any = None) -> Finding:
    """The output has the shape of the input `of`."""
    try:
        ok = np.shape(_part(output, key)) == np.shape(inputs[of])
    except ValueError:  # a ragged list has none
        ok = False
    return Finding(ok, "" if ok else f"the shape is not that of `{of}`")


def idempotent(
    inputs: Arguments, output: Any, *, tolerance: float = TOLERANCE, key: Any = None
) -> Finding:
    """A matrix is a projection: applied twice it does what it does once.

    For a function that must be idempotent, f(f(x)) = f(x), use the metamorphic transform
    ``feed_back`` with the relation ``unchanged``.
    """
    x = _numbers(output, key)
    if x.ndim != 2 or x.shape[0] != x.shape[1]:
        return Finding(False, "not a square matrix")
    return _worst(np.abs(x @ x - x), tolerance, "applying it twice is not applying it once")
