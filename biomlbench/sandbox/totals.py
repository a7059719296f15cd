"""What all cases of one candidate have used together, against its limits."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from biomlbench.sandbox.inside.clock import LONGEST
from biomlbench.sandbox.meter import POLL_S

if TYPE_CHECKING:
    from biomlbench.sandbox.model import CaseResult, Limits
    from biomlbench.sandbox.session import Session

__all__ = ["Totals"]

MB = 1 << 20
MOST_OVERRUNS = 8
"""Cases that may pass their time limit; code that never ends would take it for each of hundreds.

So much time, and no more, may also be taken by cases that end in another way without a result.
"""


class Totals:
    """The account of one candidate over all its sandboxes.

    Parameters
    ----------
    limits : Limits

    Attributes
    ----------
    cpu_s : float
        Of the sandboxes that have ended, their start included.
    had_s : float
        Seconds that those sandboxes had, without what a busy machine took.
    restarts : int
        Sandboxes that were started because the one before was lost.
    overruns : int
        Cases that passed their time limit.
    wasted_s : float
        Seconds of cases that ended without a result.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._start = time.monotonic()
        self._next_look = 0.0
        self._held = 0
        self.cpu_s = 0.0
        self.had_s = 0.0
        self.restarts = 0
        self.overruns = 0
        self.wasted_s = 0.0

    @property
    def wall_s(self) -> float:
        """Seconds since the candidate's first sandbox was asked for."""
        return time.monotonic() - self._start

    def count(self, result: CaseResult) -> None:
        """Add the time of a case that has run, if it gave nothing for it."""
        if result.payload is None and not result.total:
            self.overruns += result.status == "time_limit"
            self.wasted_s += result.wall_s

    def hold(self, size: int) -> bool:
        """Add what a result takes outside; whether all results still fit."""
        self._held += size
        return self._held <= self._limits.all_output_mb * MB

    def spent(self, session: Session | None = None) -> tuple[str, str] | None:
        """Return the status and message of the first total that is used up, or None.

        Parameters
        ----------
        session : Session, optional
            The sandbox that runs, whose CPU time is then looked at now and again.
        """
        limits = self._limits
        if self._held > limits.all_output_mb * MB:
            return "output_limit", f"all cases together gave more than {limits.all_output_mb} MiB"
        if self._spent_wall(session):
            return "time_limit", f"all cases together took longer than {limits.total_wall_s:g} s"
        if self.overruns >= MOST_OVERRUNS:
            return "time_limit", f"{self.overruns} cases took longer than they may"
        if self.wasted_s > MOST_OVERRUNS * limits.wall_s:
            return "time_limit", f"cases without a result took {self.wasted_s:.0f} s together"
        if self.restarts > limits.restarts:
            return "sandbox_violation", f"all cases together needed {self.restarts} restarts"
        return self._spent_cpu(session)

    def _spent_wall(self, session: Session | None) -> bool:
        allowed = self._limits.total_wall_s
        if allowed is None:
            return False
        had = self.had_s + (session.clock.had() if session is not None else 0.0)
        return had > allowed or self.wall_s > LONGEST * allowed

    def _spent_cpu(self, session: Session | None) -> tuple[str, str] | None:
        allowed = self._limits.all_cpu_s
        if allowed is None:
            return None
        running = 0.0
        if session is not None:
            if time.monotonic() < self._next_look:
                return None
            self._next_look = time.monotonic() + POLL_S
            running = session.meter.total_cpu_s()
        if self.cpu_s + running <= allowed:
            return None
        return "time_limit", f"all cases together used more CPU time than {allowed:g} s"
