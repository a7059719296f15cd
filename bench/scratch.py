"""Folders for what is measured, removed when all is measured.

Not one by one: ext4 without a journal takes the inode of no file that was deleted in the last
minutes, and looks at each of these for every new file, which then takes up to 1 ms, not 0.03.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from contextlib import nullcontext

__all__ = ["kept_folder"]


def kept_folder() -> nullcontext[str]:
    """Make a folder, as `tempfile.TemporaryDirectory` does, that is kept until the process ends."""
    folder = tempfile.mkdtemp(prefix="bench-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return nullcontext(folder)
