"""Values of one declared argument that lie at its edges, each by the name of a pattern.

Numbers are at a bound or next to it, all equal, tied, sorted, of both signs, hardly apart or of
all magnitudes; text is of one letter, of all letters, periodic or equal to another text. Numbers
of a small pool that all arguments of a call share make values of different arguments coincide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["AFTER", "KINDS", "UNFIT_TEXT", "Drawing", "holds", "make", "names", "of_dtype"]

KINDS = ("array", "number", "list", "tuple", "text", "choice")
"""Kinds of declared arguments that values can be made for."""
UNFIT_TEXT = "text of any characters without a length is a file format, which only a build knows"
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
_ANY = ("ACGT", "aAbB", "AB-* ", "\t\n\x00 A", "é\U0001f9ecAß\u0301")
_MANY = ("ties", "spread", "ascending", "descending", "equal", "odd-one", "low", "high", "ends")
_ONE = ("ties", "spread", "low", "high", "inside")
_FRACTIONS = ("decades", "inexact", "tiny", "huge", "hardly-apart", "nan", "inf", "all-nan")
AFTER = ("same", "turned", "shuffled")
"""An earlier argument: again, backwards, or with the elements of each row in another order."""
NEAR = "near"
"""An earlier argument but for less than comparisons with a usual tolerance see."""
NEAR_BY = 3e-6
_FLAGS = ("mixed", "none-set", "all-set", "first-set", "last-set", "all-but-one")
_LETTERS = (
    "mixed",
    "one-letter",
    "odd-letter",
    "all-letters",
    "periodic",
    "two-letters",
    "swapped-case",
)


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
    """

    rng: np.random.Generator
    dims: dict[str, int]
    pool: tuple[float, ...] = ()
    lead: tuple[int, ...] = ()
    earlier: dict[str, Any] = field(default_factory=dict)
    tiny: float = 0.0
    huge: float = 0.0

    def __post_init__(self) -> None:
        if not self.pool:
            exact, inexact = self.rng.permutation(POOL)[:4], self.rng.choice(INEXACT)
            self.pool = (*exact.tolist(), float(inexact))
        self.tiny = self.tiny or float(self.rng.choice(TINY))
        self.huge = self.huge or float(self.rng.choice(HUGE))

    def size(self, size: Any) -> int:
        """Return a declared size as a number."""
        return self.dims[size] if isinstance(size, str) else int(size)


def names(spec: dict[str, Any], left_out: bool = False) -> list[str]:
    """Return the patterns of one declared argument.

    Parameters
    ----------
    spec : dict
        As declared in ``inputs``.
    left_out : bool
        Whether the argument may be left out.
    """
    found = [*(["left-out"] if left_out else []), *(["none"] if spec.get("optional") else [])]
    if "choice" in spec:
        return [*found, *(f"choice-{i}" for i in range(len(spec["choice"])))]
    if "text" in spec:
        one = "length" in spec and spec["length"] == 1
        if not spec["text"]:
            found += [f"any-{i}" for i in range(len(_ANY))]
        return [*found, *(("mixed",) if one else (*_LETTERS, "same", "turned"))]
    dtypes = spec.get("array", ())
    if "bool" in dtypes:
        return [*found, *_FLAGS, *(AFTER if spec.get("shape") else ())]
    whole = all(_is_whole(spec, dtype) for dtype in dtypes or ("",))
    found += list(_ONE if "number" in spec else _MANY)
    found += ["zeros"] if holds(spec, 0) else []
    found += (["rung", "size"] if "number" in spec else []) if whole else ["decades", "inexact"]
    if not whole and not {"above", "decimals"} & set(spec) and holds(spec, TINY[0]):
        found += ["tiny"] + (["huge"] if _reaches(spec, 10 * HUGE[-1]) else [])
    if "above" in spec and not whole and "decimals" not in spec:
        found += ["barely"] if "max" in spec else ["barely", "vast"]
    if "number" not in spec:
        found += [] if whole else ["hardly-apart"]
        found += ["beyond-doubles"] if _takes_large(spec) else []
        found += AFTER if whole else (*AFTER, NEAR)
        found += [flag for flag in ("nan", "inf") if spec.get(flag)]
        found += ["all-nan"] if spec.get("nan") else []
    return found


