# ruff: noqa: D401 - a docstring is the claim that a failed check is reported with
"""Ready relations between the output of a base case and those of its transformed variants.

A relation has the signature ``f(base, variants, info, **options) -> Finding``, where `base`
and each of `variants` are :class:`~biomlbench.verify.cases.Observed`, and `info` is what the
transform left behind. A relation in a card's own `properties.py` is used the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.verify.cases import Finding, Observed, within
from biomlbench.verify.compare import Tolerance, difference

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import Arguments

__all__ = [
    "agree",
    "complement",
    "concatenated",
    "duplicated",
    "masked_not_increased",
    "negated",
    "not_decreased",
    "not_increased",
    "permuted",
    "prefix_unchanged",
    "scaled",
    "shifted",
    "transposed",
    "unchanged",
]

_ATOL, _RTOL = 1e-9, 1e-7


def _same(got: Any, want: Any, atol: float, rtol: float, message: str) -> Finding:
    found = difference(got, want, Tolerance(atol=atol, rtol=rtol))
    return Finding(found.kind == "none", "" if found.kind == "none" else message, found.margin)


def _pick(output: Any, key: Any) -> Any:
    return output if key is None else output[key]


def _array(output: Any, key: Any = None) -> np.ndarray:
    array = np.asarray(_pick(output, key))
    if array.dtype.kind not in "biuf":
        raise TypeError("not an array of real numbers")
    return array


def unchanged(
    base: Observed,
    variants: list[Observed],
    info: Arguments,
    *,
    atol: float = _ATOL,
    rtol: float = _RTOL,
    key: Any = None,
) -> Finding:
    """The output stays what it was."""
    return _same(
        _pick(variants[0].output, key),
        _pick(base.output, key),
        atol,
        rtol,
        "the output changed, and must not",
    )


def agree(
    base: Observed,
    variants: list[Observed],
    info: Arguments,
    *,
    atol: float = _ATOL,
    rtol: float = _RTOL,
    key: Any = None,
) -> Finding:
    """All variants give the same output; the base's own is not looked at."""
    first = _pick(variants[0].output, key)
    worst = Finding(True, "", 1.0)
    for variant in variants[1:]:
        found = _same(_pick(variant.output, key), first, atol, rtol, "the outputs disagree")
        if not found.ok or (found.margin or 0) < (worst.margin or 0):
            worst = found
    return worst


def permuted(
    base: Observed,
    variants: list[Observed],
    info: Arguments,
    *,
    axis: int = 0,
    axes: list[int] | None = None,
    atol: float = _ATOL,
    rtol: float = _RTOL,
    key: Any = None,
) -> Finding:
    """The output is permuted as the inputs were, along `axis` or along each of `axes`."""
    want = _pick(base.output, key)
    order = info["permutation"]
    if not isinstance(want, np.ndarray):
        want = [want[i] for i in order]
    else:
        for one in axes if axes is not None else [axis]:
            want = np.take(want, order, axis=one)
    return _same(
        _pick(variants[0].output, key),
        want,
        atol,
        rtol,
        "the output is not permuted as the inputs are",
    )


def concatenated(
    base: Observed,
    variants: list[Observed],
    info: Arguments,
    *,
    axis: int = 0,
    atol: float = _ATOL,
    rtol: float = _RTOL,
    key: Any = None,
) -> Finding:
    """The outputs of the parts, put together, are the output of the whole."""
    parts = [_pick(variant.output, key) for variant in variants]
    if all(isinstance(part, list) for part in parts):
        got: Any = [item for part in parts for item in part]
    else:
        got = np.concatenate([np.asarray(part) for part in parts], axis=axis)
    return _same(got, _pick(base.output, key), atol, rtol, "the parts do not make up the whole")


def prefix_unchanged(
    base: Observed,
    variants: list[Observed],
    info: Arguments,
    *,
    axes: list[int] | None = None,
    padding: float | None = None,
    atol: float = _ATOL,
    rtol: float = _RTOL,
    key: Any = None,
) -> Finding:
    """What came before the padding stays; with `padding`, the rest equals that number."""
    got, want = _array(variants[0].output, key), _array(base.output, key)
    place: list[Any] = [slice(None)] * got.ndim
    for axis in [0] if axes is None else axes:
        place[axis] = slice(0, info["length"])
    found = _same(got[tuple(place)], want, atol, rtol, "padding changed what was there before")
    if not found.ok or padding is None:
        return found
    rest = np.ones(got.shape, bool)
    rest[tuple(place)] = False
    off = np.abs(got[rest] - padding)
    return found if not off.size else within(off.max(), max(atol, 1e-300), "padding is not neutral")


