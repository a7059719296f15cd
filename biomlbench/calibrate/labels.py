"""Adjudications: what a person, having looked, says the true label is."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from biomlbench.calibrate.controls import RIGHT, WRONG
from biomlbench.calibrate.unused_rows import ADJUDICATIONS, Unused
from biomlbench.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from biomlbench.workflow.runs import Run

__all__ = ["COLUMNS", "Adjudication", "Labelled", "fault_of_label", "labelled", "read", "rows"]

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
    path: str | Path | None, full_id: Callable[[str], str | None] = str
) -> tuple[dict[tuple[str, str], Adjudication], list[Unused]]:
    """Read the adjudications.

    Parameters
    ----------
    path : path or None
        CSV file with the columns of :data:`COLUMNS`. `run_id` is that of a real run, or the
        name of a control. None stands for none.
    full_id : callable, optional
        From a task id, bare or full, to the full one; None for a task that is not here.

    Returns
    -------
    judged : dict
        (task, run) to judgement.
    unused : list of Unused
        Rows that do not count: no CSV, a label that is neither right nor wrong, signed by nobody,
        without a reason, or contradicting one above. A file that cannot be read is one of them.
    """
    found: dict[tuple[str, str], Adjudication] = {}
    unused: list[Unused] = []

    def leave_out(where: str, why: str, row: Mapping[str, str] | None = None) -> None:
        named = (row["task_id"], row["run_id"]) if row else ("", "")
        unused.append(Unused(ADJUDICATIONS, where, *named, why))

    if path is None:
        return found, unused
    try:
        for where, values in rows(path, COLUMNS, leave_out):
            key = (full_id(values["task_id"]) or values["task_id"], values["run_id"])
            why = _fault(values)
            if not why and key in found and found[key].label != values["label"]:
                why = f"{key[1]} has been judged {found[key].label} above"
            if why:
                leave_out(where, why, values)
            else:
                found[key] = Adjudication(values["label"], values["who"], values["why"], where)
    except TaskError as error:
        leave_out(str(path), str(error).removeprefix(f"{path}:").strip())
    return found, unused


def _fault(values: Mapping[str, str]) -> str:
    """Say what is wrong with a row; empty where nothing is."""
    if why := fault_of_label(values):
        return why
    empty = [name for name in COLUMNS if not values[name]]
    return f"`{empty[0]}` is empty; say who judged, and why" if empty else ""


def fault_of_label(values: Mapping[str, str]) -> str:
    """Say that a row's label is neither right nor wrong; empty where it is one of them."""
    if values["label"] in (RIGHT, WRONG):
        return ""
    return f"`label` is right or wrong, not {values['label']!r}; correct it"


def rows(
    path: str | Path,
    columns: Sequence[str],
    leave_out: Callable[[str, str], object] | None = None,
) -> Iterator[tuple[str, dict[str, str]]]:
    """Go through a CSV file of labels.

    Parameters
    ----------
    path : path
    columns : sequence of str
        Columns that it must have; `label`, which holds right or wrong, is one.
    leave_out : callable, optional
        Is told where a row is that is no CSV, and why; the row is left out then. By default
        that is raised.

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
    # Strict, as a quote that is not closed would take all that follows into one value.
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    names: list[str] | None = None
    while True:
        where = f"{path}:{reader.line_num + 1}"
        try:
            cells = next(reader, None)
        except csv.Error as error:
            why = f"is no CSV ({error}); write the row anew"
            if leave_out is None or names is None:
                raise TaskError(f"{where}: {why}") from None
            leave_out(where, why)
            continue
        if names is None:
            names = cells or []
            if missing := [name for name in columns if name not in names]:
                raise TaskError(f"{where}: the column(s) {', '.join(missing)} are missing")
        elif cells is None:
            return
        elif cells:
            row = dict(zip(names, cells, strict=False))
            yield where, {name: row.get(name, "").strip() for name in columns}
