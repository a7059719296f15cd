"""Molecules written as SMILES, and a form that all writings of one molecule share."""

from __future__ import annotations

import re
from collections import deque
from zlib import crc32

__all__ = ["composition", "molecule"]

_TOKEN = re.compile(
    r"(?P<bracket>\[[^\[\]]+\])|(?P<atom>Cl|Br|[BCNOPSFIbcnops*])|(?P<bond>[-=#$:/\\~])"
    r"|(?P<ring>\d|%\d\d|%\(\d+\))|(?P<open>\()|(?P<close>\))|(?P<dot>\.)"
)
_BRACKET = re.compile(
    r"\[(?P<isotope>\d*)(?P<symbol>[A-Z][a-z]?|[bcnops]|se|as|te|si|\*)(@(@|[A-Z]{2}\d{1,2})?)?"
    r"(H\d*)?(?P<charge>[+-]\d+|\++|-+)?(:\d+)?\]"
)
_ORDER = {"=": 2, "#": 3, "$": 4}
"""Orders of bonds. The others are one: whether they are aromatic is told by their atoms."""

Graph = list[dict[int, int]]
"""Of each atom its neighbours, with the order of the bond."""


def molecule(text: str) -> str | None:
    """Return a form that all SMILES of one molecule share; None for a text that is none.

    Parameters
    ----------
    text : str

    Returns
    -------
    str or None
        Hash of the graph of its atoms, with isotopes and charges, and of its bonds, with the size
        of the smallest ring through each. Stereo marks and hydrogens are ignored. Aromatic atoms
        are others than those of a form with double bonds.

    References
    ----------
    Weisfeiler and Leman (1968), Nauchno-Technicheskaya Informatsia 2(9), 12-16.

    Examples
    --------
    >>> molecule("OCC") == molecule("C(O)C"), molecule("OCC") == molecule("OC=C"), molecule("C(")
    (True, False, None)
    """
    read = _parsed(text.strip())
    if read is None:
        return None
    symbols, graph = _without_hydrogens(*read)
    rings = [{other: _smallest_ring(graph, atom, other) for other in bonds}
             for atom, bonds in enumerate(graph)]  # fmt: skip
    if any(symbol.lstrip("0123456789")[0].islower() and not any(sizes.values())
           for symbol, sizes in zip(symbols, rings, strict=True)):  # fmt: skip
        return None  # a word of aromatic letters
    labels = [crc32(symbol.encode()) for symbol in symbols]
    while True:
        classes = len(set(labels))
        labels = [
            hash((labels[atom], *sorted(hash((order, rings[atom][other], labels[other]))
                                        for other, order in bonds.items())))
            for atom, bonds in enumerate(graph)
        ]  # fmt: skip
        if len(set(labels)) == classes:
            return f"{len(labels)}:{hash(tuple(sorted(labels))) % 2**64:016x}"


def composition(text: str) -> str:
    """Return the letters of the atoms, in order and without hydrogen: fast, and alike if equal."""
    return "".join(sorted(letter for letter in text.lower() if letter.isalpha() and letter != "h"))


def _parsed(text: str) -> tuple[list[str], Graph] | None:
    """Return the atoms' symbols and the graph; None for a text that is no SMILES."""
    symbols: list[str] = []
    graph: Graph = []
    branches: list[int] = []
    rings: dict[str, tuple[int, str]] = {}
    last, bond, at = -1, "", 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            return None
        at, kind, word = token.end(), token.lastgroup, token.group()
        if kind in ("atom", "bracket"):
            symbol = word if kind == "atom" else _in_brackets(word)
            if not symbol or (bond and last < 0):
                return None
            symbols.append(symbol)
            graph.append({})
            if last >= 0:
                _join(graph, last, len(graph) - 1, bond)
            last, bond = len(graph) - 1, ""
        elif kind == "bond":
            if bond or last < 0:
                return None
            bond = word
        elif kind == "ring":
            number = word.strip("%()").lstrip("0") or "0"
            if last < 0:
                return None
            if number in rings:
                other, before = rings.pop(number)
                unlike = before and bond and _ORDER.get(before, 1) != _ORDER.get(bond, 1)
                if other == last or other in graph[last] or unlike:
                    return None
                _join(graph, last, other, before or bond)
            else:
                rings[number] = last, bond
            bond = ""
        elif bond or last < 0:
            return None
        elif kind == "open":
            branches.append(last)
        elif kind == "close":
            if not branches:
                return None
            last = branches.pop()
        else:
            last = -1
    if branches or rings or bond or last < 0:
        return None
    return symbols, graph


def _in_brackets(word: str) -> str:
    found = _BRACKET.fullmatch(word)
    if found is None:
        return ""
    charge = found["charge"] or ""
    size = int(charge) if charge[1:].isdigit() else charge.count("+") - charge.count("-")
    return found["isotope"] + found["symbol"] + (f"{size:+}" if size else "")


def _join(graph: Graph, one: int, other: int, bond: str) -> None:
    graph[one][other] = graph[other][one] = _ORDER.get(bond, 1)


def _without_hydrogens(symbols: list[str], graph: Graph) -> tuple[list[str], Graph]:
    """Return the molecule without hydrogens that are written as atoms on another one."""
    kept = [atom for atom, symbol in enumerate(symbols)
            if symbol != "H" or len(graph[atom]) != 1
            or symbols[next(iter(graph[atom]))] == "H"]  # fmt: skip
    place = {atom: number for number, atom in enumerate(kept)}
    return [symbols[atom] for atom in kept], [
        {place[other]: order for other, order in graph[atom].items() if other in place}
        for atom in kept
    ]


def _smallest_ring(graph: Graph, one: int, other: int) -> int:
    """Return the size of the smallest ring through a bond, 0 where it is in none."""
    steps, queue = {one: 1}, deque([one])
    while queue:
        atom = queue.popleft()
        for near in graph[atom]:
            if near in steps or (atom == one and near == other):
                continue
            if near == other:
                return steps[atom] + 1
            steps[near] = steps[atom] + 1
            queue.append(near)
    return 0
