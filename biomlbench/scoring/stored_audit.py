"""What a stored audit says of a task, and what that does to a medal on it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from biomlbench.errors import TaskError
from biomlbench.outcomes import Gravity, Outcome

from .audit_currency import changed

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from biomlbench.contracts.rows import VerifyRow
    from biomlbench.task.task import Task

__all__ = ["FILE", "Standing", "StoredAudit", "read_stored_audit"]

FILE = "findings.json"
"""Name of the file that an audit is stored in."""
_TOUCHES = (Gravity.SEVERE, Gravity.MODERATE)


class Standing(NamedTuple):
    """A finding that speaks against the task: grading here lets it through, and nobody waived it.

    ``medal`` is what is said of a medal that it touches, ``covered_by`` the check that fails
    whoever uses it; empty where there is none.
    """

    name: str
    severity: str
    what: str
    medal: str
    covered_by: str

    @property
    def words(self) -> str:
        """Say of a medal what is to be known of it."""
        return f"medal on a task {self.medal} ({self.severity}: {self.name})"


@dataclass(frozen=True)
class StoredAudit:
    """An audit as medals depend on it.

    Attributes
    ----------
    complete : bool
        All could be looked at.
    standing : tuple of Standing
        The worst first; none of one that is stale.
    changed : tuple of str
        What has changed since, of what the audit depends on; such an audit is stale, and counts
        neither for the task nor against it.
    """

    complete: bool
    standing: tuple[Standing, ...]
    changed: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """``stale``, ``open``, ``partial`` (nothing found, not all looked at) or ``clean``."""
        if self.changed:
            return "stale"
        return "open" if self.standing else "clean" if self.complete else "partial"

    @property
    def note(self) -> str:
        """Say that it is stale, and what to do; empty where it is not."""
        if not self.changed:
            return ""
        return f"the audit is stale: {', '.join(self.changed)} changed since; audit the task again"

    def touching(self, checks: Iterable[VerifyRow]) -> list[Standing]:
        """Return the findings that touch a medal.

        Parameters
        ----------
        checks : iterable of mapping
            The pair's rows of ``verify``. A finding whose check has passed does not touch it.
        """
        outcomes: dict[str, set[str]] = {}
        for row in checks:
            outcomes.setdefault(row["check"], set()).add(row["outcome"])
        return [
            one
            for one in self.standing
            if one.severity in _TOUCHES and outcomes.get(one.covered_by) != {Outcome.PASSED}
        ]


def read_stored_audit(path: Path, task: Task | None = None) -> StoredAudit:
    """Read the findings that an audit has left.

    Parameters
    ----------
    path : path
    task : Task, optional
        As it is now; without, it is not looked whether the audit is stale.

    Raises
    ------
    TaskError
        If the file is not one that an audit writes.
    """
    try:
        audit = json.loads(path.read_text(encoding="utf-8"))
        standing = tuple(
            Standing(*(str(one[name]) for name in Standing._fields))
            for one in audit["findings"]
            if one["open"] and not one["waived"] and one["severity"] != Gravity.NOTE
        )
        complete = bool(audit["grader"]) and not audit["skipped"]
        then = dict(audit["made_of"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise TaskError(
            f"{path}: is no stored audit ({type(error).__name__}); audit the task again"
        ) from error
    since = changed(then, task) if task else ()
    return StoredAudit(complete, () if since else standing, since)
