"""The numbers and words that a candidate's code is written with.

A fault that few inputs show mostly has a number in the code: a threshold, a block's length, a
limit of steps, the decimals of a rounded key. They are searched for, not parsed: code is hostile.
Who wants to hide a number can; this is for work that is wrong without wanting to be.
"""

from __future__ import annotations

import json
import math
import re
from typing import NamedTuple

__all__ = ["Constants", "constants_of"]

MAX_SCANNED = 1 << 20
MAX_NUMBERS = 40
MAX_WORDS = 8
LONGEST_WORD = 40
COMMON = frozenset({0.0, 1.0})
"""Numbers that tell nothing: cases next to them are every card's."""
LARGEST = 1e300
_MOST_DIGITS = 40
_NUMBER = re.compile(
    rb"""(?<![\w.])(
        0[xX][0-9a-fA-F_]{1,32}
      | (?:[0-9][0-9_]{0,39}(?:\.[0-9_]{0,39})?|\.[0-9][0-9_]{0,39})(?:[eE][+-]?[0-9]{1,4})?
    )(?:[ ]{0,2}(\*\*|<<)[ ]{0,2}(-?[0-9]{1,4})(?![\w.]))?""",
    re.VERBOSE,
)
_LEFT_OVER = re.compile(rb"%[ ]{0,2}([0-9]{1,4})(?![\w.])")
_TERM = rb"(?:[0-9][0-9_]{0,19}(?:\.[0-9]{0,19})?(?:[eE][+-]?[0-9]{1,3})?)"
_TERMS = re.compile(
    rb"(?<![\w.)\]])(?<!\*\*)(?<!\*\* )"
    + _TERM
    + rb"(?:[ ]{0,2}[-+*/][ ]{0,2}"
    + _TERM
    + rb"){1,15}(?![\w.(\[])"
)
"""Numbers that are written as a sum or a product, as 24 * 60 * 60."""
_PARTS = re.compile(rb"([-+*/])?[ ]{0,2}(" + _TERM + rb")")
# A text that is not closed goes to the end of its line or of the code, so that no try ever fails.
_TOKEN = re.compile(
    rb"""
    (?P<comment>\#[^\n]*)
  | (?P<prefix>[rRbBfFuU]{0,2})
    (?P<string>
        "{3}(?:[^\\"]+|\\.?|"(?!""))*(?:"{3}|\Z) | '{3}(?:[^\\']+|\\.?|'(?!''))*(?:'{3}|\Z)
      | "(?:[^"\\\n]+|\\.?)*(?:"|(?=\n)|\Z) | '(?:[^'\\\n]+|\\.?)*(?:'|(?=\n)|\Z)
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_NAMED = {
    rb"\beps\b": (2.0**-52,),
    rb"\bfloat_info\.epsilon\b": (2.0**-52,),
    rb"\b(?:tiny|smallest_normal|float_info\.min)\b": (2.0**-1022,),
    rb"\bu?int8\b": (128, 256),
    rb"\bu?int16\b": (2**15, 2**16),
    rb"\bu?int32\b": (2**31, 2**32),
    rb"\bu?int64\b": (2**53,),
    rb"\bfloat16\b": (2**11, 65504, 2.0**-24),
    rb"\b(?:float32|single)\b": (2**24, 2.0**-24),
    rb"\b(?:allclose|isclose)\b": (1e-5, 1e-8, 1e-9),
    rb"\blru_cache\b": (128,),
}
"""What a name in code stands for: the least step or the largest number of a type, a tolerance."""
_ROUNDS = re.compile(rb"\b(?:round|around|round_|decimals|rint|trunc)\b|:\.[0-9]{1,2}[efg]")
_DECIMALS = re.compile(rb":\.([0-9]{1,2})[efg]")


class Constants(NamedTuple):
    """What the code of a candidate is written with.

    Parameters
    ----------
    numbers : tuple of float
        Without sign, each once, the most telling first; whole ones are int.
    moduli : tuple of int
        Whole numbers that something is divided by for its remainder.
    words : tuple of str
        Texts of more than one letter, or of one that is no separator.
    """

    numbers: tuple[float, ...] = ()
    moduli: tuple[int, ...] = ()
    words: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.numbers or self.moduli or self.words)

    @classmethod
    def read(cls, text: str | None) -> Constants:
        """Return constants that :meth:`written` has written; none of None."""
        return cls(*map(tuple, json.loads(text))) if text else cls()

    @property
    def written(self) -> str | None:
        """The constants as JSON, or None where there are none."""
        return json.dumps(self) if self else None


def constants_of(source: bytes, most: int | None = MAX_NUMBERS) -> Constants:
    """Search code for its constants.

    Parameters
    ----------
    source : bytes
        Any bytes. Time is linear in the first :data:`MAX_SCANNED` of them.
    most : int, optional
        Numbers at most; None for all.

    Returns
    -------
    Constants

    Examples
    --------
    >>> constants_of(b"if abs(x) < 1e-12 or len(x) % 7 == 3: x = x[:2 ** 10]").numbers
    (1e-12, 7, 1024, 3)
    >>> constants_of(b"n % 7").moduli
    (7,)
    >>> constants_of(b"s.replace('TATA', '')").words
    ('TATA',)
    """
    text, strings = _without_what_is_said(source[:MAX_SCANNED])
    found: dict[float, int] = {}

    def add(number: float) -> None:
        if number not in COMMON and 0 < number <= LARGEST:
            whole = float(number).is_integer() and number < 2**63
            found.setdefault(int(number) if whole else float(number), len(found))

    for match in _TERMS.finditer(text):
        add(_total(match[0]))
    rounds = bool(_ROUNDS.search(text))
    for match in _NUMBER.finditer(text):
        number = _read(match[1])
        if number is None:
            continue
        if match[2] and (whole := _power(number, match[2], int(match[3]))) is not None:
            number = whole
        add(number)
        if rounds and number in range(3, 17):
            add(10.0**-number)
    for match in _DECIMALS.finditer(text):
        add(10.0 ** -int(match[1]))
    for name, numbers in _NAMED.items():
        for number in numbers if re.search(name, text) else ():
            add(number)
    ordered = sorted(found, key=lambda number: (_is_plain(number), found[number]))
    moduli = dict.fromkeys(int(match[1]) for match in _LEFT_OVER.finditer(text))
    words = dict.fromkeys(word.decode("latin-1") for word in strings if len(word) <= LONGEST_WORD)
    return Constants(
        tuple(ordered[:most]),
        tuple(n for n in moduli if n > 1)[:MAX_WORDS],
        tuple(word for word in words if word.isalnum())[:MAX_WORDS],
    )


def _without_what_is_said(source: bytes) -> tuple[bytes, list[bytes]]:
    """Return code without comments and docstrings, which cite years and pages; and its texts."""
    kept: list[bytes] = []
    strings: list[bytes] = []
    end = 0
    for token in _TOKEN.finditer(source):
        gap = source[end : token.start()]
        kept.append(gap)
        begins_line = not gap.rpartition(b"\n")[2].strip(b" \t") and (b"\n" in gap or not end)
        end = token.end()
        if token["comment"] is not None:
            continue
        long = token["string"][:3] in (b'"""', b"'''")
        if long and begins_line and token["prefix"] in (b"", b"r", b"R"):
            continue
        strings.append(token["string"][3:-3] if long else token["string"][1:-1])
        kept.append(token[0])
    return b"".join([*kept, source[end:]]), strings


def _total(terms: bytes) -> float:
    """Return what a sum of products of numbers comes to; 0 where that is no number."""
    total, product = 0.0, 1.0
    for operator, term in _PARTS.findall(terms):
        number = float(term.replace(b"_", b""))
        if operator == b"/":
            product = product / number if number else math.nan
        elif operator == b"*":
            product *= number
        else:
            total, product = total + product if operator else 0.0, number
            product = -product if operator == b"-" else product
    total += product
    return total if math.isfinite(total) else 0.0


def _read(text: bytes) -> float | None:
    digits = text.replace(b"_", b"").decode()
    try:
        if digits[:2] in ("0x", "0X"):
            return int(digits, 16)
        number = float(digits)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    return int(digits) if digits.isdigit() and len(digits) < _MOST_DIGITS else number


def _power(number: float, operator: bytes, exponent: int) -> float | None:
    if operator == b"<<":
        return int(number) << exponent if 0 <= exponent < 63 and number < 2**20 else None
    try:
        power = float(number) ** exponent
    except (OverflowError, ZeroDivisionError):
        return None
    return power if power else None


def _is_plain(number: float) -> bool:
    """Whether a number is as common in right code as in wrong code."""
    return number in (0.5, 2, 3, 4, 10, 100)
