"""Adjudications: what a person, having looked, says the true label is."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from biomlbench.calibrate.controls import RIGHT, WRONG
from biomlbench.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from biomlbench.workflow.runs import Run

__all__ = ["COLUMNS", "Adjudication", "Labelled", "check_label", "labelled", "read", "rows"]

COLUMNS = ("task_id", "run_id", "label", "who", "why")


class Adjudication(NamedTuple):
    """One person's judgement of one pair, or of one control, and its file and line."""

    label: str
    who: str
    why: str
    where: str = ""


class Labelled(NamedTuple):
    """A run whose true label is known."""

    task_id: str
    run_id: str
    kind: str
    label: str


def labelled(
    runs: Iterable[Run],
    adjudicated: Mapping[tuple[str, str], Adjudication],
    tasks: Container[str],
) -> list[Labelled]:
    """Return the runs whose true label is known.

    Parameters
    ----------
    runs : iterable of Run
    adjudicated : mapping
        (task, run) to a person's judgement, which overrides the run table's label.
    tasks : container of str
        Tasks that are calibrated; runs of others are left out.

    Returns
    -------
    list of Labelled
        Sorted by task and run.
    """
    found = []
    for run in runs:
        judged = adjudicated.get((run.task_id, run.run_id))
        label = judged.label if judged else run.label
        if label is not None and run.task_id in tasks:
            found.append(Labelled(run.task_id, run.run_id, run.kind, label))
    return sorted(found)


def read(
    path: str | Path | None,
    full_id: Callable[[str], str | None] = str,
    leave_out: Callable[[TaskError], object] | None = None,
) -> dict[tuple[str, str], Adjudication]:
    """Read the adjudications.

    Parameters
    ----------
    path : path or None
        CSV file with the columns of :data:`COLUMNS`. `run_id` is that of a real run, or the
        name of a control. None stands for none.
    full_id : callable, optional
        From a task id, bare or full, to the full one; None for a task that is not here.
    leave_out : callable, optional
        Is told what is wrong with a row, which is left out then. By default it is raised.

    Returns
    -------
    dict
        (task, run) to judgement.

    Raises
    ------
    TaskError
        If there is no such file, a column is missing, a label is neither right nor wrong,
        nobody signs, no reason is given, or two rows contradict each other; the message names
        file and line.
    """
    if path is None:
        return {}
    if not Path(path).is_file():
        raise TaskError(f"{path}: there is no such file; see `calibration.adjudications`")
    found: dict[tuple[str, str], Adjudication] = {}
    for where, values in rows(path, COLUMNS):
        try:
            key, judged = _judgement(where, values, full_id)
            if key in found and found[key].label != judged.label:
                raise TaskError(f"{where}: {key[1]} has been judged {found[key].label} above")
        except TaskError as error:
            if leave_out is None:
                raise
            leave_out(error)
        else:
            found[key] = judged
    return found


def _judgement(
    where: str, values: Mapping[str, str], full_id: Callable[[str], str | None]
) -> tuple[tuple[str, str], Adjudication]:
    check_label(where, values)
    if empty := [name for name in COLUMNS if not values[name]]:
        raise TaskError(f"{where}: `{empty[0]}` is empty; say who judged, and why")
    key = (full_id(values["task_id"]) or values["task_id"], values["run_id"])
    return key, Adjudication(values["label"], values["who"], values["why"], where)


def check_label(where: str, values: Mapping[str, str]) -> None:
    """Refuse a row whose label is neither right nor wrong.

    Raises
    ------
    TaskError
    """
    if values["label"] not in (RIGHT, WRONG):
        raise TaskError(f"{where}: `label` is right or wrong, not {values['label']!r}; correct it")


def rows(path: str | Path, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Go through a CSV file of labels.

    Parameters
    ----------
    path : path
    columns : sequence of str
        Columns that it must have; `label`, which holds right or wrong, is one.

    Yields
    ------
    where : str
        File and line, for messages.
    values : dict
        The columns' values without white space at their ends, `label` not yet checked.

    Raises
    ------
    TaskError
        If the file cannot be read, or a column is missing.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise TaskError(
            f"{path}: cannot be read: {why}; it is a CSV file with the columns {', '.join(columns)}"
        ) from error
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        where = f"{path}:{reader.line_num + 1}"
        raise TaskError(f"{where}: is no CSV ({error}); write it anew") from None
    if missing := [name for name in columns if name not in (reader.fieldnames or ())]:
        raise TaskError(f"{path}:1: the column(s) {', '.join(missing)} are missing")
    for line, row in rows:
        where = f"{path}:{line}"
        values = {name: (row[name] or "").strip() for name in columns}
        yield where, values
