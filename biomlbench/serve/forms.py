"""Parsing of a received form: in a worker process, in time and memory linear in its length."""

from __future__ import annotations

import codecs
import mmap
import re
import unicodedata
from encodings.aliases import aliases
from typing import TYPE_CHECKING, NamedTuple

from python_multipart.multipart import parse_options_header

from biomlbench.serve.refusal import Refusal
from biomlbench.submission.submitted_file import quote

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["MAX_TASK_ID", "Upload", "boundary_of", "read_form"]

MAX_TASK_ID = 200
"""Longest task id that is looked up, characters."""
_FIELDS = ("file", "task_id")
_MAX_PARTS = 9
_MAX_FIELD_BYTES = 16 * 1024
_MAX_HEAD_BYTES = 16 * 1024
_MAX_BOUNDARY = 256
_EXTENDED_NAME = re.compile(rb";[ \t]*filename\*", re.IGNORECASE)
_CHUNK = 1 << 20
# Python keeps every name that it was ever asked for, also of what is no encoding.
_CHARSETS = frozenset({*aliases, *aliases.values(), "utf_8_sig"})


class Upload(NamedTuple):
    """What a form says beside its file: the file's name, and the task."""

    filename: str
    task_id: str | None


class _Part(NamedTuple):
    name: str
    filename: str | None
    start: int
    end: int


def boundary_of(content_type: str) -> bytes:
    """Return what separates the parts of a form.

    Parameters
    ----------
    content_type : str
        Header of the request.

    Raises
    ------
    Refusal
        400 if it names none, or one that is too long.
    """
    _, options = parse_options_header(content_type)
    boundary = options.get(b"boundary", b"")
    if not 0 < len(boundary) <= _MAX_BOUNDARY:
        raise Refusal(
            400, "The form cannot be read.", "Its Content-Type must name the boundary of its parts."
        )
    return boundary


def read_form(body: Path, content_type: str, max_bytes: int, file: Path) -> Upload:
    """Write a form's file to its place.

    Parameters
    ----------
    body : Path
        The request's body, as it came.
    content_type : str
        Header of the request.
    max_bytes : int
        Largest file.
    file : Path
        Where the form's file is written; it must not exist.

    Returns
    -------
    Upload

    Raises
    ------
    Refusal
        413 for a file that is too large; 400 for a form that is broken or has no file.
    """
    boundary = boundary_of(content_type)
    if not body.stat().st_size:
        raise _broken("It is empty")
    # Searching in a mapped file copies nothing, and takes the same time whatever is in it.
    with (
        body.open("rb") as opened,
        mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as content,
    ):
        parts = list(_parts(content, boundary, _charset(content_type)))
        _check_known(parts)
        sent = _only(parts, "file")
        if sent.filename is None:
            raise Refusal(400, "There is no file.", "The field `file` must carry a file name.")
        if any(unicodedata.category(sign) == "Cc" for sign in sent.filename):
            raise Refusal(
                400, "The file's name is none.", "It holds a control character; rename the file."
            )
        task_id = _task_id(parts, content, _charset(content_type))
        if sent.end - sent.start > max_bytes:
            raise Refusal(
                413, "The file is too large.", f"At most {max_bytes} bytes are accepted here."
            )
        with file.open("xb") as copy:
            for start in range(sent.start, sent.end, _CHUNK):
                copy.write(content[start : min(start + _CHUNK, sent.end)])
    return Upload(sent.filename, task_id)


def _broken(problem: str) -> Refusal:
    return Refusal(400, "The form cannot be read.", f"{problem}; send valid multipart data.")


def _charset(content_type: str) -> str:
    named = parse_options_header(content_type)[1].get(b"charset", b"utf-8").decode("latin-1")
    charset = named.lower().replace("-", "_")
    if charset not in _CHARSETS:
        return "utf-8"
    try:
        # `b""` is refused by codecs that are no text encodings, as base64.
        b"".decode(charset)
        return codecs.lookup(charset).name
    except (LookupError, ValueError):
        return "utf-8"


def _text(raw: bytes, charset: str) -> str:
    try:
        return raw.decode(charset)
    except (LookupError, ValueError):
        return raw.decode("latin-1")


def _parts(content: mmap.mmap, boundary: bytes, charset: str) -> Iterator[_Part]:
    opening, separator = b"--" + boundary, b"\r\n--" + boundary
    # What comes before the first boundary is no part of the form; it is at most some line ends.
    at = content.find(opening, 0, len(opening) + _MAX_HEAD_BYTES)
    if at < 0 or content[:at].strip(b"\r\n"):
        raise _broken("It does not begin with its boundary")
    at += len(opening)
    found = 0
    while content[at : at + 2] != b"--":
        if content[at : at + 2] != b"\r\n":
            raise _broken("A boundary is not followed by the end of its line")
        found += 1
        if found > _MAX_PARTS:
            raise Refusal(400, "The form cannot be read.", f"At most {_MAX_PARTS} fields are read.")
        head_end = content.find(b"\r\n\r\n", at, at + _MAX_HEAD_BYTES)
        if head_end < 0:
            raise _broken("A part's headers have no end")
        end = content.find(separator, head_end + 2)
        if end < 0:
            raise _broken("Its last part has no end")
        start = head_end + 4
        name, filename = _names(content[at:head_end], charset)
        yield _Part(name, filename, start, max(start, end))
        at = end + len(separator)


def _names(head: bytes, charset: str) -> tuple[str, str | None]:
    for line in head.split(b"\r\n"):
        key, _, value = line.partition(b":")
        if key.strip().lower() == b"content-disposition":
            options = parse_options_header(value.strip())[1]
            if b"name" not in options:
                break
            filename = options.get(b"filename")
            if filename is None and _EXTENDED_NAME.search(value):
                raise Refusal(
                    400,
                    "There is no file name.",
                    "It is only in `filename*`, which forms may not use (RFC 7578); send it as "
                    "`filename`.",
                )
            return _text(options[b"name"], charset), (
                None if filename is None else _text(filename, charset)
            )
    raise _broken("A part has no name")


def _check_known(parts: list[_Part]) -> None:
    # A misspelt `task_id` must not be answered for another task.
    if unknown := sorted({part.name for part in parts} - set(_FIELDS)):
        raise Refusal(
            400,
            "There is no such field.",
            f"{quote(unknown[0])} is not known; the fields are {' and '.join(_FIELDS)}.",
        )


def _only(parts: list[_Part], name: str) -> _Part:
    found = [part for part in parts if part.name == name]
    if len(found) != 1:
        problem = "is missing" if not found else "is given more than once"
        raise Refusal(400, "The form is incomplete.", f"The field `{name}` {problem}.")
    return found[0]


def _task_id(parts: list[_Part], content: mmap.mmap, charset: str) -> str | None:
    if not any(part.name == "task_id" for part in parts):
        return None
    part = _only(parts, "task_id")
    text = ""
    if too_long := part.filename is not None or part.end - part.start > _MAX_FIELD_BYTES:
        pass
    else:
        text = _text(content[part.start : part.end], charset)
        too_long = len(text) > MAX_TASK_ID
    if too_long:
        raise Refusal(
            400,
            "The task id is no task id.",
            f"`task_id` is text of at most {MAX_TASK_ID} characters.",
        )
    return text.strip() or None
