"""Run tables as files: CSV in all that Excel and pandas make of it, Parquet, and JSON Lines.

A line that cannot be read costs only itself, so lines are told apart before they are read.
"""

from __future__ import annotations

import codecs
import csv
import difflib
import json
import re
import sys
from collections import Counter
from itertools import accumulate, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.errors import UserError, explain
from biomlbench.runtime.regular_file import TooLargeError, read_regular
from biomlbench.submission.csv_hints import cells_hint
from biomlbench.submission.parquet_lines import csv_lines
from biomlbench.submission.path_hints import path_hint
from biomlbench.submission.unpacked_text import binary_kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from biomlbench.contracts.mappings import AnyRow

__all__ = [
    "RunTableError",
    "TableRow",
    "csv_rows",
    "json_rows",
    "json_rows_of",
    "recorded_text",
    "shown",
]

_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
# Above this likeness an unknown column is taken for a known one that is misspelt.
_ALIKE = 0.75
_TOO_LONG = "longer than 1,000,000 characters; split it, or leave out what says nothing of the run"


MOST_COLUMNS = 1_000
MOST_LINES = 2_000_000
MOST_IN_A_LINE = 1_000_000
"""Characters of a row, and of the header."""
_MOST_SHOWN = 300
"""Characters of a list or an object that are kept for messages."""
_MOST_OPEN = 100
"""Rows with a quotation mark that is never closed, after which no more is looked for its end."""


class RunTableError(UserError, ValueError):
    """A run table as a whole cannot be read."""


class TableRow(NamedTuple):
    """A row of a run table.

    Attributes
    ----------
    line : int
        Where it begins, from 1.
    values : dict of str to object
        By column; text in a CSV, JSON's types in JSON Lines.
    problem : str
        Why it cannot be used; empty if it can.
    """

    line: int
    values: AnyRow
    problem: str = ""


def shown(value: object, most: int = 60) -> str:
    r"""Return a value as it may stand in a message: printable, not too long.

    Examples
    --------
    >>> shown("a" * 70, 10), shown("x" + chr(0))
    ("'aaaaaa...", "'x\\x00'")
    """
    try:
        text = repr(value[: most + 1] if isinstance(value, str) else value)
    except RecursionError:  # what JSON could just be read with may be too deep to be written out
        text = f"<{type(value).__name__} in too many others>"
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _read(path: Path) -> bytes:
    try:
        if path.is_dir():
            inner = path / "submission.jsonl"
            remedy = f"name {inner}" if inner.is_file() else "name a file in it"
            raise RunTableError(f"{path}: is a folder, not a run table; {remedy}")
        return read_regular(path)
    except TooLargeError as error:
        raise RunTableError(str(error)) from None
    except FileNotFoundError:
        hint = path_hint(path) or (
            "; create it or change `runs` in the config (a relative path starts at the folder in "
            "which the workflow runs)"
        )
        raise RunTableError(f"{path}: no such run table{hint}") from None
    except (OSError, ValueError) as error:
        if isinstance(error, RunTableError):
            raise
        told = explain(error) or f"{shown(str(path))}: cannot be read ({error})"
        raise RunTableError(told) from None


def _lines(path: Path, plain: Sequence[str] = ()) -> list[str]:
    """Return the lines of a table as text, a byte that is not UTF-8 as a lone surrogate.

    Of Parquet the columns `plain` hold no lists or structs.
    """
    data = _read(path)
    if path.suffix.lower() == ".parquet":
        try:
            return csv_lines(data, plain)
        except ValueError as error:
            raise RunTableError(
                f"{path}: cannot be read as Parquet ({shown(str(error), 200)}); write it "
                "anew, with cells of text, numbers or times"
            ) from None
    return _text_lines(path, data)


def _text_lines(path: Path, data: bytes) -> list[str]:
    if kind := binary_kind(data):
        raise RunTableError(f"{path}: is {kind}, not text; export it as CSV, in UTF-8")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        data = data.decode("utf-16", "replace").encode()
    elif b"\0" in data[:4] and data[:1] not in (b"{", b""):
        raise RunTableError(
            f"{path}: is binary, or UTF-16 without a byte order mark; write it as UTF-8"
        )
    # No other character ends a line: a cell, or a text in JSON, may well hold them.
    end = b"\n" if b"\n" in data else b"\r"
    if (count := data.count(end)) > MOST_LINES:
        raise RunTableError(f"{path}: {count} lines; at most {MOST_LINES} are read; split it")
    # Line by line: as one text, a single wide character would have all others take its room.
    lines = data.removeprefix(codecs.BOM_UTF8).split(end)
    return [line.decode("utf-8", "surrogateescape").removesuffix("\r") for line in lines]


