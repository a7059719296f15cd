"""Texts and numbers as pages show them: no control characters, not too long, not too precise."""

from __future__ import annotations

import hashlib

import numpy as np

from biomlbench.plain_text import plain

__all__ = ["MAX_NAME", "json_number", "printable", "shown_name"]

MAX_TEXT = 600
MAX_NAME = 80
"""Letters of an agent's name; a run table may give it 200."""
_WHOLE = 1e5


def printable(text: object, most: int = MAX_TEXT) -> str:
    r"""Return text cut to a length, control and direction-changing characters replaced.

    Examples
    --------
    >>> printable("a\u202eb\x00")
    'a\ufffdb\ufffd'
    """
    text = plain(text, mark="\ufffd")
    return text if len(text) <= most else text[: most - 1] + "…"


def shown_name(name: object, most: int) -> str:
    """Return a name cut to a length, so that different names stay different.

    One that looks as if it were cut has its hash as well.

    Examples
    --------
    >>> shown_name("a" * 30, 20), shown_name("aaaaaaaaaaa…7f16b51a", 30)
    ('aaaaaaaaaaa…3a54fc0c', 'aaaaaaaaaaa…7f16b51a…cb57b119')
    """
    text = printable(name, most)
    if "…" not in text:
        return text
    whole = str(name).encode("utf-8", "surrogatepass")
    return (
        f"{printable(name)[: most - 9].removesuffix('…')}…{hashlib.sha256(whole).hexdigest()[:8]}"
    )


def json_number(value: float, full: bool) -> float | int | None:
    """Return a number as JSON has it: six significant digits, or all; None for NaN.

    Examples
    --------
    >>> json_number(1234567.8, False), json_number(0.12345678, False)
    (1234568, 0.123457)
    """
    if value is None or not np.isfinite(value):
        return None
    value = float(value)
    if not full and not value.is_integer():
        # what stands before the point is never rounded: of tokens each digit is read
        value = float(round(value)) if abs(value) >= _WHOLE else float(f"{value:.6g}")
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
