"""JSON that others wrote: what is made of it may be twenty times as large as its text."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.runtime.bounded import OverdrawnError, call_bounded
from biomlbench.runtime.regular_file import MAX_LIST_MB

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import JsonObject

__all__ = ["check_json"]

HARMLESS_BYTES = 1 << 20
"""What takes no more than some 25 MB of memory, whatever it says."""
_PARSE = f"{__name__}:_parse"


def check_json(path: Path, size: int, member: str | None = None) -> None:
    """Check that JSON can be read without more memory than a large benchmark's takes.

    Parameters
    ----------
    path : Path
        A file of JSON, or a zip file.
    size : int
        Bytes of the JSON.
    member : str, optional
        Its name in the zip file.

    Raises
    ------
    ValueError
        If it is too large, no JSON, or takes more.
    """
    if size > MAX_LIST_MB * 2**20:
        raise ValueError(f"larger than {MAX_LIST_MB} MiB")
    if size <= HARMLESS_BYTES:
        return
    try:
        call_bounded(_PARSE, {"path": str(path), "member": member, "size": size})
    except OverdrawnError as error:
        raise ValueError(f"reading it {error}") from None


def _parse(job: JsonObject) -> bool:
    path = Path(job["path"])
    if job["member"] is None:
        json.loads(path.read_bytes())
    else:
        with zipfile.ZipFile(path) as file, file.open(job["member"]) as member:
            json.loads(member.read(job["size"]))
    return True