def make(pattern: str, spec: dict[str, Any], drawing: Drawing) -> Any:
    """Make the value of one argument.

    Parameters
    ----------
    pattern : str
        Of :func:`names`; `left-out` is for the caller.
    spec : dict
        As declared in ``inputs``; ``decimals`` rounds.
    drawing : Drawing

    Returns
    -------
    object
    """
    if pattern == "none":
        return None
    if "choice" in spec:
        return spec["choice"][int(pattern.removeprefix("choice-"))]
    if "text" in spec:
        return _text(pattern, spec, drawing)
    if "number" in spec:
        number = _numbers(pattern, 1, spec, spec["number"], drawing)[0]
        return int(number) if spec["number"] == "int" else float(number)
    for kind, of in (("list", list), ("tuple", tuple)):
        if kind in spec:
            size = drawing.size(spec["length"])
            numbers = _numbers(pattern, size, spec, spec[kind], drawing)
            return of(numbers.astype(np.int64 if spec[kind] == "int" else float).tolist())
    return _array(pattern, spec, drawing)


def of_dtype(spec: dict[str, Any], dtype: str, pattern: str) -> dict[str, Any]:
    """Return a declared array of one dtype; of floats where a pattern is none of whole numbers."""
    if not dtype:
        return spec
    floats = [name for name in spec["array"] if "float" in name]
    if pattern in _FRACTIONS and floats and dtype not in floats:
        dtype = floats[0]
    return {**spec, "array": [dtype]}


def _array(pattern: str, spec: dict[str, Any], drawing: Drawing) -> np.ndarray:
    declared = spec.get("shape", [])
    lead = drawing.lead if declared[:1] == ["..."] else ()
    shape = (*lead, *(drawing.size(item) for item in declared if item != "..."))
    dtype = spec["array"][int(drawing.rng.integers(len(spec["array"])))]
    if pattern in (*AFTER, NEAR):
        for other in drawing.earlier.values():
            if isinstance(other, np.ndarray) and _alike(other, shape, dtype):
                numbers = _after(pattern, np.resize(other, shape), drawing.rng)
                low, high = _bounds(spec, dtype) if pattern == NEAR else (None, None)
                return numbers if low is None else np.clip(numbers, low, high).astype(dtype)
        pattern = "mixed" if dtype == "bool" else "ties"
    size = math.prod(shape)
    flat = (
        _flags(pattern, size, drawing.rng)
        if dtype == "bool"
        else _numbers(pattern, size, spec, dtype, drawing)
    )
    return np.asarray(flat).astype(dtype).reshape(shape)


def _alike(other: np.ndarray, shape: tuple[int, ...], dtype: str) -> bool:
    """Whether an array can be taken for one of that shape; of rows there may be more or fewer."""
    rows = other.ndim == len(shape) and len(shape) > 1 and other.shape[1:] == shape[1:]
    return other.dtype == dtype and (other.shape == shape or (rows and other.size > 0))