def recorded_text(path: str | Path) -> str | None:
    """Return a run table as text from which its bytes can be made again; None without a file.

    Notes
    -----
    Encode it with ``text.encode("utf-8", "surrogateescape")``.
    """
    try:
        return _read(Path(path)).decode("utf-8", "surrogateescape")
    except RunTableError:
        return None


def json_rows(path: Path) -> Iterator[TableRow]:
    """Yield the lines of a JSON Lines file; empty lines and comments (``#``, ``//``) are none.

    Raises
    ------
    RunTableError
        If the file cannot be read at all.
    """
    return json_rows_of(path, _read(path))


def json_rows_of(path: Path, data: bytes) -> Iterator[TableRow]:
    """Yield the lines of a JSON Lines file that has been read; see :func:`json_rows`."""
    lines = _text_lines(path, data)[::-1]
    count = len(lines)
    while lines:
        # Given up one by one: what is made of them may take as much room.
        line, text = count - len(lines) + 1, lines.pop()
        if len(text) > MOST_IN_A_LINE:
            yield TableRow(line, {}, _TOO_LONG)
            continue
        if not text.strip() or text.lstrip().startswith(("#", "//")):
            continue
        try:
            values = json_object(text)
        except ValueError as error:
            yield TableRow(line, {}, str(error))
        else:
            yield TableRow(line, values)


def json_object(text: str) -> dict[str, Any]:
    """Read a line of a ``submission.jsonl``; lists and objects in it are but shown.

    Raises
    ------
    ValueError
        If it is no object, or one with a key twice or with more keys than are read.
    """
    try:
        values = json.loads(text, object_pairs_hook=_object)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"not JSON ({error})") from None
    except ValueError:  # Python's, of a whole number, with a remedy for who runs it
        digits = sys.get_int_max_str_digits()
        raise ValueError(f"holds a number of more than {digits:,} digits") from None
    if not isinstance(values, dict):
        raise ValueError("not a JSON object")
    if len(values) > MOST_COLUMNS:
        raise ValueError(f"{len(values)} keys; at most {MOST_COLUMNS} are read")
    if isinstance(values, _Repeating):
        raise ValueError(f"names {values.repeated} more than once; keep one of each")
    return {name: _cell(value) for name, value in values.items()}


class _Repeating(dict[str, Any]):
    """An object that has a key more than once: which value is meant, readers do not agree on."""

    repeated = ""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    counts = Counter(name for name, _ in pairs)
    repeating = _Repeating(found)
    repeating.repeated = ", ".join([shown(name) for name in counts if counts[name] > 1][:20])
    return repeating


class _Structure:
    """A list or an object where a cell should be: as it is shown, for it may be of any size."""

    __slots__ = ("_shown",)

    def __init__(self, value: object) -> None:
        self._shown = shown(value, _MOST_SHOWN)

    def __repr__(self) -> str:
        return self._shown


def _cell(value: Any) -> Any:
    return _Structure(value) if isinstance(value, (list, dict)) else value


def csv_rows(
    path: Path, required: Sequence[str], known: Sequence[str], prefix: str
) -> tuple[Iterator[TableRow], list[str]]:
    """Read a CSV file, or Parquet as the CSV that would hold the same.

    Parameters
    ----------
    path : Path
    required, known : sequence of str
        Columns; an alternative of a required one is written ``one|other``.
    prefix : str
        Columns whose names begin so are known, too.

    Returns
    -------
    rows : iterator of TableRow
        Cells without the spaces around them.
    notes : list of str
        What was found that costs no row: another separator, a column that is not used.

    Raises
    ------
    RunTableError
        If the file cannot be read, or its header lacks a required column.
    """
    lines = _lines(path, known)
    first = next((n for n, line in enumerate(lines) if line.strip()), len(lines))
    if first < len(lines) and re.fullmatch(r'"?sep=.?"?', lines[first].strip(), re.IGNORECASE):
        first += 1  # Excel's own way to name the separator
    if first >= len(lines):
        missing = [name.split("|")[0] for name in required]
        raise RunTableError(f"{path}: is empty; missing column(s) {missing}")
    header_line = lines[first]
    if len(header_line) > MOST_IN_A_LINE:
        raise RunTableError(f"{path}:{first + 1}: {_TOO_LONG}")
    options = {mark: _names(lines, first, mark) for mark in _DELIMITERS}
    delimiter = max(options, key=lambda mark: len(set(options[mark][0]) & set(known)))
    (header, taken), where = options[delimiter], f"{path}:{first + 1}"
    notes = _check_header(header, required, known, prefix, where)
    if delimiter != ",":
        notes.append(f"{where}: the columns seem to be separated by {_DELIMITERS[delimiter]}; "
                     "read so")  # fmt: skip
    return _records(lines, first + taken, header, delimiter), notes


