"""Hashes of files."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["file_sha256"]


def file_sha256(path: Path) -> str:
    """Return a file's SHA-256, lower-case hexadecimal; a submission's has limits of its own."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
