"""Where the answers of the canaries are kept for a host, boot and user, and which of them count."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.sandbox.diagnosis import temporary_folder

if TYPE_CHECKING:
    from biomlbench.sandbox.providers.base import Provider

__all__ = ["file", "forget", "holds", "remember"]


def _folder() -> Path | None:
    """Return where answers are kept: the first folder of our own that can be made.

    A home that is read-only, absent or another user's (``sudo -u``) is no reason to attack
    again and again: then a folder among the temporary files does.
    """
    places = []
    with contextlib.suppress(RuntimeError):
        shared = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        own = os.environ.get("BIOMLBENCH_CACHE_DIR") or os.path.join(shared, "biomlbench")
        places.append(Path(own))
    if (temporary := temporary_folder()) is not None:
        places.append(Path(temporary) / f"biomlbench-{os.geteuid()}")
    for place in places:
        folder = place / "sandbox"
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if _is_ours(folder) and os.access(folder, os.W_OK):
                return folder
    return None


def _is_ours(path: Path) -> bool:
    info = path.lstat()
    return info.st_uid == os.geteuid() and not info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def file(provider: Provider) -> Path | None:
    """Return where a provider's answer for this host, boot and user is kept; None if nowhere."""
    folder = _folder()
    if folder is None:
        return None
    boot = Path("/proc/sys/kernel/random/boot_id")
    package = Path(__file__).parent
    sources = [package / "syscalls.py", package / "seccomp.py", package / "canaries.py"]
    sources += sorted((package / "inside").glob("*.py")) + sorted(
        (package / "providers").glob("*.py")
    )
    facts = [
        *os.uname(),
        boot.read_text() if boot.exists() else "",
        str(os.geteuid()),
        provider.name,
        provider.fingerprint(),
        sys.executable,
        *(hashlib.sha256(source.read_bytes()).hexdigest() for source in sources),
    ]
    key = hashlib.sha256("\0".join(facts).encode()).hexdigest()[:32]
    return folder / f"{provider.name}-{key}.json"


def holds(path: Path) -> bool:
    """Whether there is a good answer; only one of our own making counts."""
    try:
        return _is_ours(path) and json.loads(path.read_text())["holds"] is True
    except (OSError, ValueError, KeyError, TypeError):
        return False


def remember(path: Path) -> bool:
    """Note that a provider holds; False where that cannot be written."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "w") as stream:
            json.dump({"holds": True}, stream)
        os.replace(name, path)
    except OSError:
        return False
    return True


def forget(provider: Provider) -> None:
    """Drop a provider's cached answer."""
    path = file(provider)
    if path is not None:
        path.unlink(missing_ok=True)
