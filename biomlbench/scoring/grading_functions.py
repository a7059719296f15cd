"""What surrounds a task's own grading function: rows in the answers' order, and a finite score."""

from __future__ import annotations

import math
import numbers
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from biomlbench.errors import FunctionError, InvalidSubmissionError, TaskError
from biomlbench.frames import as_frame
from biomlbench.outcomes import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from biomlbench.submission.ids import Keys
    from biomlbench.task.submission_columns import SubmissionSchema

__all__ = ["NoFiniteScoreError", "finite_score", "id_columns", "matched"]


class NoFiniteScoreError(InvalidSubmissionError):
    """A grader gives NaN or infinity, as of predictions for which its measure is undefined."""


def finite_score(score: Any, name: str) -> float:
    """Return a score as a finite Python float.

    Raises
    ------
    NoFiniteScoreError
        If it is NaN or infinite.
    FunctionError
        If it is no number: None, of a function that ends without a ``return``, is none, and
        neither is a truth value, as of a comparison.
    """
    if score is None:
        raise FunctionError(f"grader {name!r} returned None, not a number: is there a `return`?")
    if getattr(score, "size", None) == 1 and hasattr(score, "item"):
        score = score.item()
    if isinstance(score, bool) or not isinstance(score, (numbers.Real, Decimal)):
        raise FunctionError(f"grader {name!r} returned {type(score).__name__}, not a number")
    try:
        value = float(score)
    except OverflowError:  # a whole number that no float holds
        value = math.inf
    except ValueError:  # a signalling NaN of decimal
        value = math.nan
    if not math.isfinite(value):
        raise NoFiniteScoreError(f"grader {name!r} gives a score that is NaN or infinite")
    return value + 0.0  # of -0.0, as of a score that is turned round, 0.0


def id_columns(
    columns: Sequence[Any], known: Sequence[Any], schema: SubmissionSchema | None = None
) -> tuple[Any, ...]:
    """Return the columns whose values tell which rows of submission and answers belong together.

    Parameters
    ----------
    columns, known : sequence of str
        Columns of the submission, and of the answers.
    schema : SubmissionSchema, optional
        Declares them; by default it is the first column of the submission, if the answers have
        it too, and one of both tables has another one. A lone column of a submission is its
        predictions, unless the answers begin with it.

    Examples
    --------
    >>> id_columns(["id", "y"], ["id", "y"]), id_columns(["y"], ["id", "target"])
    (('id',), ())
    >>> id_columns(["y"], ["y"]), id_columns(["y"], ["id", "y"])
    ((), ())
    """
    if schema and schema.ids:
        return tuple(schema.ids)
    is_lone = len(columns) == 1 and (len(known) == 1 or columns[0] != known[0])
    return (columns[0],) if len(columns) and columns[0] in known and not is_lone else ()


def matched(
    submission: Any,
    answers: Any,
    schema: SubmissionSchema | None = None,
    *,
    by_row: bool = False,
) -> Any:
    """Return the submission with its rows in the order of the answers, matched by id.

    Parameters
    ----------
    submission, answers : DataFrame
        Anything else is returned as it is.
    schema : SubmissionSchema, optional
        Declares the id; by default see :func:`id_columns`, if it tells the rows of both apart.
    by_row : bool
        Each row is scored against the row of the answers at its place, so that ids which the
        answers repeat must be in their order.

    Raises
    ------
    InvalidSubmissionError
        If ids are missing, repeated or unknown, or in another order where they cannot be matched;
        if columns are repeated.
    TaskError
        If columns of the answers are repeated.
    """
    submission, answers = as_frame(submission), as_frame(answers)
    columns, known = getattr(submission, "columns", None), getattr(answers, "columns", None)
    if columns is None or known is None or not len(columns):
        return submission
    from biomlbench.submission.ids import Alignment, Keys, as_written, first_repeat, kinds_of

    if repeated := _repeated(known):
        raise TaskError(f"the answers have repeated column(s) {repeated}", Reason.BROKEN_ANSWERS)
    if repeated := _repeated(columns):
        raise InvalidSubmissionError(f"repeated column(s) {repeated}", Reason.EXTRA_COLUMNS)
    ids = id_columns(columns, known, schema)
    if not ids or any(name not in known for name in ids):
        return submission
    table, names = as_written(answers, ids), tuple(map(str, ids))
    wanted = Keys.of(table, names, kinds_of(table, names))
    if first_repeat(wanted.values) is not None:
        compared = {*schema.targets, *schema.predictions} if schema else set()
        if by_row and compared.isdisjoint(ids):
            _check_order(submission, wanted, ids)
        return submission  # the rows of one id belong together, as those of a structure do
    if lost := [name for name in ids if name not in columns]:
        raise InvalidSubmissionError(f"missing column(s) {lost}", "missing_columns")
    found = Alignment.of(Keys.of(as_written(submission, ids), names, wanted.kinds), wanted)
    if found.duplicate:
        raise InvalidSubmissionError(f"{found.duplicate} row(s) repeat an id", "duplicate_ids")
    if found.missing:
        raise InvalidSubmissionError(
            f"{found.missing} of {len(answers)} ids have no row", "missing_ids"
        )
    if found.extra:
        raise InvalidSubmissionError(f"{found.extra} row(s) have an unknown id", "extra_ids")
    rows = submission if found.order is None else submission.iloc[found.order]
    return rows.reset_index(drop=True)


def _check_order(submission: pd.DataFrame, wanted: Keys, ids: tuple[Any, ...]) -> None:
    from biomlbench.submission.ids import Keys, as_written

    names = tuple(map(str, ids))
    if any(name not in submission.columns for name in ids):
        return
    if not Keys.of(as_written(submission, ids), names, wanted.kinds).values.equals(wanted.values):
        raise InvalidSubmissionError(
            f"ids ({', '.join(names)}) are repeated in the answers, so that rows are compared in "
            "their order, and the submission has them in another one, or has others",
            Reason.MISSING_IDS,
        )


def _repeated(columns: pd.Index) -> list[str]:
    return [str(name) for name in columns[columns.duplicated()].unique()]
