"""What the operator of a server decides."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from biomlbench.stages import Context

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Settings"]


def _cpus() -> int:
    return os.cpu_count() or 1


@dataclass(frozen=True)
class Settings:
    """Limits and places of a server.

    Attributes
    ----------
    context : Context
        Where tasks and data are, and how submitted code is kept apart.
    task_id : str or None
        Task of a request that names none.
    max_upload_mb : int
        Largest request to ``/validate``, in MiB. Code is limited to 1 MiB besides.
    jobs : int
        Sandboxes, and validations, at one time.
    waiting : int
        Requests that may wait for one of them; more are told to come back later.
    timeout_s : float
        Seconds that the cases of one candidate may take together, unless its card has a
        ``total_wall_s`` of its own, and seconds that a request may wait for its turn.
    upload_s : float
        Seconds that a client may take to send a request.
    """

    context: Context = field(default_factory=Context)
    task_id: str | None = None
    max_upload_mb: int = 100
    jobs: int = field(default_factory=_cpus)
    waiting: int = 32
    timeout_s: float = 120.0
    upload_s: float = 60.0

    def __post_init__(self) -> None:
        for name, value in self._positive():
            if not value > 0:
                raise ValueError(f"{name} must be greater than 0, not {value!r}")

    def _positive(self) -> Iterator[tuple[str, float]]:
        for name in ("max_upload_mb", "jobs", "timeout_s", "upload_s"):
            yield name, getattr(self, name)
