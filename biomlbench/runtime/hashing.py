"""Hashes of files."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from biomlbench.runtime.regular_file import opened_regular

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["file_sha256", "is_sha256"]

_SHA256 = re.compile("[0-9a-f]{64}")


def is_sha256(text: str | None) -> bool:
    """Tell whether a recorded hash is one of content, and no word for what was never read.

    Examples
    --------
    >>> is_sha256("f" * 64), is_sha256("absent"), is_sha256("too-large-134217729")
    (True, False, False)
    """
    return isinstance(text, str) and _SHA256.fullmatch(text) is not None


def file_sha256(path: Path) -> str:
    """Return a file's SHA-256, lower-case hexadecimal; a submission's has limits of its own.

    Raises
    ------
    OSError
        If it cannot be read, or is no regular file: no pipe is waited for.
    """
    with opened_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
