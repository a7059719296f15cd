"""The encoding that Python code declares, as PEP 263 has it."""

from __future__ import annotations

import codecs
import re

from biomlbench.errors import InvalidSubmissionError
from biomlbench.outcomes import Reason

__all__ = ["decoded_code"]

# The expressions of PEP 263: a comment of the first line, or of the second after a bare first.
_DECLARED = re.compile(rb"^([ \t\f]*#.*?coding[:=][ \t]*)([-\w.]+)", re.ASCII)
_BARE = re.compile(rb"^[ \t\f]*(?:#.*)?$")
_LINE_END = re.compile(rb"\r\n|\r|\n")
# Encodings of text whose letters of ASCII are bytes of ASCII, as Python asks of code.
_KNOWN = re.compile(
    r"utf-8|ascii|iso8859-\d+|cp(?:8|12)\d+|koi8-[rtu]|mac-\w+|gb2312|gbk|gb18030|big5(?:hkscs)?|"
    r"euc_(?:jp|kr)|shift_jis|kz1048|ptcp154|hp-roman8|tis-620|johab"
)


def decoded_code(data: bytes) -> str:
    r"""Return Python code as text that declares no encoding but UTF-8.

    Parameters
    ----------
    data : bytes

    Raises
    ------
    InvalidSubmissionError
        If it is not text in the encoding that it declares, UTF-8 by default.

    Examples
    --------
    >>> decoded_code(b"# coding: latin-1\nname = '\xe9'")
    "# coding: utf-8\nname = 'é'"
    """
    marked = data.startswith(codecs.BOM_UTF8)
    data = data.removeprefix(codecs.BOM_UTF8)
    start, name = _declared(data) or (0, "utf-8")
    encoding = "utf-8" if marked else _known(name)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        shown = "UTF-8" if encoding == "utf-8" else encoding
        raise InvalidSubmissionError(
            f"the code is not {shown} text: line {line}", Reason.UNREADABLE
        ) from error
    if name == "utf-8":
        return text
    before = len(data[:start].decode(encoding))
    return f"{text[:before]}utf-8{text[before + len(name) :]}"


def _declared(data: bytes) -> tuple[int, str] | None:
    """Return from which byte on an encoding is declared, and which; None for none."""
    start = 0
    for _ in range(2):
        end = _LINE_END.search(data, start)
        line = data[start : end.start() if end else len(data)]
        if match := _DECLARED.match(line):
            return start + match.start(2), match[2].decode()
        if end is None or not _BARE.match(line):
            return None
        start = end.end()
    return None


def _known(name: str) -> str:
    """Return the name that Python has for an encoding."""
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        found = ""
    if not _KNOWN.fullmatch(found):
        raise InvalidSubmissionError(
            f"the code declares the encoding {name[:40]!r}, in which code is not read; write it "
            "as UTF-8",
            Reason.UNREADABLE,
        )
    return found
