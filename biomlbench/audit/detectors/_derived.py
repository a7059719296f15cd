"""What texts hold beside their value: that they are there, numbers, remainders, dates, words."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ._chance import agreement, same_order, tells, tells_classes

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["are_blank", "as_dates", "told_by"]

GLANCE = 400
"""Rows of a long column that are looked at first."""
LEAST_VALUES = 10
MAX_PLACES = 4
"""Numbers within a text that are looked at, from its start; the last one is, too."""
MAX_REMAINDER = 10
MAX_CLASSES = 20
# A hyphen between letters or digits is none of a number.
_NUMBER = re.compile(r"(?:(?<![0-9A-Za-z])[-+])?\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?")
_DATE = r"\s*\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?"
_DATE_WITHIN = r"(?<!\d)((?:19|20)\d\d)[-/.]?(0[1-9]|1[0-2])[-/.]?(0[1-9]|[12]\d|3[01])(?!\d)"
_EPOCH = pd.Timestamp("1970-01-01", tz="UTC")
_BLANK = ("", "na", "nan", "none", "null", "n/a")


def told_by(texts: np.ndarray, truth: np.ndarray) -> str:
    """Return which part of the texts of test rows tells their truth; empty for none.

    Parameters
    ----------
    texts : ndarray of str, shape (n,)
        Ids or a column of features.
    truth : ndarray, shape (n,)
        Float or text.
    """
    there = pd.notna(truth)
    texts, truth = np.asarray(texts).astype(str)[there], truth[there]
    if len(truth) > 2 * GLANCE:
        some = np.linspace(0, len(truth) - 1, GLANCE).astype(int)
        if not _told(texts[some], truth[some]):
            return ""
    return _told(texts, truth)


def are_blank(texts: np.ndarray) -> np.ndarray:
    """Return which texts say that there is no value."""
    return np.array([str(text).strip().lower() in _BLANK for text in texts], bool)


def _told(texts: np.ndarray, truth: np.ndarray) -> str:
    for what, values in _parts(texts):
        if _is_class(values, truth) or _is_number(values, truth):
            return what
    return _word(texts, truth)


def _is_class(values: np.ndarray, truth: np.ndarray) -> bool:
    return tells_classes(values, truth) and tells(values, truth) == len(truth)


def _is_number(values: np.ndarray, truth: np.ndarray) -> bool:
    if truth.dtype.kind != "f" or len(np.unique(truth)) < LEAST_VALUES:
        return False
    return agreement(values, truth).real or same_order(values, truth)


def _parts(texts: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Yield what a column of texts holds, as numbers."""
    blank = are_blank(texts)
    if blank.any():
        yield "where it is missing", blank.astype(float)
    if (dates := as_dates(texts)) is not None:
        yield "its date", dates
        return
    plain = pd.to_numeric(pd.Series(texts), errors="coerce").to_numpy(float)
    if np.isfinite(plain).all():
        yield from _remainders(plain, "its")
        return
    found = [_NUMBER.findall(text) for text in texts]
    for place in [*range(min(MAX_PLACES, min(map(len, found)))), -1]:
        if all(found):
            values = np.array([float(one[place].replace(",", ".")) for one in found])
            yield "a number within it", values
            yield from _remainders(values, "a number's")


def _remainders(values: np.ndarray, whose: str) -> Iterator[tuple[str, np.ndarray]]:
    whole = np.isfinite(values) & (np.abs(values) < 2.0**53) & (values == np.trunc(values))
    if whole.all():
        for divisor in range(2, MAX_REMAINDER + 1):
            yield f"{whose} remainder of division by {divisor}", values % divisor


def as_dates(texts: np.ndarray, *, within: bool = False) -> np.ndarray | None:
    """Return dates as numbers of seconds, None where some text is none.

    Parameters
    ----------
    texts : ndarray of str, shape (n,)
    within : bool
        Take the first date that is written within each text, year first, also without separators.
    """
    series = pd.Series(texts).astype(str)
    if within and not series.str.fullmatch(_DATE).all():
        parts = series.str.extract(_DATE_WITHIN)
        if parts.isna().any(axis=None):
            return None
        series = parts[0] + "-" + parts[1] + "-" + parts[2]
    if not series.str.fullmatch(_DATE).all():
        return None
    for day_first in (False, True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = pd.to_datetime(series, errors="coerce", utc=True, dayfirst=day_first)
        if found.notna().all():
            return np.asarray((found - _EPOCH).dt.total_seconds().to_numpy(float))
    return None


def _word(texts: np.ndarray, truth: np.ndarray) -> str:
    """Say so where the texts name the class, each its own and no other."""
    if truth.dtype.kind == "f":
        return ""
    classes = sorted({str(one) for one in truth.tolist()} - {""}, key=len, reverse=True)
    if not 2 <= len(classes) <= MAX_CLASSES:
        return ""
    either = "|".join(map(re.escape, classes))
    pattern = re.compile(rf"(?<![^\W_])(?:{either})(?![^\W_])", re.IGNORECASE)
    known = {one.casefold(): one for one in classes}
    named = [{known.get(one.casefold(), "") for one in pattern.findall(text)} for text in texts]
    values = np.array([one.pop() if len(one) == 1 else "" for one in named], object)
    found = agreement(values, truth)
    enough = found.real and 2 * found.compared >= len(truth)
    return "a word within it" if enough else ""
