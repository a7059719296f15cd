"""Where the caches of this user's programs are, also for an account without a home folder."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["temporary_cache", "user_cache"]


def user_cache() -> Path:
    """Return ``$XDG_CACHE_HOME``, else ``~/.cache``.

    Where there is no home folder, or one that neither is there nor can be made (``/nonexistent``,
    which accounts of services have), what they make goes with the other temporary files.
    """
    if declared := os.environ.get("XDG_CACHE_HOME"):
        return Path(declared).expanduser().absolute()
    try:
        found = Path.home() / ".cache"
    except RuntimeError:
        return temporary_cache()
    return found if found.is_dir() or _can_be_made(found) else temporary_cache()


def temporary_cache() -> Path:
    """Return this user's folder of caches among the temporary files."""
    return Path(tempfile.gettempdir()) / f"cache-{os.getuid()}"


def _can_be_made(folder: Path) -> bool:
    """Tell whether a folder is there to be written to, or whether it can be made."""
    there = next((one for one in (folder, *folder.parents) if one.exists()), folder)
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)