def _names(lines: list[str], first: int, delimiter: str) -> tuple[list[str], int]:
    """Return the names in a header, and how many lines it has: Excel breaks lines within cells."""
    try:
        names, taken = _record(lines, first, len(lines), delimiter)
    except (csv.Error, StopIteration):
        try:
            names, taken = next(csv.reader([lines[first]], delimiter=delimiter), []), 1
        except csv.Error:
            return [], 1
    names = [" ".join(name.splitlines()).strip() for name in names]
    while names and not names[-1]:
        names.pop()  # Excel's empty columns
    return names, taken


def _check_header(
    header: list[str], required: Sequence[str], known: Sequence[str], prefix: str, where: str
) -> list[str]:
    """Return what is to be said of the header's unknown columns, or refuse it."""
    missing = [name for name in required if not set(name.split("|")) & set(header)]
    unknown = [name for name in header if name not in known and not name.startswith(prefix)]
    if len(header) > MOST_COLUMNS:
        raise RunTableError(
            f"{where}: {len(header)} columns; at most {MOST_COLUMNS} are read; leave out those "
            "that say nothing of the runs"
        )
    repeated = sorted(name for name, count in Counter(header).items() if count > 1)
    near = {
        name: difflib.get_close_matches(name[:50].casefold(), known, 1, _ALIKE) for name in unknown
    }
    misspelt = [f"{shown(name)} for {match[0]!r}" for name, match in near.items() if match]
    if missing or repeated or misspelt:
        found = [
            f"missing column(s) {[name.split('|')[0] for name in missing]}" if missing else "",
            f"unknown column(s) [{', '.join(map(shown, unknown[:20]))}]" if unknown else "",
            f"repeated column(s) [{', '.join(map(shown, repeated[:20]))}]" if repeated else "",
            f"misspelt: {', '.join(misspelt)}" if misspelt else "",
        ]
        raise RunTableError(
            f"{where}: {', '.join(filter(None, found))}; allowed: {', '.join(known)}, {prefix}*"
        )
    return [f"{where}: the column {shown(name)} is not used" for name in unknown]


def _records(lines: list[str], first: int, header: list[str], delimiter: str) -> Iterator[TableRow]:
    number, open_ones = first, 0
    while number < len(lines):
        text, start = lines[number], number
        number += 1
        if len(text) > MOST_IN_A_LINE:
            yield TableRow(start + 1, {}, _TOO_LONG)
            continue
        if not text.strip(f'{delimiter}" \t'):
            continue  # Excel writes the cells of an empty row, too
        if '"' in text:
            # Each look for the end of a record may go through all lines that follow.
            last = start + 1 if open_ones >= _MOST_OPEN else len(lines)
            cells, taken, problem = _quoted(lines, start, last, len(header), delimiter)
            number = start + taken
            open_ones += bool(problem)
        else:
            cells, problem = text.split(delimiter), ""
        while len(cells) > len(header) and not cells[-1].strip():
            cells.pop()
        row = dict(zip(header, (cell.strip() for cell in cells), strict=False))
        if not problem and len(cells) != len(header):
            count = "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
            problem = f"{count} where the header has {len(header)}"
            if text.lstrip().startswith("#"):
                problem += "; comments are not read, delete the line"
            problem += _other_separator(cells, delimiter) or cells_hint(len(cells), len(header))
        yield TableRow(start + 1, row, problem)


def _quoted(
    lines: list[str], start: int, last: int, width: int, delimiter: str
) -> tuple[list[str], int, str]:
    """Read a record with quotation marks: its cells, how many lines it has, what is wrong.

    A quotation mark that is never closed would swallow all rows that follow. So a record goes on
    in the next line only where it then ends with as many cells as it should have.
    """
    try:
        return next(csv.reader([lines[start]], delimiter=delimiter, strict=True)), 1, ""
    except (csv.Error, StopIteration) as error:
        problem = f"not CSV ({error})"
    try:
        cells, taken = _record(lines, start, last, delimiter)
    except (csv.Error, StopIteration):
        cells, taken = [], 1
    if len(cells) == width and taken > 1:
        return cells, taken, ""
    cells = [cell.strip('"') for cell in lines[start].split(delimiter)]
    return cells, 1, f"{problem}; is a quotation mark never closed?"


def _record(lines: list[str], start: int, last: int, delimiter: str) -> tuple[list[str], int]:
    """Return the cells of a record of one line or several, and how many it has."""
    # A row has no more characters in several lines than in one.
    length = accumulate(len(lines[number]) + 1 for number in range(start, last))
    ends = takewhile(lambda total: total <= MOST_IN_A_LINE, length)
    rest = (f"{lines[start + number]}\n" for number, _ in enumerate(ends))
    reader = csv.reader(rest, delimiter=delimiter, strict=True)
    cells = next(reader)
    return cells, reader.line_num


def _other_separator(cells: list[str], delimiter: str) -> str:
    for mark, name in _DELIMITERS.items():
        if mark != delimiter and len(cells) == 1 and mark in cells[0]:
            return f"; the columns seem to be separated by {name}"
    return ""
