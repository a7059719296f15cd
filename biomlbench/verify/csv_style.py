"""CSV files written as another one is: its ends of lines, quotation marks, byte order mark."""

from __future__ import annotations

import codecs
import csv
import io
from itertools import product
from typing import Literal

__all__ = ["written_alike"]

_Quoting = Literal[0, 1]
_COMPARED = 50
"""Rows by which the way of writing is told."""


def written_alike(rows: list[list[str]], original: bytes) -> bytes:
    """Write rows as a file is written that holds other ones.

    Parameters
    ----------
    rows : list of list of str
        The first is the header, as in `original`.
    original : bytes
        Where it is written in a way of which nothing is known, that of Python is taken.
    """
    mark = codecs.BOM_UTF8 if original.startswith(codecs.BOM_UTF8) else b""
    text = original[len(mark) :].decode("utf-8", "replace")
    first = list(_first(text))
    marks: tuple[_Quoting, ...] = (csv.QUOTE_MINIMAL, csv.QUOTE_ALL)
    for end, header, body in product(("\n", "\r\n"), marks, marks):
        written = _written(first, end, header, body)
        if text.startswith(written) or text == written.removesuffix(end):
            break
    else:
        end, header, body = "\n", csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL
    found = _written(rows, end, header, body)
    return mark + (found if text.endswith("\n") else found.removesuffix(end)).encode()


def _first(text: str) -> list[list[str]]:
    rows = csv.reader(io.StringIO(text, newline=""))
    return [row for row, _ in zip((row for row in rows if row), range(_COMPARED), strict=False)]


def _written(rows: list[list[str]], end: str, header: _Quoting, body: _Quoting) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=end, quoting=header).writerows(rows[:1])
    csv.writer(text, lineterminator=end, quoting=body).writerows(rows[1:])
    return text.getvalue()
