"""Reading of metric inputs: arrays of numbers, labels and masks, refused when unfit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from biomlbench.outcomes import Fault
from biomlbench.plain_text import as_python

from ._errors import MetricError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "array_of",
    "as_images",
    "binary_truth",
    "check_length",
    "check_varied",
    "classes_of",
    "images",
    "labels",
    "numbers",
    "paired_labels",
    "paired_numbers",
    "positive_label",
    "positives",
    "take",
]

Floats = NDArray[np.float64]

# Characters of a label in a message.
_MOST_SHOWN = 100
_SIDE = {Fault.TASK: "the truth", Fault.SUBMISSION: "the predictions"}
_MISSING = {Fault.TASK: "missing_truth", Fault.SUBMISSION: "nan_predictions"}


def numbers(values: Any, fault: Fault, ndim: tuple[int, ...] = (1,)) -> Floats:
    """Return finite numbers as a float array.

    Parameters
    ----------
    values : array_like
        Numbers or booleans.
    fault : {"submission", "task"}
        Whose values they are.
    ndim : tuple of int
        Numbers of dimensions allowed. A single column counts as one dimension.

    Raises
    ------
    MetricError
        ``not_numeric``, ``shape_mismatch``, ``missing_truth``, ``nan_predictions``.
    """
    array = array_of(values, fault)
    if array.dtype.kind not in "biuf":
        if array.dtype.kind in "cSUMm" or any(isinstance(v, (str, bytes)) for v in array.flat):
            raise MetricError("not_numeric", f"{_SIDE[fault]} must be numbers", fault)
        try:
            array = np.where(_missing(array), np.nan, array).astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            raise MetricError("not_numeric", f"{_SIDE[fault]} must be numbers", fault) from None
    if array.ndim == 2 and array.shape[1] == 1 and 1 in ndim:
        array = array[:, 0]
    if array.ndim not in ndim:
        raise MetricError("shape_mismatch", _of_dimensions(array, fault, ndim), fault)
    result = array.astype(np.float64, copy=False)
    if array.dtype.kind not in "biu":
        finite = np.isfinite(result)
        if not finite.all():
            rows = finite.reshape(len(result), -1).all(axis=1)
            raise MetricError(
                _MISSING[fault],
                f"{np.count_nonzero(~rows)} rows of {_SIDE[fault]} are missing, NaN or infinite; "
                f"the first is row {int(np.argmin(rows)) + 1}",
                fault,
            )
    return result


def array_of(values: Any, fault: Fault) -> NDArray[Any]:
    """Return values as an array, what is masked in them as missing.

    Raises
    ------
    MetricError
        ``not_numeric`` where they are lists of several lengths.
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        masked, values = np.ma.getmaskarray(values), np.ma.getdata(values).astype(object)
        values[masked] = None
    try:
        return np.asarray(values)
    except ValueError:
        raise MetricError(
            "not_numeric", f"the rows of {_SIDE[fault]} are not equally long", fault
        ) from None


def _of_dimensions(array: NDArray[Any], fault: Fault, ndim: tuple[int, ...] = (1,)) -> str:
    """Say how many dimensions an array has, and how many it should have."""
    wanted = " or ".join(map(str, ndim))
    columns = f" ({array.shape[1]} columns)" if array.ndim == 2 else ""
    plural = "" if wanted == "1" else "s"
    return f"{_SIDE[fault]} must have {wanted} dimension{plural}, not {array.ndim}{columns}"


def _missing(array: NDArray[np.object_]) -> NDArray[np.bool_]:
    """Tell which objects stand for a missing value: None, NaN, or the NA and NaT of pandas."""
    missing = [
        v is None or type(v).__name__ in ("NAType", "NaTType") or (isinstance(v, float) and v != v)
        for v in array.flat
    ]
    return np.array(missing, dtype=bool).reshape(array.shape)


def check_length(n_true: int, n_pred: int) -> None:
    """Refuse predictions of another number than the truth, and a truth without rows.

    Raises
    ------
    MetricError
        ``shape_mismatch``, ``empty``.
    """
    if n_true != n_pred:
        raise MetricError(
            "shape_mismatch", f"there are {n_pred} predictions for {n_true} true values"
        )
    if n_true == 0:
        raise MetricError("empty", "there are no rows to score", Fault.TASK)


