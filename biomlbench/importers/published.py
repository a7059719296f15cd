"""Grading reports of BioML-bench (``task_reports``) and MLE-bench (``competition_reports``)."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.importers import ImportRefusedError
from biomlbench.importers.groups import read_text
from biomlbench.runtime.bounded_json import check_json
from biomlbench.scoring.medals import MEDALS, Thresholds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from biomlbench.importers.groups import Entry

__all__ = ["Published", "find_report", "match", "published", "read_report"]

_MOST_LENGTHS = 32
"""Lengths of stated paths, in parts, that are looked for; a group's are all of one or two."""


@dataclass(frozen=True, slots=True)
class Published:
    """What a published report says of one run.

    Attributes
    ----------
    task_id, submission : str
    medal : str
        ``gold``, ``silver``, ``bronze`` or ``none``.
    score : float or None
        Rounded to five decimals by those who wrote it.
    valid : bool
    limits : Thresholds or None
        None where the report gives none.
    direction : str
        ``maximize`` or ``minimize``.
    """

    task_id: str
    submission: str
    medal: str
    score: float | None
    valid: bool
    limits: Thresholds | None
    direction: str


def find_report(folder: str | Path) -> Path | None:
    """Return the newest grading report in a run group's folder, after its name; None without."""
    found = [path for path in Path(folder).glob("*grading_report*.json") if path.is_file()]
    return max(found, key=_name, default=None)


def _name(path: Path) -> str:
    return path.name


def read_report(
    path: str | Path,
    rename: Mapping[str, str] | None = None,
    full_id: Callable[[str], str | None] = str,
) -> list[Published]:
    """Read a grading report.

    Parameters
    ----------
    path : path
    rename : mapping of str to str, optional
        From task ids of the file to those that are meant.
    full_id : callable, optional
        From a task id, bare or full, to the full one; None for a task that is not here.

    Returns
    -------
    list of Published
        In the order of the file.

    Raises
    ------
    ImportRefusedError
        If the file is no grading report; naming the entry and the key.
    """
    path = Path(path)
    text = read_text(path)
    try:
        # What is made of it may be twenty times as large.
        check_json(path, path.stat().st_size)
        report = json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise ImportRefusedError(f"{path}: not JSON ({error})") from None
    entries = None
    if isinstance(report, dict):
        entries = report.get("task_reports", report.get("competition_reports"))
    if not isinstance(entries, list):
        raise ImportRefusedError(
            f"{path}: no grading report; it has neither `task_reports` nor `competition_reports`"
        )
    rename = rename or {}
    found = [published(entry, f"{path}: entry {i}", rename) for i, entry in enumerate(entries, 1)]
    return [replace(entry, task_id=full_id(entry.task_id) or entry.task_id) for entry in found]


def published(entry: Any, where: str, rename: Mapping[str, str]) -> Published:
    """Read one run's report.

    Parameters
    ----------
    entry : object
        As JSON gives it.
    where : str
        Where it is, for messages.
    rename : mapping of str to str

    Returns
    -------
    Published

    Raises
    ------
    ImportRefusedError
        If it is no report; naming the key.
    """
    if not isinstance(entry, dict):
        raise ImportRefusedError(f"{where} is not a JSON object")
    task_id = entry.get("task_id") or entry.get("competition_id")
    if not isinstance(task_id, str):
        raise ImportRefusedError(f"{where}: neither `task_id` nor `competition_id` is text")
    for name in ("gold_medal", "silver_medal", "bronze_medal", "is_lower_better"):
        if name not in entry:
            raise ImportRefusedError(f"{where}: there is no `{name}`")
        if not isinstance(entry[name], bool):
            raise ImportRefusedError(f"{where}: `{name}` is not true or false")
    medals = [medal for medal in MEDALS if entry[f"{medal}_medal"]]
    if len(medals) > 1:
        raise ImportRefusedError(f"{where}: more than one medal for one run")
    score = _number(entry, "score", where)
    gold, silver, bronze, median = (
        _number(entry, f"{name}_threshold", where) for name in (*MEDALS, "median")
    )
    limits = None
    if gold is not None and silver is not None and bronze is not None:
        limits = Thresholds(gold, silver, bronze, float("nan") if median is None else median)
    return Published(
        task_id=rename.get(task_id, task_id),
        submission=str(entry.get("submission_path") or ""),
        medal=medals[0] if medals else "none",
        score=score,
        valid=bool(entry.get("valid_submission", score is not None)),
        limits=limits,
        direction="minimize" if entry["is_lower_better"] else "maximize",
    )


def _number(entry: Mapping[str, Any], name: str, where: str) -> float | None:
    value = entry.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ImportRefusedError(f"{where}: `{name}` is not a number")
    try:
        number = float(value)
    except OverflowError:
        raise ImportRefusedError(f"{where}: `{name}` is out of the range of numbers") from None
    return number if math.isfinite(number) else None


def match(
    entries: Sequence[Entry], reports: Sequence[Published]
) -> list[tuple[Entry, Published | None]]:
    """Find what a report says of each run.

    Parameters
    ----------
    entries : sequence of Entry
    reports : sequence of Published

    Returns
    -------
    list of (Entry, Published or None)
        By task and path; what is left over of a task, by the order in both files.
    """
    by_end = _by_end(entries, reports)
    by_task: dict[str, deque[int]] = defaultdict(deque)
    for number, report in enumerate(reports):
        by_task[report.task_id].append(number)
    found: dict[int, Published] = {}
    taken: set[int] = set()
    for exact in (True, False):
        for entry in entries:
            if entry.line in found:
                continue
            end = (entry.task_id, Path(entry.stated).parts)
            left = by_end.get(end) if exact else by_task[entry.task_id]
            while left and left[0] in taken:
                left.popleft()
            if left:
                found[entry.line] = reports[left[0]]
                taken.add(left.popleft())
    return [(entry, found.get(entry.line)) for entry in entries]


def _by_end(
    entries: Sequence[Entry], reports: Sequence[Published]
) -> dict[tuple[str, tuple[str, ...]], deque[int]]:
    """Return the reports whose path ends in one that the group's list gives, in their order.

    By tables and not by comparing each with each: a group may have many thousand of both.
    """
    stated = [(entry.task_id, Path(entry.stated).parts) for entry in entries if entry.stated]
    wanted = set(stated)
    lengths = Counter(len(parts) for _, parts in stated).most_common(_MOST_LENGTHS)
    found: dict[tuple[str, tuple[str, ...]], deque[int]] = defaultdict(deque)
    for number, report in enumerate(reports):
        parts = Path(report.submission).parts if report.submission else ()
        for length, _ in lengths:
            end = (report.task_id, parts[-length:])
            if len(end[1]) == length and end in wanted:
                found[end].append(number)
    return found
