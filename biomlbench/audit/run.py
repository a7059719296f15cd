"""The audit of a task: every detector in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomlbench.errors import TaskError
from biomlbench.outcomes import Outcome
from biomlbench.runtime.apart import together
from biomlbench.runtime.progress_bars import track
from biomlbench.scoring.audit_currency import made_of

from .detectors import all_detectors, detector_of, remedies
from .doors import as_csv
from .findings import Audit, Finding, Found, worst_first
from .subject import NotAuditableError, Subject
from .waivers import read_waivers, reason_of, waiver_notes

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from biomlbench.task.task import Task

__all__ = ["audit_task"]


@together()  # detectors look at what the task's functions do
def audit_task(task: Task, waivers: Path | None = None, pandas_env: Path | None = None) -> Audit:
    """Audit a prediction task whose data are prepared.

    Parameters
    ----------
    task : Task
    waivers : path, optional
        Folder that holds ``audit.yaml``, for a task whose own folder is another's; by default the
        task's own.
    pandas_env : path, optional
        Virtual environment with another version of pandas, to score with as well.

    Returns
    -------
    Audit
        A task that cannot be audited says so under ``skipped``.

    Raises
    ------
    TaskError
        If the data are not prepared, or the task's files or its waivers are broken.

    Examples
    --------
    >>> from biomlbench.registry import registry
    >>> audit_task(registry.get_task("kabsch-rmsd")).skipped
    ('only tables of predictions can be audited',)
    """
    waived = read_waivers(task, waivers)
    try:
        subject = Subject(task, pandas_env)
        subject.perfect  # noqa: B018 - without one there is nothing to compare with
    except NotAuditableError as error:
        return Audit(task_id=task.id, skipped=(str(error),), made_of=made_of(task))
    found: dict[str, Found] = {}
    skipped = []
    for name, detector in track(all_detectors().items(), f"auditing {task.id}"):
        if detector.SCORES and not subject.reads_predictions:
            skipped.append(f"{name}: better predictions do not have better scores")
            continue
        one, faults = _looked(detector, subject)
        for finding in one:
            found.setdefault(finding.name, finding)
        skipped += [f"{name}: {fault}" for fault in faults]
    return Audit(
        task_id=task.id,
        findings=worst_first(_reported(one, waived, task) for one in found.values()),
        grader=subject.doors.grader,
        function=subject.doors.function,
        perfect=subject.best,
        chance=subject.chance,
        tried=subject.doors.tried,
        skipped=tuple(skipped),
        waiver_notes=waiver_notes(waived, set(found)),
        not_tried=tuple(subject.not_tried),
        made_of=made_of(task),
    )


def _looked(detector: Any, subject: Subject) -> tuple[list[Found], list[str]]:
    """Return what a detector found, and why it or parts of it did not come to their end."""
    found: list[Found] = []
    subject.faults = []
    try:
        # One by one: what was found before a fault is kept. Of huge numbers, results are infinite.
        with np.errstate(all="ignore"):
            found.extend(detector.find(subject))
    except TaskError as error:
        return found, [*subject.faults, str(error)]
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return found, [*subject.faults, f"the detector raised {type(error).__name__}: {error}"]
    return found, subject.faults


def _reported(found: Found, waived: dict[str, str], task: Task) -> Finding:
    submission = b"" if found.submission is None else as_csv(found.submission)
    return Finding(
        name=found.name,
        severity=found.severity,
        what=found.what,
        remedy=remedies()[found.name],
        before=found.before,
        after=found.after,
        here=found.here,
        open=found.open,
        waived=reason_of(found.name, waived),
        medal=detector_of(found.name).MEDAL,
        covered_by=_covered_by(found, submission, task),
        submission=submission,
    )


def _covered_by(found: Found, submission: bytes, task: Task) -> str:
    """Return the check that covers an open finding, if it fails the submission that shows it."""
    from biomlbench.verify.predictions import judge

    check = str(getattr(detector_of(found.name), "COVERED_BY", {}).get(found.name, ""))
    if not (check and found.open and submission):
        return ""
    rows = judge(task, submission, None, found.after or 0.0)
    failed = {row.check for row in rows if row.outcome == Outcome.FAILED}
    return check if check in failed else ""
