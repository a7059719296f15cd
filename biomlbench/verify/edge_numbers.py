"""Numbers at the edges of what is declared, each by the name of a pattern.

They are at a bound or next to it, all equal, tied, sorted, of both signs, hardly apart or of all
magnitudes. Numbers of a small pool that all arguments of a call share make values of different
arguments coincide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.declarations import ArgumentSpec, Size

__all__ = [
    *("HUGE", "INEXACT", "LARGEST_STATED", "OUTLIERS", "RUNGS", "SMALLEST_STATED", "TINY", "VAST"),
    *("Drawing", "bounds_of", "holds", "is_whole", "numbers_of", "reaches", "takes_large"),
]

SMALLEST_STATED, LARGEST_STATED = 1e-100, 1e100
"""Magnitudes between which floats other than 0 lie, if a card declares no others."""
POOL = (0, 1, 2, 3, -1, 0.5, -2, 10)
INEXACT = (0.1, 1 / 3, 0.7)
"""Numbers that are rounded when they are stored: sums and means of equal ones are off."""
SMALLEST = 1e-3
"""Beside an open bound, in all patterns but `barely`: most numbers are ordinary."""
BARELY = (SMALLEST_STATED, 1e-40)
VAST = LARGEST_STATED
"""Far above an open bound, where no other is declared."""
TINY = (1e-9, 1e-15, SMALLEST_STATED)
"""Sizes of whole arguments that an absolute threshold mistakes for zero."""
HUGE = (1e12, LARGEST_STATED / 10)
"""Sizes of whole arguments without bounds that a round number for "infinite" falls short of."""
FLOAT32_HUGE = 1e30
DOUBLES = 2**53
"""Whole numbers from here on are not all doubles: as such, neighbours are equal."""
SCALE = 100.0
"""Size of ordinary numbers without a bound."""
LARGE = 1e6
"""Largest number where no bound is declared."""
RUNGS = (2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257)
"""Sizes and whole numbers at which code that counts in blocks, bits or bytes changes."""
SPECIAL_SHARE = 0.3
OUTLIERS = ("far-above", "far-below")
"""Numbers all but one of which are ordinary: what is scaled or shifted by it loses the others."""
FAR = 1e20
"""Magnitude of the one, if bounds allow it."""


@dataclass
class Drawing:
    """What the values of one call share.

    Parameters
    ----------
    rng : numpy.random.Generator
    dims : dict
        Sizes by name.
    pool : tuple of float
        Numbers from which ties are drawn.
    lead : tuple of int
        Sizes of undeclared leading axes.
    earlier : dict
        Values made so far.
    tiny, huge : float
        Size of tiny and of huge numbers.
    bounds : dict
        Least and largest of the sizes that items of a list have for themselves.
    """

    rng: np.random.Generator
    dims: dict[str, int]
    pool: tuple[float, ...] = ()
    lead: tuple[int, ...] = ()
    earlier: Arguments = field(default_factory=dict)
    tiny: float = 0.0
    huge: float = 0.0
    bounds: dict[str, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.pool:
            exact, inexact = self.rng.permutation(POOL)[:4], self.rng.choice(INEXACT)
            self.pool = (*exact.tolist(), float(inexact))
        self.tiny = self.tiny or float(self.rng.choice(TINY))
        self.huge = self.huge or float(self.rng.choice(HUGE))

    def size(self, size: Size) -> int:
        """Return a declared size as a number."""
        return self.dims[size] if isinstance(size, str) else int(size)


def is_whole(spec: ArgumentSpec, dtype: str) -> bool:
    """Whether the numbers of an argument, or of one of its dtypes, are whole."""
    return "int" in dtype or "int" in (spec.get("number"), spec.get("list"), spec.get("tuple"))


def bounds_of(spec: ArgumentSpec, dtype: str) -> tuple[float, float]:
    """Return the least and the largest number that edge cases have."""
    low = spec.get("min", spec["above"] + SMALLEST if "above" in spec else -math.inf)
    high = spec.get("max", math.inf)
    if is_whole(spec, dtype):
        info = np.iinfo(dtype if dtype not in ("int", "") else "int64")
        if "above" in spec:
            low = math.floor(spec["above"]) + 1
        if "array" in spec:
            return max(low, int(info.min)), min(high, int(info.max))
        return (
            min(-int(LARGE), high) if low == -math.inf else low,
            max(int(LARGE), low) if high == math.inf else high,
        )
    return max(low, -LARGE if low == -math.inf else low), LARGE if high == math.inf else high


def holds(spec: ArgumentSpec, number: float) -> bool:
    """Whether a number lies within the declared bounds of an argument."""
    return bool(
        spec.get("min", -math.inf) <= number <= spec.get("max", math.inf)
        and number > spec.get("above", -math.inf)
    )


def takes_large(spec: ArgumentSpec) -> bool:
    """Say whether whole numbers that are no doubles may be given."""
    whole = "int64" in spec.get("array", ()) or "int" in (spec.get("list"), spec.get("tuple"))
    return whole and reaches(spec, 2 * DOUBLES)


def reaches(spec: ArgumentSpec, number: float) -> bool:
    """Whether the declared bounds allow numbers as large as this one."""
    return bool(spec.get("max", math.inf) >= number)


def numbers_of(
    pattern: str, size: int, spec: ArgumentSpec, dtype: str, drawing: Drawing
) -> np.ndarray:
    """Return so many numbers within the bounds, after a pattern."""
    rng, whole = drawing.rng, is_whole(spec, dtype)
    low, high = bounds_of(spec, dtype)
    kind: Any = np.int64 if whole else float
    inner_low, inner_high = max(low, -SCALE), min(high, SCALE)
    if inner_low >= inner_high:
        inner_low, inner_high = low, high
    spread: Any = rng.uniform(inner_low, inner_high, size)
    if whole:
        spread = rng.integers(int(inner_low), int(inner_high), size, endpoint=True)
    pool = np.array(
        [n for n in drawing.pool if low <= n <= high and (not whole or n == int(n))]
        or [*spread[:2], inner_low],
        dtype=kind,
    )
    if pattern in ("tiny", "huge"):
        # one scale for all numbers of a call
        scale = drawing.tiny if pattern == "tiny" else drawing.huge
        if dtype == "float32":
            scale = min(scale, FLOAT32_HUGE)
        signs = rng.choice([-1.0, 1.0], size) if low < 0 else 1.0
        return np.asarray(np.maximum(scale * signs * rng.integers(1, 9, size), low))
    if pattern in ("barely", "vast"):
        return np.full(size, VAST if pattern == "vast" else spec["above"] + rng.choice(BARELY))
    if pattern == "size":
        near = rng.choice(list(drawing.dims.values()) or [1]) + rng.integers(-1, 2)
        return np.full(size, int(np.clip(near, low, high)))
    numbers: np.ndarray
    if pattern in OUTLIERS:
        ends = (min(spec.get("max", FAR), FAR), max(spec.get("min", -FAR), -FAR))
        far = ((high, low) if whole else ends)[OUTLIERS.index(pattern)]
        numbers = np.where(np.arange(size) == rng.integers(max(size, 1)), far, spread).astype(kind)
    else:
        numbers = _patterned(pattern, spread, pool, (low, high), rng)
    if not whole and low <= 0:
        # zeros of both signs are the same number
        numbers = np.where(numbers == 0, rng.choice([-0.0, 0.0], size), numbers)
    if pattern == "runs" and spec.get("nan") and size:
        # at the one place where a comparison of neighbours would tell
        numbers[size // 2] = math.nan
    if pattern in ("nan", "inf", "all-nan"):
        numbers = numbers.astype(float)
        if pattern == "inf" and spec.get("any_magnitude"):
            # the number that careless code puts in place of infinity
            most = np.finfo(dtype if "float" in dtype else "float64").max
            numbers = np.where(
                rng.random(size) < SPECIAL_SHARE, np.copysign(most, numbers), numbers
            )
        at = np.ones(size, bool) if pattern == "all-nan" else rng.random(size) < SPECIAL_SHARE
        signs = rng.choice([-1.0, 1.0], size)
        numbers[at] = math.nan if "nan" in pattern else (math.inf * signs)[at]
    if "decimals" in spec:
        numbers = np.round(numbers, spec["decimals"])
    return numbers.astype(float if pattern in ("nan", "inf", "all-nan") else kind)


def _patterned(
    pattern: str,
    spread: np.ndarray,
    pool: np.ndarray,
    bounds: tuple[float, float],
    rng: np.random.Generator,
) -> np.ndarray:
    size, (low, high), whole = len(spread), bounds, spread.dtype.kind == "i"
    ends: Any = np.array([low, high], dtype=spread.dtype)
    if pattern == "spread":
        return spread
    if pattern == "beyond-doubles":
        numbers = DOUBLES + rng.integers(0, 4, size)
        return np.asarray(numbers)
    if pattern in ("ascending", "descending"):
        return np.sort(spread)[:: 1 if pattern == "ascending" else -1]
    if pattern == "runs":  # sorted but for one place
        return np.roll(np.sort(spread), size // 2)
    if pattern == "zeros":
        return 0 * spread
    if pattern in ("low", "high"):
        return np.full(size, ends[int(pattern == "high")])
    if pattern == "ends":
        return np.asarray(ends[rng.integers(0, 2, size)])
    if pattern == "inside":
        if whole:
            return np.full(size, int(low) + 1 if rng.random() < 0.5 else int(high) - 1)
        return np.full(size, math.nextafter(high, low) if rng.random() < 0.5 else low)
    if pattern == "rung":
        fit = [n for n in RUNGS if low <= n <= high] or [int(low)]
        return np.full(size, int(rng.choice(fit)))
    if pattern == "inexact":
        number = rng.choice(INEXACT)
        return np.full(size, number if low <= number <= high else low + number * (high - low))
    if pattern in ("equal", "odd-one"):
        numbers = np.full(size, rng.choice(pool))
        if pattern == "odd-one" and size:
            numbers[rng.integers(size)] = spread[0]
        return numbers
    if pattern == "hardly-apart":
        base = np.clip(rng.choice(pool) or 1.0, low, high)
        step = np.spacing(abs(base)) * (1 if base + size * np.spacing(abs(base)) <= high else -1)
        return np.asarray(np.clip(base + rng.permutation(size) * step, low, high))
    if pattern == "decades":
        top = math.log10(max(abs(low), abs(high), SMALLEST_STATED))
        sign = rng.choice([-1.0, 1.0], size) if low < 0 else 1.0
        return np.asarray(np.clip(sign * 10 ** rng.uniform(min(-6, top), top, size), low, high))
    return np.asarray(rng.choice(pool, size))
