"""The cells of a run table's rows: names, paths, whole numbers, times."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from biomlbench.outcomes import Reason
from biomlbench.plain_text import composed, plain
from biomlbench.submission.csv_hints import number_hint
from biomlbench.submission.table_rows import shown

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import AnyRow

__all__ = [
    "RowError",
    "check_whole_numbers",
    "integer_of",
    "listed_submission",
    "optional_text",
    "path_of",
    "printable",
    "text_of",
    "time_of",
]

_MOST_LETTERS = {"run_id": 100, "agent": 200, "task_id": 300}
# Linux: a path, and a file's name, in bytes.
_PATH_MAX, _NAME_MAX = 4095, 255
MAX_SEED = 2**32 - 1
"""The largest seed: what `PYTHONHASHSEED` and `numpy.random.seed` take, so that no two mean one."""
_LARGEST = {"seed": MAX_SEED, "attempt": 1_000_000, "hint_tier": 1_000_000}
_LOWEST = {"seed": 0, "attempt": 1, "hint_tier": 0}
_WHOLE = re.compile(r"([+-]?[0-9]{1,40})(\.0*)?", re.ASCII)
_MOST_DIGITS = 20
_PATHVAR = re.compile("<.*>", re.DOTALL)
# What tables of dates, in nanoseconds since 1970, can hold from there on.
_YEARS = range(1970, 2262)
# What cannot be seen: two agents that differ by it would look like one. Unicode's characters to
# be ignored (Default_Ignorable_Code_Point), and marks of direction, interlinear notes and music.
_INVISIBLE = dict.fromkeys(
    number
    for first, last in (
        *((0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5)),
        *((0x180B, 0x180F), (0x200B, 0x200B), (0x200E, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F)),
        *((0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB)),
        *((0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
    )
    for number in range(first, last + 1)
)
_JOINER = re.compile("(^|.)([\u200c\u200d])[\u200c\u200d]*(?=(.?))", re.DOTALL)
_NO_JOINER, _ZERO_WIDTH_JOINER = "\u200c\u200d"
_VIRAMA = 9
# Letters of Arabic and Syriac that join no next one (Joining_Type R and U), so that nothing has to
# keep them apart; and those that join none at all, as those of Thaana and the presentation forms.
_UNJOINED = (
    "\u0621\u0674\u0780-\u07b1\u0861\u0866\u0887\u0888\u08ad\ufb50-\uffff\U00010000-\U0010ffff"
)
_JOINS_NO_NEXT = re.compile(
    "[\u0622-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0"
    "\u06c3-\u06cb\u06cd\u06cf\u06d2\u06d3\u06d5\u06ee\u06ef\u0710\u0715-\u0719\u071e\u0728\u072a"
    "\u072c\u072f\u074d\u0759-\u075b\u076b\u076c\u0771\u0773\u0774\u0778\u0779\u0867\u0869\u086a"
    f"\u0870-\u0882\u088e\u08aa-\u08ac\u08ae\u08b1\u08b2\u08b9{_UNJOINED}]"
)
_JOINS_NONE = re.compile(f"[{_UNJOINED}]")
_APART = 4
"""Signs that one letter of a name may be written with."""
_SKIN_TONES = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
_ARROW = "\u2194"
# A page shows any number of any of them as one.
_SPACES = re.compile("[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]+")
_UNFIT = {"Cc": "a control character", "Zl": "a line break", "Zp": "a line break"}


class RowError(ValueError):
    """A row of a run table cannot be used."""

    def __init__(self, message: str, reason: Reason = Reason.BAD_RUN_ROW) -> None:
        super().__init__(message)
        self.reason = reason


def optional_text(row: AnyRow, key: str) -> str:
    """Return a cell as text, empty where there is none; a whole number as its digits."""
    value = row.get(key)
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise RowError(f"`{key}` is {shown(value)}, not text")
    return value.strip()


def text_of(row: AnyRow, key: str) -> str:
    """Return a name in its one form: nothing invisible, accents composed, single spaces."""
    text, most = optional_text(row, key), _MOST_LETTERS[key]
    if not text.isascii():
        text = text.translate(_INVISIBLE)
        # letters that are written with their accents apart become fewer
        text = _with_joiners(text) if len(text) <= _APART * most else text
    text = _SPACES.sub(" ", text).strip()
    if not text:
        raise RowError(f"`{key}` is empty; give it a value")
    if len(text) > most:
        raise RowError(f"`{key}` has {len(text)} characters; at most {most} are allowed")
    _check_characters(text, key)
    return text


def _with_joiners(text: str) -> str:
    """Return composed text with such joiners alone as can be seen there."""
    # where one is left out marks come together, and change their order: that decides of the next
    before = None
    while text != before:
        before, text = text, composed(_JOINER.sub(_joined, composed(text)))
    return text


def _joined(found: re.Match[str]) -> str:
    """Leave a joiner where it can be seen: between two signs that look otherwise without it."""
    before, joiner, after = found.groups()
    return f"{before}{joiner}" if before and after and _shows(before, joiner, after) else before


def _shows(before: str, joiner: str, after: str) -> bool:
    """Tell whether a joiner between two signs may change what is seen of them."""
    if unicodedata.category(after) == "Lo":
        if unicodedata.combining(before) == _VIRAMA:
            return unicodedata.bidirectional(after) == "L"
        return (
            joiner == _NO_JOINER  # the other one joins what is joined
            and all(unicodedata.bidirectional(sign) == "AL" for sign in (before, after))
            and unicodedata.category(before) == "Lo"
            and not _JOINS_NO_NEXT.match(before)
            and not _JOINS_NONE.match(after)
        )
    is_picture = unicodedata.category(before) == "So" or before in _SKIN_TONES
    is_next = unicodedata.category(after) == "So" or after == _ARROW
    return joiner == _ZERO_WIDTH_JOINER and is_picture and is_next


def listed_submission(row: AnyRow) -> str | None:
    """Return the path that a line of a ``submission.jsonl`` states; None where it is null."""
    if "submission_path" not in row:
        raise RowError("`submission_path` is missing; write null for a run that left no submission")
    return None if row["submission_path"] is None else path_of(row, "submission_path")


def path_of(row: AnyRow, key: str) -> str:
    """Return the path of a submission, which is one that a file can have here."""
    path = row[key]
    if not isinstance(path, str):
        raise RowError(f"`{key}` is {shown(path)}, not text")
    if not path.strip():
        raise RowError(f"`{key}` is empty; write null for a run that left no submission")
    _check_characters(path, key)
    if _PATHVAR.search(path):
        raise RowError(
            f"`{key}` {shown(path)} holds a name in angle brackets, which Snakemake takes for one "
            "of its own; rename the file"
        )
    size = len(path.encode())
    if size <= _NAME_MAX:
        return path
    longest = max(len(part.encode()) for part in path.split("/"))
    if size > _PATH_MAX or longest > _NAME_MAX:
        raise RowError(
            f"`{key}` has {size} bytes, its longest part {longest}: no file can "
            f"have a path above {_PATH_MAX} or a name above {_NAME_MAX} bytes"
        )
    return path


def _check_characters(text: str, key: str) -> None:
    """Refuse what a table, a page or Snakemake would take for something else."""
    # An agent's name is part of no path.
    braces = "" if key == "agent" else "{}"
    if text.isascii() and text.isprintable() and not any(brace in text for brace in braces):
        return
    for character in text:
        category = unicodedata.category(character)
        if character in braces:
            found = "a brace, which Snakemake takes for a wildcard"
        elif category == "Cs" and "\udc80" <= character <= "\udcff":
            found = "a byte that is not UTF-8; write the table as UTF-8"
        elif category == "Cs" or character == "\ufffd" or (ord(character) & 0xFFFE) == 0xFFFE:
            found = "half a character, or what is none"
        elif category in _UNFIT:
            found = _UNFIT[category]
        else:
            continue
        raise RowError(f"`{key}` {shown(text)} holds {found}")


def check_whole_numbers(row: AnyRow) -> None:
    """Refuse a row one of whose columns of whole numbers holds none that can be meant."""
    for key in _LARGEST:
        integer_of(row, key)


def integer_of(row: AnyRow, key: str) -> int | None:
    """Return a whole number within what its column may hold; None for an empty cell."""
    value = row.get(key)
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    # Where a column has gaps, pandas writes 1 as 1.0.
    match = _WHOLE.fullmatch(str(value).strip()) if not isinstance(value, bool) else None
    if isinstance(value, float) and value.is_integer():
        number = int(value)
    elif match:
        number = int(match[1])
    else:
        hint = _whole_hint(value) or number_hint([value])
        raise RowError(f"`{key}` {shown(value)} is not a whole number{hint}")
    if not _LOWEST[key] <= number <= _LARGEST[key]:
        raise RowError(
            f"`{key}` {shown(number)} is out of range: {_LOWEST[key]} to {_LARGEST[key]}"
        )
    return number


def _whole_hint(value: object) -> str:
    """Return how a whole number is written, to be added where one is written otherwise (1e3)."""
    text = str(value).strip()
    try:
        number = Decimal(text[: _MOST_DIGITS + 1])
    except ArithmeticError:
        return ""
    exponent = number.as_tuple().exponent
    if len(text) > _MOST_DIGITS or not isinstance(exponent, int) or abs(exponent) > _MOST_DIGITS:
        return ""  # nothing that a person would write out
    return f"; write {int(number)}" if number == int(number) else ""


def time_of(text: str) -> str | None:
    """Return a time in UTC; one without a zone is taken for UTC."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise RowError(
            f"`time` {shown(text)} is not ISO 8601, such as 2025-03-31T12:00:00Z"
        ) from None
    # Only then: at the ends of what dates can hold, a zone leads out of them.
    if moment.year in _YEARS:
        moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    if moment.year not in _YEARS:
        raise RowError(
            f"`time` {shown(text)} is outside the years {_YEARS.start} to {_YEARS.stop - 1}"
        )
    return moment.isoformat(timespec="seconds")


def printable(text: str, most: int = 200) -> str:
    """Return text that every table, log and page can hold."""
    return plain(text[:most], one_line=True)[:most]
