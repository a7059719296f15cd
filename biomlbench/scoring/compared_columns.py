"""Which columns of two tables a metric compares: as declared, or paired by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.errors import InvalidSubmissionError, TaskError
from biomlbench.outcomes import Reason
from biomlbench.scoring.grading_functions import id_columns

if TYPE_CHECKING:
    from biomlbench.task.submission_columns import SubmissionSchema

__all__ = ["ComparedColumns", "compared_columns"]

_REMEDY = (
    "declare `target` and `prediction`, under `submission` in config.yaml or in the `schema` of "
    "the Grader"
)


class ComparedColumns(NamedTuple):
    """Columns of the answers, and those of the submission that are scored against them."""

    targets: list[Any]
    predictions: list[Any]


def compared_columns(
    submission: Any, answers: Any, schema: SubmissionSchema | None
) -> ComparedColumns:
    """Return the columns that a metric compares.

    Parameters
    ----------
    submission, answers : DataFrame
    schema : SubmissionSchema, optional
        Names them; predictions are called as the targets are, where it names but one of both.
        Where it names none, they are found beside the id, which both tables then begin with: the
        one column that both have, or else the only one of each, whatever they are called.

    Returns
    -------
    ComparedColumns

    Raises
    ------
    InvalidSubmissionError
        If the submission lacks them, or does not say which of its columns is meant.
    TaskError
        If the answers lack them, or it is not declared which of theirs is meant.
    """
    there, known = (list(getattr(table, "columns", ())) for table in (submission, answers))
    declared = [list(names) for names in (schema.targets, schema.predictions)] if schema else []
    if any(declared):
        targets, predictions = declared
        found = ComparedColumns(targets or predictions, predictions or targets)
    else:
        found = _undeclared(there, known, schema)
    if lost := [name for name in found.predictions if name not in there]:
        raise InvalidSubmissionError(
            f"there are no column(s) {lost} in the submission", Reason.MISSING_COLUMNS
        )
    if lost := [name for name in found.targets if name not in known]:
        raise TaskError(
            f"there are no column(s) {lost} in the answers; {_REMEDY}", Reason.BROKEN_ANSWERS
        )
    return found


def _undeclared(
    there: list[Any], known: list[Any], schema: SubmissionSchema | None
) -> ComparedColumns:
    ids = id_columns(there, known, schema)
    declares_id = bool(schema and schema.ids)
    if not declares_id and len(known) > 1 and known[0] in there[1:]:
        raise InvalidSubmissionError(
            f"the submission begins with the column {there[0]!r}, the answers begin with "
            f"{known[0]!r}, which the submission has, too: begin both with the id, so that it is "
            "told from what is scored",
            Reason.EXTRA_COLUMNS,
        )
    if not ids and len(there) == 1 < len(known):
        ids = (known[0],)  # predictions alone, against answers with their id
    predictions, targets = ([name for name in names if name not in ids] for names in (there, known))
    if not predictions:
        raise InvalidSubmissionError(
            "there is no column beside the id in the submission", Reason.MISSING_COLUMNS
        )
    if not targets:
        raise TaskError("there is no column beside the id in the answers", Reason.BROKEN_ANSWERS)
    shared = [name for name in targets if name in predictions]
    if len(shared) == 1:
        return ComparedColumns(shared, shared)
    if len(targets) > 1:
        which = f"have the columns {shared} in common" if shared else "have no column in common"
        raise TaskError(
            f"which of the columns {targets} of the answers is scored is not plain, as the "
            f"submission and the answers {which} beside the id; {_REMEDY}",
            Reason.BROKEN_ANSWERS,
        )
    if len(predictions) > 1:
        raise InvalidSubmissionError(
            f"which of the columns {predictions} holds the predictions is not plain; name it "
            f"{targets[0]!r}, as the answers do, or {_REMEDY}",
            Reason.MISSING_COLUMNS,
        )
    return ComparedColumns(targets, predictions)
