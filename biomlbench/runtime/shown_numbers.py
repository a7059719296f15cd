"""Numbers as people read them; `Report.number` and its like in the report's scripts write the same.

Halves are rounded away from zero, as everybody learnt it, and by the number's shortest decimal
form: 0.15 is read as 0.15, not as the binary fraction next to it.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import SupportsFloat

__all__ = ["NOTHING", "fixed", "number_text", "percent"]

NOTHING = "–"
"""What stands for a number that there is not."""
SMALLEST, LARGEST = 1e-4, 1e15
"""Numbers of a size outside have a power of ten."""
_PRECISION = 400  # digits: more than any double has before its point


def number_text(value: SupportsFloat | None, digits: int = 4) -> str:
    """Return a number in at least so many significant digits, without zeros at its end.

    Whole numbers, and the part before the point of others, are never rounded.

    Examples
    --------
    >>> number_text(25000 / 3, 3), number_text(1.68571, 3), number_text(0.00001234, 3)
    ('8,333', '1.69', '1.23e-5')
    >>> number_text(1.5)
    '1.5'
    """
    exact = _exact(value)
    if exact is None:
        return NOTHING
    size = abs(exact)
    if size and not Decimal(str(SMALLEST)) <= size < Decimal(str(LARGEST)):
        rounded = _rounded(exact, digits - 1 - exact.adjusted())
        mantissa, power = f"{rounded:.{digits - 1}e}".split("e")
        return f"{_stripped(mantissa)}e{int(power):+d}"
    places = digits - 1 - exact.adjusted() if size else 0
    if exact == exact.to_integral_value():
        places = 0
    return _written(_rounded(exact, max(places, 0)), strip=True)


def fixed(value: SupportsFloat | None, decimals: int = 0) -> str:
    """Return a number with so many decimals.

    Examples
    --------
    >>> fixed(62.5), fixed(1234.05, 1), fixed(-0.04, 1), fixed(None)
    ('63', '1,234.1', '0.0', '–')
    """
    exact = _exact(value)
    return NOTHING if exact is None else _written(_rounded(exact, decimals))


def percent(share: SupportsFloat | None, decimals: int = 0) -> str:
    r"""Return a share in percent; number and sign stay on one line.

    Examples
    --------
    >>> percent(0.625)
    '63\xa0%'
    """
    if _exact(share) is None or share is None:
        return NOTHING
    return f"{fixed(100 * float(share), decimals)}\u00a0%"


def _exact(value: SupportsFloat | None) -> Decimal | None:
    if value is None or not math.isfinite(float(value)):
        return None
    return Decimal(repr(float(value)))


def _rounded(exact: Decimal, places: int) -> Decimal:
    with localcontext(prec=_PRECISION):
        return exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def _written(rounded: Decimal, *, strip: bool = False) -> str:
    text = f"{rounded:,f}" if rounded else f"{abs(rounded):f}"
    return _stripped(text) if strip else text


def _stripped(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
