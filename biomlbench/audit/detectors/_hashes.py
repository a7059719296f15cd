"""Whether hexadecimal texts are hashes of the answers, which whoever tries all classes can read."""

from __future__ import annotations

import hashlib
import re
import zlib
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from biomlbench.audit.prediction_values import label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["hashed_from"]

ROWS = 20
"""Rows in which the hash has to be that of the answer and of no other class."""
MAX_CLASSES = 200
_HEX = re.compile(r"[0-9a-f]{6,128}")
_BETWEEN = ("", ",", "_", "-", ":", "|", " ", ";", "/", "\t", "#", "+")
_NAMES = ("md5", "sha1", "sha256", "sha512", "crc32")


def hashed_from(texts: np.ndarray, ids: np.ndarray, truth: np.ndarray) -> str:
    """Return of what texts are the hashes, or their first digits; empty for nothing.

    Parameters
    ----------
    texts : ndarray of str, shape (n,)
    ids : ndarray of str, shape (n,)
    truth : ndarray, shape (n,)
        Float or text.
    """
    some = np.linspace(0, len(texts) - 1, min(ROWS, len(texts))).astype(int)
    asked = [str(texts[row]).strip().lower() for row in some]
    if len(asked) < ROWS or not all(_HEX.fullmatch(text) for text in asked):
        return ""
    classes = sorted({label(value) for value in truth.tolist()})
    if not 2 <= len(classes) <= MAX_CLASSES:
        return ""
    for what, made in _ways():
        for name in _NAMES:
            if all(
                [one for one in classes if _digest(name, made(ids[row], one)).startswith(text)]
                == [label(truth[row])]
                for row, text in zip(some, asked, strict=True)
            ):
                return f"{name} of {what}"
    return ""


def _digest(name: str, data: bytes) -> str:
    if name == "crc32":
        return f"{zlib.crc32(data):08x}"
    return hashlib.new(name, data, usedforsecurity=False).hexdigest()


def _ways() -> Iterator[tuple[str, Callable[[str, str], bytes]]]:
    yield "the answer", lambda _, answer: answer.encode()
    for between, turned in product(_BETWEEN, (False, True)):

        def made(key: str, answer: str, between: str = between, turned: bool = turned) -> bytes:
            return between.join((answer, key) if turned else (key, answer)).encode()

        what = "answer and id" if turned else "id and answer"
        yield f"{what} with {between!r} between them", made
