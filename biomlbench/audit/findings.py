"""What an audit finds."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, TypedDict, cast

from biomlbench.outcomes import Gravity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas as pd


__all__ = [
    *("COLUMNS", "SEVERITIES", "Audit", "AuditDocument", "Finding", "FindingRow", "Found"),
    "worst_first",
]

#: From the worst to the least. ``severe``: a score says nothing about the work; ``moderate``: it
#: can be raised, or a medal had, without work; ``minor``: a fault without a gain; ``note``: to be
#: known, and no fault.
SEVERITIES = tuple(Gravity)


class FindingRow(TypedDict):
    """A finding, in the table of findings."""

    task: str
    name: str
    severity: Gravity
    open: bool
    waived: str
    before: float | None
    after: float | None
    here: str
    what: str
    remedy: str
    medal: str
    covered_by: str
    submission: str


class AuditDocument(TypedDict):
    """An audit as it is stored; see :meth:`Audit.as_dict`."""

    task: str
    clean: bool
    worst: str
    grader: str
    function: str
    perfect: float | None
    chance: float | None
    tried: int
    findings: list[FindingRow]
    skipped: list[str]
    waiver_notes: list[str]
    not_tried: list[str]
    made_of: dict[str, str]


COLUMNS = tuple(FindingRow.__annotations__)
"""Columns of the table of findings."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a detector found.

    Attributes
    ----------
    name : str
        One of the detector's ``FINDINGS``.
    severity : str
        One of :data:`SEVERITIES`.
    what : str
        What was seen, with columns, counts and rows.
    before, after : float or None
        Score of the submission that was started from, and of the one that shows the fault, by the
        task's grader alone.
    submission : DataFrame, optional
        The one that shows it.
    here : str
        What grading here makes of that submission: its score, or why it has none.
    open : bool
        Grading here lets it through.
    """

    name: str
    severity: Gravity
    what: str
    before: float | None = None
    after: float | None = None
    submission: pd.DataFrame | None = field(default=None, repr=False, compare=False)
    here: str = ""
    open: bool = True


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A finding as it is reported; the attributes of :class:`Found`, and these.

    Attributes
    ----------
    name : str
        As in :class:`Found`; of a problem card, the kind of finding, a point, and which candidate.
    remedy : str
    waived : str
        Why it is accepted; empty where it is not.
    medal : str
        What is said of a medal that it touches.
    covered_by : str
        The check of predictions that fails the submission, and any other that uses the hole;
        empty where there is none. A verified medal depends on it.
    submission : bytes
        The submitted file; empty where none shows it.
    suffix : str
        Of the submitted file: a table, or Python code.
    """

    name: str
    severity: Gravity
    what: str
    remedy: str
    before: float | None
    after: float | None
    here: str
    open: bool
    waived: str
    medal: str
    covered_by: str
    submission: bytes = field(repr=False)
    suffix: str = ".csv"

    @property
    def counts(self) -> bool:
        """Whether it speaks against the task: open, not waived, and more than a note."""
        return self.open and not self.waived and self.severity != Gravity.NOTE


@dataclass(frozen=True, kw_only=True)
class Audit:
    """What the audit of a task came to.

    Attributes
    ----------
    task_id : str
    findings : tuple of Finding
        The worst first.
    grader : str
        What scored: a metric of this package, a function of the task, or a published grader.
    function : str
        ``module:function`` of the task's own or published grader; empty for a metric and a card.
    perfect, chance : float or None
        Scores of the answers themselves, and of the answers in a wrong order.
    tried : int
        Different submissions that were scored.
    skipped : tuple of str
        What could not be looked at, and why.
    waiver_notes : tuple of str
        Waivers that name no finding, or one that was not found.
    not_tried : tuple of str
        What is tried only where it is asked for, and was not; costs no task that it is clean.
    made_of : dict of str to str
        Hashes of what it depends on, as :func:`biomlbench.scoring.audit_currency.made_of` gives
        them.
    """

    task_id: str
    findings: tuple[Finding, ...] = ()
    grader: str = ""
    function: str = ""
    perfect: float | None = None
    chance: float | None = None
    tried: int = 0
    skipped: tuple[str, ...] = ()
    waiver_notes: tuple[str, ...] = ()
    not_tried: tuple[str, ...] = ()
    made_of: Mapping[str, str] = field(default_factory=dict)

    @property
    def clean(self) -> bool:
        """Whether all was looked at and no finding speaks against the task."""
        return not self.skipped and not any(one.counts for one in self.findings)

    @property
    def worst(self) -> str:
        """The severity of the worst finding that counts; empty without one."""
        return next((s for s in SEVERITIES for one in self.findings if one.counts and
                     one.severity == s), "")  # fmt: skip

    def rows(self) -> list[FindingRow]:
        """Return the findings as rows of :data:`COLUMNS`."""
        rows = []
        for finding in self.findings:
            values = {**asdict(finding), "task": self.task_id}
            values["submission"] = submission_name(finding)
            rows.append(cast("FindingRow", {name: values[name] for name in COLUMNS}))
        return rows

    def as_dict(self) -> AuditDocument:
        """Return the audit as JSON can hold it."""
        return {
            "task": self.task_id,
            "clean": self.clean,
            "worst": self.worst,
            "grader": self.grader,
            "function": self.function,
            "perfect": self.perfect,
            "chance": self.chance,
            "tried": self.tried,
            "findings": self.rows(),
            "skipped": list(self.skipped),
            "waiver_notes": list(self.waiver_notes),
            "not_tried": list(self.not_tried),
            "made_of": dict(self.made_of),
        }


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings in the order in which they are told."""
    order = {severity: place for place, severity in enumerate(SEVERITIES)}
    return tuple(sorted(findings, key=lambda one: (order[one.severity], not one.open, one.name)))


def submission_name(finding: Finding) -> str:
    """Return the file that a finding's submission is kept in; empty where it has none."""
    return f"submissions/{finding.name}{finding.suffix}" if finding.submission else ""
