"""Medals of a run group by the published graders, beside those that are verified here."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any, TypedDict

from biomlbench.audit.doors import Doors, Outcome
from biomlbench.errors import InvalidSubmissionError
from biomlbench.scoring.award import award
from biomlbench.stages import run_pair
from biomlbench.stages.kinds import get_kind
from biomlbench.submission.submitted_file import confined, read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pyarrow as pa

    from biomlbench.stages import Context, Pair
    from biomlbench.task.task import Task

__all__ = ["COLUMNS", "RegradedRow", "counts", "regraded"]

NONE = "none"


class RegradedRow(TypedDict):
    """A submission by its task's grader alone and, without `published_`, by all stages."""

    task_id: str
    run_id: str
    published_score: float | None
    published_medal: str
    score: float | None
    medal: str
    verified_medal: str
    changes: bool
    """Whether the published and the verified medal differ."""
    verdict: str
    why: str
    """Why a grader gives no score, why there is no verified medal or what is to be known of it, and
    what differs."""


COLUMNS = tuple(RegradedRow.__annotations__)


def regraded(pair: Pair, context: Context) -> RegradedRow:
    """Grade a submission twice: by its task's grader alone, and by all stages.

    Parameters
    ----------
    pair : Pair
    context : Context
        With the audit that medals depend on under `overrides`, where there is one.

    Returns
    -------
    RegradedRow
        Published are score and medal by the grader as its author wrote it, with nothing before
        it: a function gets the rows in the order of the submission. A task of code has
        no grader but ours.

    Raises
    ------
    TaskError
        If the task's own files are broken, or its data are not prepared.
    """
    task = context.effective_task(pair.task_id)
    with tempfile.TemporaryDirectory(prefix="biomlbench-") as folder:
        tables = run_pair(pair, context, folder)
    row = tables["medal"].to_pylist()[0]
    verified = row["medal"] if row["verified_medal"] else NONE
    if task.task.is_card:
        published, published_medal = Outcome("score", row["score"]), row["medal"]
    else:
        published = _published(task.task, pair, tables["execute"])
        published_medal = NONE
        if published.score is not None:
            published_medal = award(task, published.score, task.direction).medal
    changes = published_medal != verified
    return {
        "task_id": pair.task_id,
        "run_id": pair.run_id,
        "published_score": published.score,
        "published_medal": published_medal,
        "score": row["score"],
        "medal": row["medal"],
        "verified_medal": verified,
        "changes": changes,
        "verdict": row["verdict"],
        "why": "; ".join(_reasons(published, row, changes=changes)),
    }


def _reasons(published: Outcome, row: Mapping[str, Any], *, changes: bool) -> Iterator[str]:
    """Say why there is no score or no verified medal, what is to be known of it, what differs."""
    if published.score is None:
        yield f"the published grader gives no score ({published.words})"
    if told := row["message"] or row["medal_note"]:
        yield told
    if not changes or published.score is None or row["score"] is None:
        return
    if published.score != row["score"]:
        yield (
            f"the score here is {row['score']:.6g}, the published one {published.score:.6g}, of "
            "the rows as they were handed in"
        )
    elif not row["message"]:
        yield f"the score here earns {row['medal']}"


def _published(task: Task, pair: Pair, execute: pa.Table) -> Outcome:
    try:
        if get_kind(pair.kind).IS_CODE:
            data = execute.column("output")[0].as_py() or b""
        else:
            with confined(pair.submission, pair.root):
                data = read_bytes(pair.submission)
    except InvalidSubmissionError as error:
        return Outcome("invalid", None, error.message)
    return Doors(task).file_alone(data)


def counts(rows: Iterable[RegradedRow]) -> dict[str, int]:
    """Count what becomes of the medals.

    Returns
    -------
    dict of str to int
        ``runs``, ``published`` and ``verified`` medals, ``changed`` (runs whose medal is another
        one), ``lost`` and ``gained``.
    """
    rows = list(rows)
    had = [row["published_medal"] != NONE for row in rows]
    has = [row["verified_medal"] != NONE for row in rows]
    both = list(zip(had, has, strict=True))
    return {
        "runs": len(rows),
        "published": sum(had),
        "verified": sum(has),
        "changed": sum(row["changes"] for row in rows),
        "lost": both.count((True, False)),
        "gained": both.count((False, True)),
    }