def _after(pattern: str, other: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    if pattern == NEAR:
        return np.asarray(other * (1 + NEAR_BY * rng.uniform(-1, 1, other.shape)))
    if pattern == "shuffled":
        return np.asarray(rng.permuted(other, axis=-1)) if other.ndim else other
    return other[::-1].copy() if pattern == "turned" else other


def _flags(pattern: str, size: int, rng: np.random.Generator) -> np.ndarray:
    place = np.arange(size)
    flags: dict[str, np.ndarray] = {
        "none-set": place < 0,
        "all-set": place >= 0,
        "first-set": place == 0,
        "last-set": place == size - 1,
        "all-but-one": place != size // 2,
        "mixed": rng.random(size) < 0.5,
    }
    return flags[pattern]


def _is_whole(spec: dict[str, Any], dtype: str) -> bool:
    return "int" in dtype or "int" in (spec.get("number"), spec.get("list"), spec.get("tuple"))


def _bounds(spec: dict[str, Any], dtype: str) -> tuple[float, float]:
    low = spec.get("min", spec["above"] + SMALLEST if "above" in spec else -math.inf)
    high = spec.get("max", math.inf)
    if _is_whole(spec, dtype):
        info = np.iinfo(dtype if dtype not in ("int", "") else "int64")
        if "above" in spec:
            low = math.floor(spec["above"]) + 1
        if "array" in spec:
            return max(low, int(info.min)), min(high, int(info.max))
        return max(low, -int(LARGE)), min(high, max(int(LARGE), low))
    return max(low, -LARGE if low == -math.inf else low), LARGE if high == math.inf else high


def holds(spec: dict[str, Any], number: float) -> bool:
    """Whether a number lies within the declared bounds of an argument."""
    return bool(
        spec.get("min", -math.inf) <= number <= spec.get("max", math.inf)
        and number > spec.get("above", -math.inf)
    )


def _takes_large(spec: dict[str, Any]) -> bool:
    """Say whether whole numbers that are no doubles may be given."""
    whole = "int64" in spec.get("array", ()) or "int" in (spec.get("list"), spec.get("tuple"))
    return whole and _reaches(spec, 2 * DOUBLES)


def _reaches(spec: dict[str, Any], number: float) -> bool:
    return bool(spec.get("max", math.inf) >= number)


def _numbers(
    pattern: str, size: int, spec: dict[str, Any], dtype: str, drawing: Drawing
) -> np.ndarray:
    """Return so many numbers within the bounds."""
    rng, whole = drawing.rng, _is_whole(spec, dtype)
    low, high = _bounds(spec, dtype)
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
    numbers = _patterned(pattern, spread, pool, (low, high), rng)
    if not whole and low <= 0:
        # zeros of both signs are the same number
        numbers = np.where(numbers == 0, rng.choice([-0.0, 0.0], size), numbers)
    if pattern in ("nan", "inf", "all-nan"):
        numbers = numbers.astype(float)
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


def _text(pattern: str, spec: dict[str, Any], drawing: Drawing) -> str:
    rng, size = drawing.rng, drawing.size(spec["length"])
    alphabet = spec["text"] or _ANY[0]
    if pattern.startswith("any-"):
        alphabet = _ANY[int(pattern.removeprefix("any-"))]
    if pattern in ("same", "turned"):
        texts = [text for text in drawing.earlier.values() if isinstance(text, str) and text]
        if texts and set(texts[0]) <= set(alphabet):
            base = texts[0] if pattern == "same" else texts[0][::-1]
            return (base * (size // len(base) + 1))[:size]
    letters: Sequence[str] = list(alphabet)
    if pattern == "odd-letter" and size:
        # long stretches that are equal, and not all of the text
        odd, usual = (str(letter) for letter in rng.choice(letters, 2))
        place = int(rng.integers(size))
        return usual * place + odd + usual * (size - place - 1)
    if pattern == "one-letter":
        letters = [str(rng.choice(letters))]
    elif pattern == "two-letters":
        letters = [str(letter) for letter in rng.permutation(letters)[:2]]
    if pattern in ("all-letters", "periodic"):
        base = "".join(rng.permutation(letters))[: None if pattern == "all-letters" else 3]
        return (base * (size // len(base) + 1))[:size]
    text = "".join(letters[i] for i in rng.integers(0, len(letters), size))
    if pattern == "swapped-case":
        half = text[: (size + 1) // 2]
        text = (half + half.swapcase())[:size]
        return text if set(text) <= set(alphabet) else half + half[: size - len(half)]
    return text