def paired_numbers(y_true: Any, y_pred: Any) -> tuple[Floats, Floats]:
    """Return truth and predictions as two float arrays of one length, at least 1.

    Raises
    ------
    MetricError
        As :func:`numbers`, and ``shape_mismatch`` or ``empty``.
    """
    try:
        truth, predictions = numbers(y_true, Fault.TASK), numbers(y_pred, Fault.SUBMISSION)
    except MetricError as error:
        if error.reason != "shape_mismatch" or np.ndim(y_true) != 2:
            raise
        told = f"{error.message}; metrics of several columns: {', '.join(_of_several())}"
        raise MetricError(error.reason, told, error.fault) from None
    check_length(len(truth), len(predictions))
    return truth, predictions


def _of_several() -> list[str]:
    from ._base import registered

    return sorted(name for name, found in registered().items() if found.several)


def check_varied(values: Floats, fault: Fault, name: str) -> None:
    """Refuse values that are all equal.

    Raises
    ------
    MetricError
        ``constant_predictions`` or ``constant_truth``.
    """
    if (values == values[0]).all():
        reason = "constant_truth" if fault == Fault.TASK else "constant_predictions"
        raise MetricError(
            reason, f"all values of {_SIDE[fault]} are equal: {name} is undefined", fault
        )


def labels(values: Any, fault: Fault) -> NDArray[Any]:
    """Return class labels as an array of integers, of floats with whole values, or of strings.

    Raises
    ------
    MetricError
        ``shape_mismatch``, ``missing_truth``, ``nan_predictions``, ``not_labels`` for
        fractional numbers and for objects that are neither numbers nor strings.
    """
    if isinstance(values, (list, tuple)) and any(isinstance(v, (str, int)) for v in values):
        # as text of one width it could be huge, and large whole numbers would become floats
        values = np.array(values, dtype=object)
    array = array_of(values, fault)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise MetricError("shape_mismatch", _of_dimensions(array, fault), fault)
    if array.dtype.kind == "O" and len(array) and all(isinstance(v, bytes) for v in array):
        array = array.astype(bytes)
    if array.dtype.kind == "S":
        array = np.char.decode(array, "utf-8", "replace")
    if array.dtype.kind == "U":
        return _texts(array, fault)
    if array.dtype.kind == "T":
        return array
    if array.dtype.kind == "b":
        return array.astype(np.int64)
    if array.dtype.kind in "iu" or (
        array.dtype.kind == "O" and all(isinstance(v, (int, np.integer)) for v in array)
    ):
        return _whole(array)
    if array.dtype.kind == "O" and any(isinstance(v, str) for v in array):
        if all(isinstance(v, str) for v in array):
            return _texts(array, fault)
        if (missing := _missing(array)).any():
            raise MetricError(
                _MISSING[fault],
                f"{np.count_nonzero(missing)} labels of {_SIDE[fault]} are missing; "
                f"the first is row {int(np.argmax(missing)) + 1}",
                fault,
            )
        raise MetricError(
            "not_labels", f"{_SIDE[fault]} must not mix strings and other types", fault
        )
    try:
        result = numbers(array, fault)
    except MetricError as error:
        if error.reason != "not_numeric":
            raise
        raise MetricError("not_labels", f"values of {_SIDE[fault]} are not labels", fault) from None
    if (result != np.rint(result)).any():
        raise MetricError(
            "not_labels",
            f"values of {_SIDE[fault]} are fractional numbers, not class labels: "
            "round or threshold them first",
            fault,
        )
    return result


