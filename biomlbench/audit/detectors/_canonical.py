"""Forms of texts that stay the same in other writings of them, and hashes of their parts."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["LEAST_PARTS", "folded", "parts", "reverse_complement", "strands", "word_parts"]

LETTERS = 12
"""Letters of a part of a text without spaces."""
WORDS = 3
"""Words of a part of prose."""
LEAST_LETTERS = 24
LEAST_PARTS = 8
"""Different parts below which a text is too short, or repeats itself too much."""
_BASE = np.uint64(0x9E3779B97F4A7C15)
_BASES = "acgtrykmswbdhvn-"
"""Nucleotides, with the codes of ambiguous ones (Cornish-Bowden 1985)."""
_COMPLEMENT = str.maketrans(_BASES, "tgcayrmkswvhdbn-")


def folded(text: str) -> str:
    """Return a text in lower case and without white space."""
    return "".join(text.casefold().split())


def reverse_complement(text: str) -> str | None:
    """Return the other strand of a folded sequence of nucleotides; None for another text."""
    text = text.replace("u", "t")
    if not text or not set(text) <= set(_BASES):
        return None
    return text[::-1].translate(_COMPLEMENT)


def strands(text: str) -> str | None:
    """Return what a sequence of nucleotides and its reverse complement share; None for others.

    Examples
    --------
    >>> strands("AACG") == strands("cgtt"), strands("protein")
    (True, None)
    """
    one = folded(text)
    other = reverse_complement(one)
    return other and min(one.replace("u", "t"), other)


def parts(text: str) -> np.ndarray:
    """Return hashes of the different parts of a text of :data:`LETTERS` each.

    Those of nucleotides are the same for the reverse complement. There are none of a text that is
    shorter than 24 letters.
    """
    text = folded(text)
    if len(text) < LEAST_LETTERS:
        return np.empty(0, np.uint64)
    other = reverse_complement(text)
    if other is None:
        return np.unique(_hashes(map(ord, text), LETTERS))
    one = _hashes(map(ord, text.replace("u", "t")), LETTERS)
    return np.unique(np.minimum(one, _hashes(map(ord, other), LETTERS)[::-1]))


def word_parts(text: str) -> np.ndarray:
    """Return hashes of the different parts of a text of :data:`WORDS` words each."""
    return np.unique(_hashes((crc32(word.encode()) for word in text.casefold().split()), WORDS))


def _hashes(codes: Iterable[int], length: int) -> np.ndarray:
    """Return hashes of all that many codes that follow each other."""
    values = np.fromiter(codes, np.uint64)
    count = max(len(values) - length + 1, 0)
    mixed = np.zeros(count, np.uint64)
    for start in range(length):
        mixed = mixed * _BASE + values[start : start + count]
    mixed ^= mixed >> np.uint64(31)  # so that the order of hashes is not that of the last letters
    return np.asarray(mixed * _BASE)
