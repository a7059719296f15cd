"""Values of one declared argument that lie at its edges, each by the name of a pattern.

Numbers are those of :mod:`biomlbench.verify.edge_numbers`; text is of one letter, of all letters,
periodic or equal to another text; arrays and texts are made of earlier ones of the same call.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.verify.edge_numbers import (
    HUGE,
    TINY,
    Drawing,
    bounds_of,
    holds,
    is_whole,
    numbers_of,
    reaches,
    takes_large,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biomlbench.verify.declarations import ArgumentSpec

__all__ = [
    *("AFTER", "KINDS", "MANY_LETTERS", "NEAR", "SHIFTED", "TAILS", "USUAL"),
    *("make", "names", "of_dtype", "structures"),
]

KINDS = ("array", "number", "list", "tuple", "text", "choice")
"""Kinds of declared arguments that values can be made for."""
_ANY = ("ACGT", "aAbB", "AB-* ", "\t\n\x00 A", "é\U0001f9ecAß\u0301")
MANY_LETTERS = "many-letters"
"""More letters than a byte has numbers for them."""
_MANY_OF_THEM = "".join(map(chr, range(0x4E00, 0x4E00 + 700)))
_MANY = (
    "ties",
    "spread",
    "ascending",
    "descending",
    "runs",
    "equal",
    "odd-one",
    "low",
    "high",
    "ends",
)
_ONE = ("ties", "spread", "low", "high", "inside")
_FRACTIONS = ("decades", "inexact", "tiny", "huge", "hardly-apart", "nan", "inf", "all-nan")
AFTER = ("same", "turned", "shuffled")
"""An earlier argument: again, backwards, or with the elements of each row in another order."""
SHIFTED = "shifted"
EARLIER_TEXT = ("same", "turned", SHIFTED)
"""An earlier text: again, backwards, or with the letter in its middle further on."""
TAILS = "tails"
"""Rows that are told apart by their last numbers alone."""
NEAR = "near"
"""An earlier argument but for less than comparisons with a usual tolerance see."""
NEAR_BY = 3e-6
LAST = 2
"""So many numbers at the end of a row."""
_EMPTIED = ("last-row-empty", "first-row-empty", "lower-but-one")
_STRUCTURES = (
    *_EMPTIED,
    "last-column-empty",
    "lower",
    "lower-mirrored",
    "lower-rotated",
    "upper",
    "band",
    "blocks",
)
"""Matrices of which only a part is set: what code is tempted to tell by a few places."""
_FLAGS = ("mixed", "none-set", "all-set", "first-set", "last-set", "all-but-one")
USUAL = "usual-letters"
"""The first few of an alphabet: nucleotides, without codes for several of them."""
FIRST = 4
_LETTERS = (
    "mixed",
    "one-letter",
    "odd-letter",
    "all-letters",
    "periodic",
    "two-letters",
    USUAL,
    "swapped-case",
)


def names(spec: ArgumentSpec, left_out: bool = False) -> list[str]:
    """Return the patterns of one declared argument.

    Parameters
    ----------
    spec : ArgumentSpec
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
            found += [*(f"any-{i}" for i in range(len(_ANY))), MANY_LETTERS]
        letters = [name for name in _LETTERS if name != USUAL or len(spec["text"]) > FIRST]
        return [*found, *(("mixed",) if one else (*letters, *EARLIER_TEXT))]
    dtypes = spec.get("array", ())
    if "bool" in dtypes:
        return [*found, *_FLAGS, *(AFTER if spec.get("shape") else ())]
    whole = all(is_whole(spec, dtype) for dtype in dtypes or ("",))
    found += list(_ONE if "number" in spec else _MANY)
    found += ["zeros"] if holds(spec, 0) else []
    found += (["rung", "size"] if "number" in spec else []) if whole else ["decades", "inexact"]
    if not whole and not {"above", "decimals"} & set(spec) and holds(spec, TINY[0]):
        found += ["tiny"] + (["huge"] if reaches(spec, 10 * HUGE[-1]) else [])
    if "above" in spec and not whole and "decimals" not in spec:
        found += ["barely"] if "max" in spec else ["barely", "vast"]
    if "number" not in spec:
        found += [] if whole else ["hardly-apart"]
        found += ["beyond-doubles"] if takes_large(spec) else []
        found += [TAILS] if len(spec.get("shape", ())) > 1 else []
        found += AFTER if whole else (*AFTER, NEAR)
        found += [flag for flag in ("nan", "inf") if spec.get(flag)]
        found += ["all-nan"] if spec.get("nan") else []
    return found


def structures(spec: ArgumentSpec) -> tuple[str, ...]:
    """Return the patterns of a declared matrix in which only a part is set, or other than 0."""
    if len(spec.get("shape", ())) < 2 or spec["shape"][-2] == "...":
        return ()
    if spec.get("array") == ["bool"]:
        return _STRUCTURES
    return _EMPTIED if holds(spec, 0) else ()