def _whole(array: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers in the one type of all of them: two types would be compared as floats.

    Those that it cannot hold are of unsigned numbers, or else Python's.
    """
    for dtype in (np.int64, np.uint64):
        bounds = np.iinfo(dtype)
        if not len(array) or (array.min() >= bounds.min and array.max() <= bounds.max):
            return array.astype(dtype)
    return array.astype(object)


def _texts(array: NDArray[Any], fault: Fault) -> NDArray[Any]:
    """Return text in the one type of all labels of text, whatever type it comes in.

    Each label is as long as it is: one long label must not take that room in every row.
    """
    try:
        return array.astype(np.dtypes.StringDType())
    except UnicodeEncodeError:
        raise MetricError(
            "not_labels", f"labels of {_SIDE[fault]} are no Unicode text", fault
        ) from None


def paired_labels(y_true: Any, y_pred: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return true and predicted labels of one type and one length, at least 1.

    Raises
    ------
    MetricError
        As :func:`labels`, and ``label_type_mismatch`` where one side holds strings and the
        other numbers, ``shape_mismatch`` or ``empty``.
    """
    truth, predictions = labels(y_true, Fault.TASK), labels(y_pred, Fault.SUBMISSION)
    check_length(len(truth), len(predictions))
    if (truth.dtype.kind in "UT") != (predictions.dtype.kind in "UT"):
        kinds = ("text", "numbers") if truth.dtype.kind in "UT" else ("numbers", "text")
        raise MetricError(
            "label_type_mismatch",
            f"the predicted labels are {kinds[1]}, the task's labels are {kinds[0]}",
        )
    if truth.dtype != predictions.dtype and "u" in truth.dtype.kind + predictions.dtype.kind:
        return truth.astype(object), predictions.astype(object)
    return truth, predictions


def classes_of(
    truth: NDArray[Any], class_labels: Iterable[Any] | None, predictions: Floats
) -> NDArray[Any]:
    """Return the class of each column of predictions: as declared, or those of the truth, sorted.

    Raises
    ------
    MetricError
        ``shape_mismatch`` where there is another number of columns; ``unknown_label`` (the
        task's fault) where a declared class is no text and the truth is.
    """
    if truth.dtype.kind in "UT" and class_labels is not None:
        class_labels = list(class_labels)
        for label in class_labels:
            if not isinstance(label, str):
                raise MetricError("unknown_label", _unquoted("labels", label), Fault.TASK)
    classes = np.unique(truth) if class_labels is None else labels(list(class_labels), Fault.TASK)
    if (columns := predictions.shape[1]) != len(classes):
        told = f"the predictions have {columns} columns for {len(classes)} classes"
        if class_labels is None and columns > len(classes):
            told += (
                "; where no row of the truth has some class, name all of them in the order of the "
                "columns, in config.yaml under `grader`: `options: {labels: [...]}`"
            )
        raise MetricError("shape_mismatch", told)
    return classes


def positive_label(truth: NDArray[Any], pos_label: Any) -> Any:
    """Return the label of the positive class: as declared, else 1 beside 0 or -1.

    Of other labels, as 1 and 2, conventions differ: scikit-learn's ``roc_auc_score`` and
    ``log_loss`` take the larger one, its ``f1_score`` and ``average_precision_score`` take 1.

    Raises
    ------
    MetricError
        ``no_positives`` (the task's fault) where none is declared and two other numbers, or
        text, are there; ``not_binary`` for more classes in text.
    """
    if pos_label is not None:
        return pos_label
    if truth.dtype.kind in "UT":
        found = np.unique(truth).tolist()
        if len(found) > 2:
            raise MetricError("not_binary", "the truth has more than two classes", Fault.TASK)
        raise _undeclared([repr(label[:_MOST_SHOWN]) for label in found], _in_yaml(found[-1]))
    if _first(truth != 1, truth) in (None, 0, -1):
        return 1
    found = np.unique(truth).tolist()
    if len(found) != 2:
        return 1
    names = [f"{label:g}" for label in found]
    raise _undeclared(names, names[-1])


def _undeclared(names: list[str], positive: str) -> MetricError:
    return MetricError(
        "no_positives",
        f"which of the labels {' and '.join(names)} is the positive one is not declared: say it "
        f"in config.yaml, under `grader`, as in `options: {{pos_label: {positive}}}`",
        Fault.TASK,
    )


def _in_yaml(label: str) -> str:
    """Return a label as it is written in a mapping of YAML: in quotes where it needs them."""
    import yaml

    dumped = yaml.safe_dump(
        [label[:_MOST_SHOWN]],
        default_flow_style=True,
        allow_unicode=label.isprintable(),
        width=9 * _MOST_SHOWN,
    )
    return str(dumped).strip()[1:-1]


def positives(truth: NDArray[Any], pos_label: Any) -> NDArray[np.bool_]:
    """Return which of the labels, of two classes at most, are the positive one.

    Raises
    ------
    MetricError
        ``not_binary`` with three labels or more; ``no_positives`` where two labels are there
        and `pos_label` is neither, or is text among numbers or the reverse; and as
        :func:`positive_label`. All are the task's fault.
    """
    pos_label = positive_label(truth, pos_label)
    hint = (
        f"pos_label {as_python(pos_label)!r} is not a label of the truth: set it to the positive "
        "class's"
    )
    if truth.dtype.kind in "UT" and not isinstance(pos_label, str):
        raise MetricError("no_positives", _unquoted("pos_label", pos_label), Fault.TASK)
    if truth.dtype.kind not in "UT" and isinstance(pos_label, str):
        raise MetricError("no_positives", hint, Fault.TASK)
    positive = np.asarray(truth == pos_label)
    negative = ~positive
    other = _first(negative, truth)
    if other is not None and np.count_nonzero(truth == other) < np.count_nonzero(negative):
        if positive.any() or len(np.unique(truth[negative])) > 2:
            raise MetricError("not_binary", "the truth has more than two classes", Fault.TASK)
        raise MetricError("no_positives", hint, Fault.TASK)
    return positive


def _unquoted(option: str, label: Any) -> str:
    """Say that a label is no text, as those of the truth are."""
    made = ", which YAML makes of words like yes, no, on, off, true and false"
    return (
        f"{option} {as_python(label)!r} is no text{made if isinstance(label, bool) else ''}, and "
        "the labels of the truth are: put it in quotes in config.yaml"
    )


def _first(where: NDArray[np.bool_], values: NDArray[Any]) -> Any:
    """Return the first of the marked values, None where none is marked; without a copy of them."""
    place = int(where.argmax()) if len(where) else 0
    return values[place] if len(where) and where[place] else None


def binary_truth(y_true: Any, pos_label: Any = None) -> NDArray[np.bool_]:
    """Return which rows are of the positive class, where both classes are there.

    Parameters
    ----------
    y_true : (n,) array_like
        Labels of two classes.
    pos_label : int or str, optional
        Label of the positive class; by default 1, of labels 0 and 1 or -1 and 1.

    Raises
    ------
    MetricError
        As :func:`positives`, and ``one_class``; all of them the task's fault.
    """
    truth = labels(y_true, Fault.TASK)
    if len(truth) == 0:
        raise MetricError("empty", "there are no rows to score", Fault.TASK)
    positive = positives(truth, pos_label)
    if positive.all() or not positive.any():
        raise MetricError("one_class", "the truth holds a single class", Fault.TASK)
    return positive


def images(y_true: Any, y_pred: Any) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
    """Return true and predicted images as two lists of arrays with equal shapes.

    Parameters
    ----------
    y_true, y_pred : list of array_like, or one ndarray
        A list (or tuple, or one-dimensional object array) is several images; an ndarray of
        numbers is one image or volume, whatever its number of dimensions.

    Raises
    ------
    MetricError
        ``shape_mismatch``, ``empty``.
    """
    truths, predictions = as_images(y_true, Fault.TASK), as_images(y_pred)
    if len(truths) != len(predictions):
        raise MetricError(
            "shape_mismatch", f"there are {len(predictions)} masks for {len(truths)} images"
        )
    if not truths:
        raise MetricError("empty", "there are no images to score", Fault.TASK)
    for i, (truth, prediction) in enumerate(zip(truths, predictions, strict=True), start=1):
        if truth.ndim == 0:
            raise MetricError("shape_mismatch", "a mask is an array, not a number", Fault.TASK)
        if truth.size == 0:
            raise MetricError("empty", f"image {i} has no pixels", Fault.TASK)
        if truth.shape != prediction.shape:
            raise MetricError(
                "shape_mismatch",
                f"mask {i} has shape {prediction.shape}, its image has {truth.shape}",
            )
    return truths, predictions


def as_images(values: Any, fault: Fault = Fault.SUBMISSION) -> list[NDArray[Any]]:
    """Return a list of images; a lone array of numbers is one image."""
    if isinstance(values, np.ndarray) and not (values.dtype == object and values.ndim == 1):
        return [values]
    try:
        return [np.asarray(value) for value in values]
    except (TypeError, ValueError):
        raise MetricError(
            "shape_mismatch", "masks are given as a list of arrays, or as one array", fault
        ) from None


def take(values: Any, indices: NDArray[np.intp]) -> Any:
    """Return rows (images, structures) of what a metric takes, in the order of the indices."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if isinstance(values, np.ndarray):
        return values[indices]
    return [values[i] for i in indices]
