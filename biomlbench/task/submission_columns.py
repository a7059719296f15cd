"""What a submission must look like: its id, its columns, their types and ranges."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError
from biomlbench.runtime.schema_words import near_key

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["COLUMN_TYPES", "ColumnSpec", "SubmissionSchema", "is_finite"]

#: Types of a prediction column. ``rle``: a run-length encoded mask, empty for no pixel;
#: ``text``: long text such as coordinates in PDB format; ``free``: any text, of which an empty
#: one may mean something, so that only the task's grader can judge it.
COLUMN_TYPES = ("number", "integer", "string", "rle", "text", "free")
MAX_PIXELS = 1 << 28
"""Of one mask, which takes some bytes a pixel while it is scored."""
_MADE_BY_YAML = "which YAML makes of words like yes, no, on and off; put them in quotes"


@dataclass(frozen=True)
class ColumnSpec:
    """A prediction column.

    Attributes
    ----------
    name : str
    type : str
        One of :data:`COLUMN_TYPES`.
    minimum, maximum : float or None
        Inclusive bounds of numbers.
    allowed : tuple
        The only values there may be; empty: any.
    height, width : int or None
        Shape of the mask, pixels; of ``rle`` columns only.
    """

    name: str
    type: str = "number"
    minimum: float | None = None
    maximum: float | None = None
    allowed: tuple[Any, ...] = ()
    height: int | None = None
    width: int | None = None

    @property
    def numeric(self) -> bool:
        """Whether the column holds numbers."""
        return self.type in ("number", "integer")


@dataclass(frozen=True)
class SubmissionSchema:
    """What a task's config declares about its submissions.

    Attributes
    ----------
    ids : tuple of str
        Columns that together identify a row, in submission and answers; empty: the shortest
        run of first columns of the sample submission whose values are unique.
    targets : tuple of str
        Columns of the answers that hold the truth.
    predictions : tuple of str
        Columns of the submission that hold the predictions, in the order of `targets` where
        there are as many. Columns of the same names are in it by their names.
    columns : Mapping
        The declared :class:`ColumnSpec` of a prediction column. The type of an undeclared
        one is read off the sample submission.
    """

    ids: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    predictions: tuple[str, ...] = ()
    columns: Mapping[str, ColumnSpec] = field(default_factory=dict)

    @classmethod
    def from_config(cls, section: Mapping[str, Any], where: str = "config") -> SubmissionSchema:
        """Read the ``submission`` section of a config.

        Parameters
        ----------
        section : mapping
            Keys ``id``, ``target``, ``prediction`` (a name or a list of names) and
            ``columns`` (name to a mapping of type, minimum, maximum, allowed).
        where : str
            File, for messages.

        Raises
        ------
        TaskError
            If there is an unknown key or type, or a prediction of a target's name is listed at
            the place of another target.

        Examples
        --------
        >>> schema = SubmissionSchema.from_config({"id": "id", "target": "y"})
        >>> schema.ids, schema.predictions
        (('id',), ('y',))
        """
        _refuse_unknown(section, ("id", "target", "prediction", "columns"), where, "submission")
        targets = _names(section.get("target"), where)
        columns = {}
        declared_columns = section.get("columns") or {}
        if not isinstance(declared_columns, dict):
            raise TaskError(
                f"{where}: `submission.columns` must be a mapping of columns to what they hold, as "
                f"{{y: {{type: number}}}}, not {declared_columns!r}"
            )
        for name, declared in declared_columns.items():
            _names(name, where)
            columns[str(name)] = _column(str(name), declared or {}, where)
        ids = _names(section.get("id"), where)
        if declared_ids := [name for name in columns if name in ids]:
            raise TaskError(
                f"{where}: submission.columns declares {declared_ids}, which is of the `id`: leave "
                "it out there, as ids need no declaration"
            )
        predictions = _names(section.get("prediction"), where) or tuple(columns) or targets
        if stray := [name for name in columns if name not in predictions]:
            raise TaskError(
                f"{where}: submission.columns declares {stray}, which `prediction` does not list; "
                "list it there, or leave out what is declared of it"
            )
        predictions = _by_name(targets, predictions, where)
        return cls(ids, targets, predictions, columns)


def _by_name(targets: tuple[str, ...], predictions: tuple[str, ...], where: str) -> tuple[str, ...]:
    """Return the predictions in the order of the targets that they predict."""
    if sorted(targets) == sorted(predictions):
        return targets
    if len(targets) != len(predictions):
        return predictions
    for target, prediction in zip(targets, predictions, strict=True):
        if prediction != target and prediction in targets:
            raise TaskError(
                f"{where}: `submission` pairs the target {target!r} with the prediction "
                f"{prediction!r}, which is the name of another target; list `prediction` in the "
                f"order of `target`, here {list(targets)}"
            )
    return predictions


def _names(value: Any, where: str) -> tuple[str, ...]:
    if value is None:
        return ()
    names = value if isinstance(value, (list, tuple)) else (value,)
    if nested := [name for name in names if isinstance(name, (dict, list))]:
        raise TaskError(
            f"{where}: `submission` names the column(s) {nested}; write a name, or a list of names"
        )
    if made := [name for name in names if isinstance(name, bool)]:
        raise TaskError(f"{where}: `submission` names the column(s) {made}, {_MADE_BY_YAML}")
    if twice := [name for name, count in Counter(map(str, names)).items() if count > 1]:
        raise TaskError(f"{where}: `submission` names the column(s) {twice} twice; remove one")
    return tuple(map(str, names))


def is_finite(value: Any) -> bool:
    """Tell whether a value of a config is a finite number, and one that a float can be.

    Examples
    --------
    >>> [is_finite(value) for value in (1, 0.5, True, "1", float("nan"), 10**400)]
    [True, True, False, False, False, False]
    """
    try:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return number and math.isfinite(value)
    except OverflowError:
        return False


def _refuse_unknown(
    section: Mapping[str, Any], known: tuple[str, ...], where: str, name: str
) -> None:
    if unknown := [key for key in section if key not in known]:
        meant = dict.fromkeys(near for key in unknown if (near := near_key(str(key), known)))
        hint = f"did you mean {' and '.join(meant)}? " if meant else ""
        raise TaskError(
            f"{where}: `{name}` has unknown key(s) {unknown}; {hint}known: {list(known)}"
        )


def _column(name: str, declared: Mapping[str, Any], where: str) -> ColumnSpec:
    label = f"submission.columns.{name}"
    if not isinstance(declared, dict):
        raise TaskError(f"{where}: `{label}` must be a mapping, for instance {{type: number}}")
    known = ("type", "minimum", "maximum", "allowed", "height", "width")
    _refuse_unknown(declared, known, where, label)
    kind = declared.get("type", "number")
    if kind not in COLUMN_TYPES:
        raise TaskError(f"{where}: `{label}.type` is {', '.join(COLUMN_TYPES)}, not {kind!r}")
    low, high = declared.get("minimum"), declared.get("maximum")
    for bound in (low, high):
        if bound is not None and not is_finite(bound):
            raise TaskError(
                f"{where}: a bound of `{label}` must be a finite number, not {bound!r:.200}; leave "
                "it out where there is none"
            )
    if low is not None and high is not None and low > high:
        raise TaskError(
            f"{where}: `{label}` has the minimum {low} above the maximum {high}, so that no number "
            "is allowed; correct them"
        )
    height, width = declared.get("height"), declared.get("width")
    if (height is None) != (width is None) or (height is not None and kind != "rle"):
        raise TaskError(f"{where}: `{label}`: height and width go together, and with type rle")
    for side, value in (("height", height), ("width", width)):
        if value is not None and (type(value) is not int or value < 1):
            raise TaskError(f"{where}: `{label}.{side}` is a whole number of pixels, not {value!r}")
    if height and width and height * width > MAX_PIXELS:
        raise TaskError(
            f"{where}: `{label}` declares masks of {height * width:,} pixels; at most "
            f"{MAX_PIXELS:,} are decoded: cut the images into tiles, or make them coarser"
        )
    allowed = declared.get("allowed") or []
    if not isinstance(allowed, list):
        raise TaskError(f"{where}: `{label}.allowed` must be a list of values, not {allowed!r}")
    if nested := [value for value in allowed if isinstance(value, (dict, list))]:
        raise TaskError(f"{where}: `{label}.allowed` holds {nested}; write single values")
    if not_text := [value for value in allowed if kind == "string" and isinstance(value, bool)]:
        raise TaskError(f"{where}: `{label}.allowed` holds {not_text}, {_MADE_BY_YAML}")
    return ColumnSpec(name, kind, low, high, tuple(allowed), height=height, width=width)
