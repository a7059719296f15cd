"""Wait for what has to happen, however busy the machine is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

HANG_S = 1800.0
"""Seconds after which a test counts as hung; no test's outcome depends on less."""
_T = TypeVar("_T")


def wait_until(
    condition: Callable[[], _T],
    what: str = "",
    step_s: float = 0.05,
    by: subprocess.Popen[Any] | None = None,
) -> _T:
    """Return what `condition` gives once that is true; fail where the process `by` ends before."""
    end = time.monotonic() + HANG_S
    while not (found := condition()):
        if by is not None and by.poll() is not None and not (found := condition()):
            said = by.stdout.read() if by.stdout else ""
            raise AssertionError(
                f"it ended with {by.returncode} before: {what or condition} {said}"
            )
        assert time.monotonic() < end, f"waited for nothing: {what or condition}"
        time.sleep(step_s)
    return found
