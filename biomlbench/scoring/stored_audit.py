"""What a stored audit says of a task, and what that does to a medal on it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.errors import TaskError
from biomlbench.outcomes import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

__all__ = ["FILE", "Standing", "StoredAudit", "read_stored_audit"]

FILE = "findings.json"
"""Name of the file that an audit is stored in."""
_TOUCHES = ("severe", "moderate")


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
        The worst first.
    """

    complete: bool
    standing: tuple[Standing, ...]

    @property
    def state(self) -> str:
        """``open``, ``partial`` (nothing found, and not all looked at) or ``clean``."""
        return "open" if self.standing else "clean" if self.complete else "partial"

    def touching(self, checks: Iterable[Mapping[str, Any]]) -> list[Standing]:
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


def read_stored_audit(path: Path) -> StoredAudit:
    """Read the findings that an audit has left.

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
            if one["open"] and not one["waived"] and one["severity"] != "note"
        )
        return StoredAudit(bool(audit["grader"]) and not audit["skipped"], standing)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TaskError(
            f"{path}: is no stored audit ({type(error).__name__}); audit the task again"
        ) from error