def duplicated(
    base: Observed,
    variants: list[Observed],
    info: Arguments,
    *,
    axis: int = 0,
    atol: float = _ATOL,
    rtol: float = _RTOL,
    key: Any = None,
) -> Finding:
    """The output is repeated as the inputs were."""
    want = _array(base.output, key)
    want = np.concatenate([want] * info["times"], axis=axis)
    return _same(_pick(variants[0].output, key), want, atol, rtol, "the output is not repeated")


def scaled(
    base: Observed,
    variants: list[Observed],
    info: Arguments,
    *,
    power: float = 1.0,
    atol: float = _ATOL,
    rtol: float = _RTOL,
    key: Any = None,
) -> Finding:
    """The output is multiplied by the inputs' factor to the given power."""
    want = _array(base.output, key) * float(info["factor"]) ** power
    return _same(_pick(variants[0].output, key), want, atol, rtol, "the output scales wrongly")


def shifted(
    base: Observed,
    variants: list[Observed],
    info: Arguments,
    *,
    by: float,
    atol: float = _ATOL,
    rtol: float = _RTOL,
    key: Any = None,
) -> Finding:
    """The output is shifted by a number."""
    want = _array(base.output, key) + by
    return _same(_pick(variants[0].output, key), want, atol, rtol, "the output shifts wrongly")


def negated(
    base: Observed,
    variants: list[Observed],
    info: Arguments,
    *,
    atol: float = _ATOL,
    rtol: float = _RTOL,
    key: Any = None,
) -> Finding:
    """The output changes its sign."""
    want = -_array(base.output, key)
    return _same(_pick(variants[0].output, key), want, atol, rtol, "the sign does not change")


def complement(
    base: Observed,
    variants: list[Observed],
    info: Arguments,
    *,
    total: float = 1.0,
    atol: float = _ATOL,
    rtol: float = _RTOL,
    key: Any = None,
) -> Finding:
    """The output and the base's own add up to `total`."""
    want = total - _array(base.output, key)
    return _same(_pick(variants[0].output, key), want, atol, rtol, "they do not add up")


def transposed(
    base: Observed,
    variants: list[Observed],
    info: Arguments,
    *,
    atol: float = _ATOL,
    rtol: float = _RTOL,
    key: Any = None,
) -> Finding:
    """The output is transposed."""
    want = _array(base.output, key).T
    return _same(_pick(variants[0].output, key), want, atol, rtol, "the output is not transposed")


def not_increased(
    base: Observed,
    variants: list[Observed],
    info: Arguments,
    *,
    tolerance: float = 1e-12,
    key: Any = None,
) -> Finding:
    """No number of the output grows."""
    return _no_growth(variants[0].output, base.output, tolerance, key, "the output grew")


def not_decreased(
    base: Observed,
    variants: list[Observed],
    info: Arguments,
    *,
    tolerance: float = 1e-12,
    key: Any = None,
) -> Finding:
    """No number of the output shrinks."""
    return _no_growth(base.output, variants[0].output, tolerance, key, "the output shrank")


def _no_growth(large: Any, small: Any, tolerance: float, key: Any, message: str) -> Finding:
    a, b = _array(large, key), _array(small, key)
    if a.shape != b.shape:
        return Finding(False, "the shape changed")
    growth = np.where(np.isnan(a - b), np.inf, np.maximum(a.astype(float) - b, 0))
    return within(growth.max(initial=0.0), tolerance, message)


def masked_not_increased(
    base: Observed,
    variants: list[Observed],
    info: Arguments,
    *,
    tolerance: float = 1e-12,
    key: Any = None,
) -> Finding:
    """What has become masked did not grow, and what stayed unmasked did not shrink.

    Meant for weights that share a fixed sum, after the transform ``stronger_mask``.
    """
    before, after = _array(base.output, key), _array(variants[0].output, key)
    if before.shape != after.shape:
        return Finding(False, "the shape changed")
    newly = np.broadcast_to(info["newly_masked"], before.shape)
    growth = np.where(newly, after - before, before - after)
    growth = np.where(np.isnan(growth), np.inf, np.maximum(growth, 0))
    return within(
        growth.max(initial=0.0), tolerance, "masking more gave a masked entry more weight"
    )
