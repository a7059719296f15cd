"""Agents whose names look the same: letters of other scripts, and other forms of letters."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["described", "lookalikes", "skeleton"]

# Cyrillic, Greek and Armenian letters, each above the Latin one that it looks like.
_PAIRS = (
    ("аеорсухіјѕһԁԛԝӏѵкӕәүАВЕНІЈКМОРСТУХЅԚԜӀҮЗ", "aeopcyxijshdqwlvkæəyABEHIJKMOPCTYXSQWIY3"),
    ("οναιρκυχγϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ovaipkuxyjABEZHIKMNOPTYX"),
    ("օոսհցԼՕՍ", "onuhgLOU"),
)
_LATIN = {
    ord(other): latin
    for others, letters in _PAIRS
    for other, latin in zip(others, letters, strict=True)
}


def skeleton(name: str) -> str:
    """Return what a name looks like, in Latin letters where it has such that look like them.

    Examples
    --------
    >>> skeleton("hоnest") == skeleton("𝔥𝔬𝔫𝔢𝔰𝔱") == "honest"
    True
    """
    if name.isascii():
        return name
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKD", name).translate(_LATIN))


def lookalikes(names: Iterable[str]) -> list[list[str]]:
    """Return the groups of different names that look the same, sorted."""
    groups: dict[str, list[str]] = {}
    for name in sorted(set(names)):
        groups.setdefault(skeleton(name), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def described(name: str) -> str:
    """Return a name with what its first letter is that looks like another one.

    Examples
    --------
    >>> described("hоnest")
    'hоnest (with CYRILLIC SMALL LETTER O)'
    >>> described("honest")
    'honest'
    """
    for sign in name:
        if not sign.isascii() and skeleton(sign) != sign:
            return f"{name} (with {unicodedata.name(sign, f'U+{ord(sign):04X}')})"
    return name
