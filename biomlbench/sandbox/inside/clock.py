"""How much time a case has had: less than has passed where the machine ran others instead.

A limit on the clock alone would book a busy machine on the candidate. The kernel counts for each
thread how long it ran and how long it was ready to run and had to wait. Of an interval, what the
thread that waited longest waited is lost; but no more than the granted cores' time that the
processes did not use, because a candidate that only crowds out itself has lost nothing.

References
----------
Linux kernel, Documentation/scheduler/sched-stats.rst, /proc/<pid>/schedstat.
"""

from __future__ import annotations

import os
import time

# Spelt out because nothing here may import what a case does not need; checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["LONGEST", "STEP_S", "Clock", "Limit", "others"]

STEP_S = 0.25
"""Seconds between two looks: short beside any limit, long beside what a look costs."""
LONGEST = 10
"""How many times its limit a case may take by the clock, however busy the machine is."""
_NS = 1e9


class Clock:
    """Seconds that some processes have had since this was made.

    Parameters
    ----------
    cores : int
        How many they may use at a time.
    processes : callable
        Returns their ids.
    """

    def __init__(self, cores: int, processes: Callable[[], Iterable[int]]) -> None:
        self._cores = cores
        self._processes = processes
        self._looked = time.monotonic()
        self._had = 0.0
        self._known: dict[str, tuple[int, int]] = {}

    def had(self, at_least_s: float = STEP_S) -> float:
        """Return the seconds had; what came after the last look counts in full.

        Parameters
        ----------
        at_least_s : float
            A new look is taken only if the last one is as long ago.
        """
        now = time.monotonic()
        if now - self._looked >= at_least_s:
            self._look(now)
        return self._had + now - self._looked

    def _look(self, now: float) -> None:
        ran, waited, known = 0, 0, {}
        for path in _threads(self._processes()):
            try:
                with open(path, "rb") as file:
                    run, wait = (int(word) for word in file.read().split()[:2])
            except (OSError, ValueError):
                continue
            known[path] = run, wait
            before = self._known.get(path, (0, 0))
            if run < before[0]:
                # Another thread that was given the same id.
                before = 0, 0
            ran += run - before[0]
            waited = max(waited, wait - before[1])
        passed = now - self._looked
        unused = passed - ran / _NS / self._cores
        self._had += passed - max(0.0, min(waited / _NS, unused, passed))
        self._looked, self._known = now, known


class Limit:
    """A limit that a busy machine does not use up; on the clock it is :data:`LONGEST` times it.

    Parameters
    ----------
    clock : Clock
    seconds : float
    """

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock = clock
        self._end = clock.had() + seconds
        self._last = time.monotonic() + LONGEST * seconds

    def left(self) -> float:
        """Return the seconds until the next look at most; 0 once the limit is reached."""
        left = self._end - self._clock.had()
        if left <= 0:
            left = self._end - self._clock.had(0.0)
        return max(0.0, min(left, STEP_S, self._last - time.monotonic()))


def _threads(processes: Iterable[int]) -> Iterable[str]:
    for pid in processes:
        try:
            for thread in os.listdir(f"/proc/{pid}/task"):
                yield f"/proc/{pid}/task/{thread}/schedstat"
        except OSError:
            continue


def others() -> list[int]:
    """Return every process of this process-id namespace but this one."""
    own = str(os.getpid())
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != own]
