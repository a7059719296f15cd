"""Blind sets: labelled solutions of problem cards, written by people who saw no case and no check.

A folder holds ``<card>/<name>.py`` and, beside the cards, ``labels.csv`` with the columns
`task_id`, `name`, `label` (right or wrong) and `kind` (what is wrong, in a word of one's own; may
be empty). Its rates go into tables of their own: a set that thresholds are proposed from, or that
checks are sharpened on, measures nothing any more.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.calibrate import batch, labels, summary
from biomlbench.calibrate.controls import RIGHT, Control
from biomlbench.calibrate.intervals import wilson
from biomlbench.contracts import from_rows
from biomlbench.errors import InvalidSubmissionError, TaskError
from biomlbench.stages.cards import load_card
from biomlbench.submission.submitted_file import MAX_CODE_BYTES, read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa

    from biomlbench.stages import Context

__all__ = ["COLUMNS", "LABELS", "grade", "misjudged", "rates", "read"]

LABELS = "labels.csv"
COLUMNS = ("task_id", "name", "label", "kind")
SHOWN = 5
"""So many solutions without a row are named."""


def read(folder: str | Path, context: Context) -> dict[str, list[Control]]:
    """Read a blind set.

    Parameters
    ----------
    folder : path
        See the module's docstring. A card's folder is called by the card's bare id.
    context : Context

    Returns
    -------
    dict
        Full task id to its solutions as controls, whose family is their kind.

    Raises
    ------
    TaskError
        If ``labels.csv`` is missing or broken, or a row names no problem card or no readable
        file, or a file twice, or a solution of one of the cards has no row; the message names
        file and line.
    """
    path = Path(folder) / LABELS
    found: dict[str, list[Control]] = {}
    seen = set()
    for where, row in labels.rows(path, COLUMNS):
        if why := labels.fault_of_label(row):
            raise TaskError(f"{where}: {why}")
        task_id = context.full_id(row["task_id"])
        if task_id is None or not context.task(task_id).is_card:
            raise TaskError(f"{where}: `task_id`: there is no problem card {row['task_id']!r}")
        if Path(row["name"]).name != row["name"] or not row["name"]:
            raise TaskError(f"{where}: `name` is that of a file without `.py`: {row['name']!r}")
        file = f"{task_id.rpartition('/')[2]}/{row['name']}.py"
        if file in seen:
            raise TaskError(f"{where}: {file} has a label above")
        seen.add(file)
        try:
            content = read_bytes(file, MAX_CODE_BYTES, root=folder)
        except InvalidSubmissionError as error:
            raise TaskError(f"{where}: {file}: {error}") from error
        control = Control(f"blind/{row['name']}", row["kind"], row["label"], content)
        found.setdefault(task_id, []).append(control)
    if not found:
        raise TaskError(f"{path}: there are no rows")
    there = {f"{file.parent.name}/{file.name}" for file in Path(folder).glob("*/*.py")}
    cards = {task_id.rpartition("/")[2] for task_id in found}
    forgotten = sorted(file for file in there - seen if file.partition("/")[0] in cards)
    if forgotten:
        raise TaskError(
            f"{path}: {', '.join(forgotten[:SHOWN])}: {len(forgotten)} solution(s) without a row; "
            "add one for each, or move them elsewhere"
        )
    return found


def grade(
    found: dict[str, list[Control]],
    context: Context,
    track: Callable[[list[str]], Iterable[str]] = iter,
) -> pa.Table:
    """Grade a blind set through the stages that grade every submission.

    Parameters
    ----------
    found : dict
        As :func:`read` returns it.
    context : Context
    track : callable
        Goes through the tasks, and may show how far it is.

    Returns
    -------
    pyarrow.Table
        Of the schema ``controls``.

    Raises
    ------
    TaskError
        If a card is not prepared, before any is graded.
    """
    import pyarrow as pa

    for task_id in found:
        load_card(context.task(task_id))
    return pa.concat_tables(batch.grade(task, found[task], context) for task in track([*found]))


def rates(controls: pa.Table) -> pa.Table:
    """Return how many wrong solutions passed, and how many right ones were rejected.

    Parameters
    ----------
    controls : pyarrow.Table
        Of the schema ``controls``.

    Returns
    -------
    pyarrow.Table
        Of the schema ``rates``: overall, by card and by kind, with Wilson's interval.
    """
    counts: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    for one in summary.gather(controls.to_pylist()):
        error = "false_fail" if one.label == RIGHT else "false_pass"
        scopes = [("overall", "overall"), ("card", one.task_id)]
        if one.family:
            scopes.append(("kind", one.family))
        for scope in scopes:
            counts[(*scope, error)][0] += one.misjudged
            counts[(*scope, error)][1] += 1
    order = ("overall", "card", "kind")
    return from_rows(
        "rates",
        [
            {
                "task_id": name if scope == "card" else None,
                "scope": scope,
                "name": name,
                "kind": error,
                "week": None,
                **wilson(*counts[scope, name, error])._asdict(),
            }
            for scope, name, error in sorted(counts, key=lambda k: (order.index(k[0]), k[1:]))
        ],
    )


def misjudged(controls: pa.Table) -> Iterator[dict[str, str]]:
    """Yield a row for each solution that the grader was wrong about.

    Parameters
    ----------
    controls : pyarrow.Table
        Of the schema ``controls``.

    Yields
    ------
    dict
        `task_id`, `name`, `label`, `kind`, and `failed`: the checks that failed, if any.
    """
    for one in summary.gather(controls.to_pylist()):
        if one.misjudged:
            yield {
                "task_id": one.task_id,
                "name": one.name.removeprefix("blind/"),
                "label": one.label,
                "kind": one.family,
                "failed": ", ".join(sorted(one.killers)),
            }
