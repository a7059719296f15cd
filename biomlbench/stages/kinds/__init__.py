"""The kinds of submissions, a file each, found by looking into this folder.

A kind's file defines what :class:`Kind` lists. It is imported where the workflow is planned, so
that it imports what does the work (the sandbox, the metrics, the checks) within its functions.
Files whose name starts with an underscore are no kinds.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from biomlbench.by_name import by_name

if TYPE_CHECKING:
    import pyarrow as pa

    from biomlbench.contracts.rows import CaseRow, GradeRow, StructureRow
    from biomlbench.stages import Context, Pair
    from biomlbench.stages.preparing import Prepared
    from biomlbench.task.task import Task
    from biomlbench.verify import CheckOutcome

__all__ = [
    "Kind",
    "Verified",
    "all_kinds",
    "get_kind",
    "has_cases",
    "judged_by",
    "kind_of",
    "kinds_for",
    "shares_jobs",
]


class Verified(NamedTuple):
    """The rows of all checks of a pair, and its hidden score, None where it has none."""

    outcomes: list[CheckOutcome]
    hidden_score: float | None


class Kind(Protocol):
    """What a kind's file defines.

    Attributes
    ----------
    NAME : str
        The file's name.
    TASK : str
        The kind of task that takes such submissions. The kind of that very name also prepares
        those tasks.
    ENDINGS : tuple of str
        Endings of file names, in lower case, that tell it from the task's other kinds; empty for
        the kind that a file is of where no ending says otherwise.
    SUFFIX : str
        Ending of a file of this kind that has no name of its own.
    IS_CODE : bool
        Whether it is run in the sandbox.
    HAS_CASES : bool
        Whether it is called on cases, each of which has a row of its own in ``execute``.
    SHARES_JOBS : bool
        Whether pairs of a task may share a job; only where none can harm another.
    VALID : str
        What a competitor is told of a submission whose structure is right.
    """

    NAME: str
    TASK: str
    ENDINGS: tuple[str, ...]
    SUFFIX: str
    IS_CODE: bool
    HAS_CASES: bool
    SHARES_JOBS: bool
    VALID: str

    def validate(self, submission: str, task: Task) -> list[StructureRow]:
        """Return one row a structural check, without opening the answers."""

    def execute(self, pair: Pair, context: Context) -> list[CaseRow]:
        """Return the rows of ``execute`` of a valid submission, but for the pair's ids."""

    def grade(self, pair: Pair, context: Context, execute: pa.Table) -> GradeRow:
        """Return the row of ``grade`` of a submission that ran, but for the pair's ids."""

    def verify(self, pair: Pair, context: Context, execute: pa.Table, grade: GradeRow) -> Verified:
        """Return all checks of a submission that ran; `grade` is its row of that table."""

    def prepare(self, task: Task, *, force: bool = False) -> Prepared:
        """Prepare a task of the kind `TASK`, anew if `force` says so."""

    def answers_hash(self, task: Task) -> str:
        """Return the hash of what a task's submissions are judged by."""


@cache
def all_kinds() -> dict[str, Kind]:
    """Return every kind by its name, in alphabetical order."""
    names = sorted(info.name for info in pkgutil.iter_modules(__path__))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names if name[0] != "_"]
    return by_name((kind.NAME, kind) for kind in (cast("Kind", module) for module in modules))


def taken_names() -> set[str]:
    """Return what one more kind may not be called: kinds, and endings of what they take."""
    endings = {ending for kind in all_kinds().values() for ending in (*kind.ENDINGS, kind.SUFFIX)}
    return {*all_kinds(), *(ending.removeprefix(".") for ending in endings), "csv", "parquet"}


def get_kind(name: str) -> Kind:
    """Return a kind.

    Raises
    ------
    ValueError
        If there is none of that name.
    """
    try:
        return all_kinds()[name]
    except KeyError:
        known = ", ".join(all_kinds())
        raise ValueError(f"there is no kind of submission {name!r}; there are: {known}") from None


def kinds_for(task_kind: str) -> dict[str, Kind]:
    """Return the kinds of submissions that a kind of task takes."""
    return {name: kind for name, kind in all_kinds().items() if task_kind == kind.TASK}


def kind_of(submission: str, task_kind: str) -> str:
    """Return the kind of a submission after its task's kind and its file's name, in any case.

    Examples
    --------
    >>> kind_of("model.py", "predictions"), kind_of("model.py", "functions")
    ('program', 'functions')
    >>> kind_of("MODEL.PY", "predictions"), kind_of("table.csv", "predictions")
    ('program', 'predictions')
    """
    found, lower = kinds_for(task_kind), submission.lower()
    for name, kind in found.items():
        if kind.ENDINGS and lower.endswith(kind.ENDINGS):
            return name
    return next(name for name, kind in found.items() if not kind.ENDINGS)


def has_cases(name: str) -> bool:
    """Tell whether a kind's submissions are called on cases; a bad row has no kind, and none."""
    kind = all_kinds().get(name)
    return kind is not None and kind.HAS_CASES


def shares_jobs(name: str) -> bool:
    """Tell whether a kind's pairs may share a job; a bad row has no kind, and no job."""
    kind = all_kinds().get(name)
    return kind is not None and kind.SHARES_JOBS


def judged_by(task: Task, _context: Context) -> dict[str, str]:
    """Return the provenance of what submissions are judged by, for a stage's ``sources``."""
    from biomlbench.errors import TaskError
    from biomlbench.task.version import ABSENT

    try:
        return {"answers_sha256": get_kind(task.kind).answers_hash(task)}
    except TaskError:  # where they are is not told; the rows of the stage say why
        return {"answers_sha256": ABSENT}
