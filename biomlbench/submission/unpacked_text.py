"""The text of a submitted file: unpacked, in UTF-8, known to be text, and not too much of it."""

from __future__ import annotations

import codecs
import io
import zlib

from biomlbench.errors import InvalidSubmissionError
from biomlbench.outcomes import Reason
from biomlbench.submission.submitted_file import MAX_BYTES

__all__ = ["binary_kind", "csv_text", "gunzip"]

_MAGIC = {
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "a zip archive (or an Excel workbook)",
    b"\x1f\x8b": "gzip-compressed",
    b"\x89HDF": "an HDF5 file",
    b"\x80\x04": "a Python pickle",
}
_BOMS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
# Bytes at the beginning that tell text of two bytes a letter: names of columns are mostly ASCII.
_LOOKED_AT = 8
# Of what is unpacked or decoded at one time, bytes.
_PIECE = 2**20
# Of what is given to zlib at one time: it copies what lies behind the end of a member.
_PIECE_IN = 2**16
_GZIP = b"\x1f\x8b"
# `bgzip` makes one of each 64 KiB.
_MOST_MEMBERS = 2**16


def gunzip(data: bytes, most: int) -> bytes:
    """Unpack gzip, of one member or several, to at most so many bytes; refuse what is damaged."""
    # Piece by piece into one buffer: in one go zlib takes twice the memory.
    content = io.BytesIO()
    end = _unpack(data, 0, content, most)
    members = 1
    while data.startswith(_GZIP, end):
        members += 1
        if members > _MOST_MEMBERS:
            raise InvalidSubmissionError(
                f"the file is gzip of more than {_MOST_MEMBERS} members; compress it as one",
                Reason.TOO_LARGE,
            )
        end = _unpack(data, end, content, most)
    if end < len(data):
        raise InvalidSubmissionError(
            f"the gzip file has {len(data) - end} bytes after its end that are no gzip; "
            "compress it anew",
            Reason.UNREADABLE,
        )
    return content.getvalue()


def _unpack(data: bytes, read: int, content: io.BytesIO, most: int) -> int:
    """Unpack the member of a gzip file that begins somewhere, and return where it ends."""
    reader = zlib.decompressobj(wbits=31)
    while read < len(data) and not reader.eof:
        # What is not consumed is copied each time: little, as it comes in pieces too.
        rest = data[read : read + _PIECE_IN]
        read += len(rest)
        while rest and not reader.eof:
            try:
                content.write(reader.decompress(rest, _PIECE))
            except zlib.error as error:
                raise InvalidSubmissionError(
                    "the file is not valid gzip", Reason.UNREADABLE
                ) from error
            if content.tell() > most:
                raise InvalidSubmissionError(
                    f"the file unpacks to more than {most} bytes", Reason.TOO_LARGE
                )
            rest = reader.unconsumed_tail
    if not reader.eof:
        raise InvalidSubmissionError("the gzip file is cut off", Reason.UNREADABLE)
    return read - len(reader.unused_data)


def _as_utf8(data: bytes, encoding: str, most: int) -> bytes:
    decoder = codecs.getincrementaldecoder(encoding)()
    content = io.BytesIO()
    for start in range(2, len(data), _PIECE):
        content.write(decoder.decode(data[start : start + _PIECE]).encode())
        if content.tell() > most:
            raise InvalidSubmissionError(
                f"the file has more than {most} bytes as UTF-8", Reason.TOO_LARGE
            )
    content.write(decoder.decode(b"", final=True).encode())
    return content.getvalue()


def binary_kind(data: bytes) -> str | None:
    r"""Return what a file that should be text is instead; None where its first bytes do not tell.

    Examples
    --------
    >>> binary_kind(b"PAR1"), binary_kind(b"id,y\n")
    ('a Parquet file', None)
    """
    return next((what for magic, what in _MAGIC.items() if data.startswith(magic)), None)


def csv_text(data: bytes, most_bytes: int = MAX_BYTES) -> bytes:
    """Return a file's content as UTF-8 without a byte order mark; refuse what is no text.

    Parameters
    ----------
    data : bytes
    most_bytes : int
        More are refused.

    Raises
    ------
    InvalidSubmissionError
        With the reason ``unreadable`` or ``too_large``.
    """
    if what := binary_kind(data):
        raise InvalidSubmissionError(
            f"the file's name says text, but it is {what}", Reason.UNREADABLE
        )
    if encoding := _BOMS.get(data[:2]):
        try:
            data = _as_utf8(data, encoding, most_bytes)
        except UnicodeError as error:
            raise InvalidSubmissionError(
                "the file is not valid UTF-16; write UTF-8", Reason.UNREADABLE
            ) from error
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in data:
        wide = data[1:_LOOKED_AT:2].count(0) == len(data[1:_LOOKED_AT:2])
        hint = "; it seems to be UTF-16 without a byte order mark: write UTF-8" if wide else ""
        raise InvalidSubmissionError(f"the file is binary, not text{hint}", Reason.UNREADABLE)
    return data
