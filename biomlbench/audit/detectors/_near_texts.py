"""Texts that are those of another table, written otherwise or but for a part."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from ._canonical import LEAST_PARTS, folded, parts, strands, word_parts
from ._near_rows import PROBES, Twins
from ._smiles import composition, molecule

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["near_texts"]

SHARED = 0.8
"""Share of the parts of a text that are in another one."""
MAX_CHARACTERS = 5_000_000
MAX_CANDIDATES = 20
"""Texts with a part, and texts that are compared in full, that are looked at."""
GLANCE = 200
MOLECULES = 0.9
"""Share of the texts that are SMILES in a column of molecules."""
Pair = tuple[np.ndarray, np.ndarray]
"""The known text of each asked one, -1 for none; and whether each probe has another one."""


def near_texts(asked: np.ndarray, known: np.ndarray, rng: np.random.Generator) -> Twins:
    """Compare two columns of texts.

    Parameters
    ----------
    asked, known : ndarray of str
        Of test rows and of training rows.
    rng : Generator

    Returns
    -------
    Twins
        Test texts that training has as they are, are none.
    """
    same = set(known.tolist())
    looked, there = (_within(texts, rng) for texts in (asked, known))
    known = known[there]
    probes = np.sort(rng.permutation(len(known))[:PROBES])
    wanted = asked[looked].tolist()
    rows = np.full(len(wanted), -1)
    how = np.full(len(wanted), "", object)
    among = np.zeros(len(probes), bool)
    for words, (found, again) in _compared(wanted, known.tolist(), probes):
        new = (rows < 0) & (found >= 0)
        rows[new], how[new] = there[found[new]], words
        among |= again
    rows[[text in same or not text for text in wanted]] = -1
    return Twins(looked, rows, how, len(probes), int(among.sum()))


def _within(texts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a sample of the texts that is not too long, in order."""
    order = rng.permutation(len(texts))
    total = np.cumsum([len(texts[row]) for row in order])
    return np.sort(order[: max(1, int(np.searchsorted(total, MAX_CHARACTERS)))])


def _compared(wanted: list[str], known: list[str], probes: np.ndarray) -> list[tuple[str, Pair]]:
    glance = known[:: max(1, len(known) // GLANCE)]
    if np.mean([molecule(text) is not None for text in glance]) >= MOLECULES:
        # Of one scaffold are molecules that share most of their text and are no twins.
        alike = {composition(text) for text in [*wanted, *(known[row] for row in probes)]}
        forms = {text: molecule(text) for text in {*wanted, *known} if composition(text) in alike}
        pair = _by_form([*map(forms.get, wanted)], [*map(forms.get, known)], probes)
        return [("the same molecules, written otherwise", pair)]
    ways: list[tuple[str, Callable[[str], str | None]]] = [
        ("equal but for case and white space", folded),
        ("reverse complements", strands),
    ]
    found = [(words, _by_form([*map(form, wanted)], [*map(form, known)], probes))
             for words, form in ways]  # fmt: skip
    prose = np.mean([" " in text.strip() for text in glance]) > 0.5
    cut = word_parts if prose else parts
    pair = _by_parts([cut(text) for text in wanted], [cut(text) for text in known], probes)
    return [*found, (f"at least {SHARED:.0%} of the parts of a text in another", pair)]


def _by_form(wanted: Sequence[str | None], known: Sequence[str | None], probes: np.ndarray) -> Pair:
    times = Counter(form for form in known if form)
    first: dict[str, int] = {}
    for row, form in enumerate(known):
        if form:
            first.setdefault(form, row)
    rows = np.array([first.get(form, -1) if form else -1 for form in wanted], int)
    return rows, np.array([times[known[row] or ""] > 1 for row in probes], bool)


def _by_parts(wanted: list[np.ndarray], known: list[np.ndarray], probes: np.ndarray) -> Pair:
    values = np.concatenate(known)
    owners = np.repeat(np.arange(len(known)), [len(one) for one in known])
    order = np.argsort(values, kind="stable")
    values, owners = values[order], owners[order]
    rows = np.array([_with_parts(one, values, owners, known) for one in wanted], int)
    again = [_with_parts(known[row], values, owners, known, row) >= 0 for row in probes]
    return rows, np.array(again, bool)


def _with_parts(
    one: np.ndarray, values: np.ndarray, owners: np.ndarray, known: list[np.ndarray], own: int = -1
) -> int:
    """Return the text, but for itself, that has most parts of one, -1 where it has too few.

    Of a fifth of the parts and one more, such a text has at least one, so that the rarest are
    enough to find it by.
    """
    if len(one) < LEAST_PARTS:
        return -1
    first = np.searchsorted(values, one, "left")
    times = np.searchsorted(values, one, "right") - first
    rarest = np.argsort(times, kind="stable")[: int((1 - SHARED) * len(one)) + 1]
    votes: Counter[int] = Counter()
    for part in rarest[times[rarest] > (own >= 0)]:
        votes.update(owners[first[part] : first[part] + min(times[part], MAX_CANDIDATES)].tolist())
    votes.pop(own, None)
    shares = {row: len(np.intersect1d(one, known[row], assume_unique=True)) / len(one)
              for row, _ in votes.most_common(MAX_CANDIDATES)}  # fmt: skip
    best = max(shares, key=shares.__getitem__, default=-1)
    return best if best >= 0 and shares[best] >= SHARED else -1
