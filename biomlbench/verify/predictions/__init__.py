"""Verification of predictions: the checks, a file each, found by looking into this folder.

A check's file begins with a docstring whose first line names it and says what holds of good
predictions, and defines

``CHECK`` : str
    Its name, that of the file with hyphens.
``ORDER`` : int
    Its place among the rows, from low to high; the first that fails gives the pair's reason.
``MODE`` : str
    Which of the modes of verification it is, and so whether passing it is evidence.
``SEVERITY`` : str
    ``blocker``, ``critical`` or ``advisory``.
``REASON`` : Reason
    The reason code of its failure.
``PATTERN`` : str
    The failure pattern that it catches.
``look(predicted) -> iterable of Found``
    Look at one submission; nothing where the check does not apply to the task.
``known_bad(predicted) -> (pyarrow.Table, float) or None``
    The evidence that it can fail: right predictions spoilt, and the score that is to be believed
    of them, None where the task has nothing to spoil. A contract test holds it to that.

Files whose name starts with an underscore are no checks. What they have in common is in
``_found``; the verdict is that of :mod:`biomlbench.verify.policy`, as for problem cards.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING, Any

from biomlbench.by_name import by_name
from biomlbench.errors import TaskError
from biomlbench.outcomes import Outcome, Reason, Severity, Suite, sentence
from biomlbench.runtime.once import once
from biomlbench.verify.policy import GATE, CheckOutcome
from biomlbench.verify.predictions._found import Found, Predicted

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    import pyarrow as pa

    from biomlbench.submission.answers import Answers
    from biomlbench.task.task import Task

__all__ = ["Found", "Predicted", "all_checks", "judge"]

SUITE = Suite.HIDDEN


@cache
def all_checks() -> dict[str, ModuleType]:
    """Return every check's module by the check's name, in the order of their rows."""
    names = sorted(info.name for info in pkgutil.iter_modules(__path__))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names if name[0] != "_"]
    return by_name((module.CHECK, module) for module in sorted(modules, key=_order))


def _order(check: Any) -> tuple[int, str]:
    return check.ORDER, check.CHECK


def judge(
    task: Task,
    submission: str | Path | bytes | pa.Table,
    answers: Answers | None,
    score: float,
    *,
    name: str | Path | None = None,
    root: str | Path | None = None,
    public: Path | None = None,
) -> list[CheckOutcome]:
    """Verify predictions that have a score.

    Parameters
    ----------
    task : Task
    submission : path, bytes or pyarrow.Table
        As for :func:`biomlbench.submission.validation.inspect_submission`.
    answers : Answers or None
        Read when not given.
    score : float
        The score that is to be believed.
    name, root
        As for :func:`biomlbench.submission.validation.inspect_submission`.
    public : Path, optional
        Folder of the public files; by default the task's own.

    Returns
    -------
    list of CheckOutcome
        A gate row, then a row for each check that applies to the task.

    Raises
    ------
    TaskError
        If the task's own files are broken.
    """
    from biomlbench.submission.validation import inspect_submission

    inspection = inspect_submission(submission, task, name=name, root=root)
    if failure := inspection.first_failure:
        return [_gate(Outcome.FAILED, *failure)]
    if inspection.sample is None:
        size = f"{len(inspection.data)} bytes, which only the task's grader reads"
        return [_gate(Outcome.PASSED, Reason.OK, size)]
    predicted = Predicted(task, inspection, answers, float(score), public or _public_dir(task))
    rows = [_gate(Outcome.PASSED, Reason.OK, f"{predicted.table.num_rows} rows")]
    for check in all_checks().values():
        rows += _rows(check, predicted)
    return rows


def _public_dir(task: Task) -> Path:
    return once(("public folder", task), lambda: task.public_dir)


def _gate(outcome: Outcome, reason: Reason, message: str) -> CheckOutcome:
    return CheckOutcome("readable", SUITE, GATE, Severity.BLOCKER, outcome, reason, message)


def _rows(check: Any, predicted: Predicted) -> list[CheckOutcome]:
    """Return a check's rows; that it breaks is its own fault, not the submission's."""
    try:
        return [_row(check, found) for found in check.look(predicted)]
    except (TaskError, KeyboardInterrupt):
        raise
    except BaseException as error:
        broken = f"the check raised {type(error).__name__}"
        return [_row(check, Found(Outcome.ERROR, broken, reason=Reason.GRADER_ERROR))]


def _row(check: Any, found: Found) -> CheckOutcome:
    reason = found.reason
    if reason is None:
        reason = check.REASON if found.outcome == Outcome.FAILED else Reason.OK
    return CheckOutcome(
        check=f"{check.CHECK}-{found.about}" if found.about else check.CHECK,
        suite=SUITE,
        mode=check.MODE,
        severity=found.severity or check.SEVERITY,
        outcome=found.outcome,
        reason=reason,
        message=found.message or (sentence(reason) if reason != Reason.OK else ""),
        margin=found.margin,
        weight=1.0,
        pattern=check.PATTERN,
    )