def make(pattern: str, spec: ArgumentSpec, drawing: Drawing) -> Any:
    """Make the value of one argument.

    Parameters
    ----------
    pattern : str
        Of :func:`names`; `left-out` is for the caller.
    spec : ArgumentSpec
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
        number = numbers_of(pattern, 1, spec, spec["number"], drawing)[0]
        return int(number) if spec["number"] == "int" else float(number)
    if "list" in spec or "tuple" in spec:
        kind = spec["list"] if "list" in spec else spec["tuple"]
        numbers = numbers_of(pattern, drawing.size(spec["length"]), spec, kind, drawing)
        items = numbers.astype(np.int64 if kind == "int" else float).tolist()
        return items if "list" in spec else tuple(items)
    return _array(pattern, spec, drawing)


def of_dtype(spec: ArgumentSpec, dtype: str, pattern: str) -> ArgumentSpec:
    """Return a declared array of one dtype; of floats where a pattern is none of whole numbers."""
    if not dtype:
        return spec
    floats = [name for name in spec["array"] if "float" in name]
    if pattern in _FRACTIONS and floats and dtype not in floats:
        dtype = floats[0]
    return {**spec, "array": [dtype]}


def _array(pattern: str, spec: ArgumentSpec, drawing: Drawing) -> np.ndarray:
    declared = spec.get("shape", [])
    lead = drawing.lead if declared[:1] == ["..."] else ()
    shape = (*lead, *(drawing.size(item) for item in declared if item != "..."))
    dtype = spec["array"][int(drawing.rng.integers(len(spec["array"])))]
    if pattern in (*AFTER, NEAR):
        for other in drawing.earlier.values():
            if isinstance(other, np.ndarray) and _alike(other, shape, dtype):
                numbers = _after(pattern, np.resize(other, shape), drawing.rng)
                low, high = bounds_of(spec, dtype) if pattern == NEAR else (None, None)
                return numbers if low is None else np.clip(numbers, low, high).astype(dtype)
        pattern = "mixed" if dtype == "bool" else "ties"
    if pattern in _STRUCTURES:
        made = _array("spread", spec, drawing) if dtype != "bool" else np.ones(shape, bool)
        return np.where(_structure(pattern, shape), made, made.dtype.type(0))
    size = math.prod(shape)
    flat = (
        _flags(pattern, size, drawing.rng)
        if dtype == "bool"
        else numbers_of("spread" if pattern == TAILS else pattern, size, spec, dtype, drawing)
    )
    made = np.asarray(flat).astype(dtype).reshape(shape)
    if pattern == TAILS and made.size and made.ndim > 1:
        made[..., :, : made.shape[-1] - LAST] = made[..., :1, : made.shape[-1] - LAST]
    return made


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


def _structure(pattern: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return where a matrix of some structure is set."""
    row, column = np.indices(shape[-2:])
    n, m = shape[-2:]
    found: dict[str, np.ndarray] = {
        "last-row-empty": row < n - 1,
        "first-row-empty": row > 0,
        "last-column-empty": column < m - 1,
        "lower": column <= row,
        # as many in each row, but at other places
        "lower-mirrored": column >= m - 1 - row,
        "lower-rotated": (column + 1) % m <= row,
        "lower-but-one": (column <= row) & ((row != n // 2) | (column != n // 3)),
        "upper": column >= row,
        "band": np.abs(column - row) <= 1,
        "blocks": (row < n // 2) == (column < m // 2),
    }
    return np.broadcast_to(found[pattern], shape)


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


def _text(pattern: str, spec: ArgumentSpec, drawing: Drawing) -> str:
    rng, size = drawing.rng, drawing.size(spec["length"])
    alphabet = spec["text"] or _ANY[0]
    if pattern.startswith("any-"):
        alphabet = _ANY[int(pattern.removeprefix("any-"))]
    if pattern == MANY_LETTERS:
        alphabet = _MANY_OF_THEM
    if pattern in EARLIER_TEXT:
        texts = [text for text in drawing.earlier.values() if isinstance(text, str) and text]
        if texts and set(texts[0]) <= set(alphabet):
            middle = len(texts[0]) // 2
            base = texts[0][::-1] if pattern == "turned" else texts[0]
            if pattern == SHIFTED:
                later = middle + 1 + middle // 2
                base = (
                    base[:middle]
                    + base[middle + 1 : later]
                    + base[middle : middle + 1]
                    + base[later:]
                )
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
    elif pattern == USUAL:
        letters = letters[:FIRST]
    if pattern in ("all-letters", "periodic"):
        base = "".join(rng.permutation(letters))[: None if pattern == "all-letters" else 3]
        return (base * (size // len(base) + 1))[:size]
    text = "".join(letters[i] for i in rng.integers(0, len(letters), size))
    if pattern == "swapped-case":
        half = text[: (size + 1) // 2]
        text = (half + half.swapcase())[:size]
        return text if set(text) <= set(alphabet) else half + half[: size - len(half)]
    return text
