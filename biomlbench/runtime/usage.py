"""Time and memory that a call takes in this process."""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Usage", "measured"]

_Value = TypeVar("_Value")
_PROCESS = Path("/proc/self")
_RESET_PEAK = "5"  # proc(5), clear_refs: the peak of the resident memory starts anew
_PEAK = re.compile(r"^VmHWM:\s+(\d+) kB", re.MULTILINE)
_KB_PER_MB = 1024


class Usage(NamedTuple):
    """What a call took.

    Attributes
    ----------
    wall_s, cpu_s : float
        Seconds; CPU time with that of processes that ended in between.
    peak_mb : float or None
        Most resident memory of this process, MiB; None where the kernel does not tell.
    """

    wall_s: float
    cpu_s: float
    peak_mb: float | None

    def table(self) -> str:
        """Return it as a table with the names and units of Snakemake's ``benchmark:``."""
        peak = "NA" if self.peak_mb is None else f"{self.peak_mb:.2f}"
        return f"s\tmax_rss\tcpu_time\n{self.wall_s:.4f}\t{peak}\t{self.cpu_s:.2f}\n"

    def __str__(self) -> str:
        peak = "" if self.peak_mb is None else f", peak memory {self.peak_mb:.0f} MiB"
        return f"{self.wall_s:.3f} s, CPU time {self.cpu_s:.2f} s{peak}"


def measured(call: Callable[[], _Value]) -> tuple[_Value, Usage]:
    """Call a function; return what it returned, and what that took.

    Parameters
    ----------
    call : callable

    Returns
    -------
    value : object
    usage : Usage
    """
    with suppress(OSError):  # Not on every kernel; then the peak is that of the process's life.
        (_PROCESS / "clear_refs").write_text(_RESET_PEAK)
    wall, cpu = time.monotonic(), _cpu_s()
    value = call()
    return value, Usage(time.monotonic() - wall, _cpu_s() - cpu, _peak_mb())


def _cpu_s() -> float:
    return sum(os.times()[:4])


def _peak_mb() -> float | None:
    with suppress(OSError):
        if found := _PEAK.search((_PROCESS / "status").read_text()):
            return int(found[1]) / _KB_PER_MB
    return None
