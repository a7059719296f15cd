"""Wait for what has to happen, however busy the machine is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

HANG_S = 1800.0
"""Seconds after which a test counts as hung; no test's outcome depends on less."""
_T = TypeVar("_T")


def wait_until(condition: Callable[[], _T], what: str = "", step_s: float = 0.05) -> _T:
    """Return what `condition` gives once that is true."""
    end = time.monotonic() + HANG_S
    while not (found := condition()):
        assert time.monotonic() < end, f"waited for nothing: {what or condition}"
        time.sleep(step_s)
    return found
