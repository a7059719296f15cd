"""Run-length codes of masks, as Kaggle's segmentation competitions write them.

A code is pairs ``start length`` separated by spaces, in ascending order and without overlap.
Positions count from 1, down the columns (order ``"F"``), unless told otherwise. The empty
string is the empty mask. Codes come from submissions and are not trusted.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ._errors import MetricError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Order = Literal["C", "F"]

__all__ = ["rle_decode", "rle_decode_instances", "rle_encode", "rle_image"]

_CODE = re.compile(r"[0-9 \t]*")


def _fail(message: str) -> MetricError:
    return MetricError("malformed_rle", message)


def rle_decode(
    code: str, shape: tuple[int, ...], *, order: Order = "F", start: int = 1
) -> NDArray[np.bool_]:
    """Decode a mask.

    Parameters
    ----------
    code : str
        Run-length code.
    shape : tuple of int
        Shape of the mask, known from the task.
    order : {"F", "C"}
        Column-major (Kaggle's) or row-major.
    start : {1, 0}
        Number of the first pixel.

    Returns
    -------
    array of bool
        Of that shape.

    Raises
    ------
    MetricError
        Reason ``malformed_rle``: not a string, characters other than digits and spaces, an
        odd count of numbers, a run of length 0, beyond the mask, out of order or overlapping
        another one, or more text than a mask of this size can need.

    Examples
    --------
    >>> rle_decode("1 2 4 1", (2, 2)).astype(int).tolist()
    [[1, 0], [1, 1]]
    """
    size = math.prod(shape)
    _check_form(order, start)
    starts, ends = _runs(code, size, start)
    steps = np.zeros(size + 1, dtype=np.int8)
    np.add.at(steps, starts, 1)
    np.add.at(steps, ends, -1)
    result: NDArray[np.bool_] = (
        np.cumsum(steps[:-1], dtype=np.int8).astype(bool).reshape(shape, order=order)
    )
    return result


def _runs(code: str, size: int, start: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first pixel of each run, and the one after its last."""
    if not isinstance(code, str):
        raise _fail("a run-length code is text; an empty mask is the empty string")
    # Runs alternate with gaps, and no number has more digits than the size.
    longest = (size + 1) * (len(str(size)) + 1)
    if len(code) > longest:
        raise _fail(f"a run-length code of {len(code)} characters is too long for this mask")
    if not _CODE.fullmatch(code):
        raise _fail("a run-length code holds digits and spaces only")
    tokens = code.split()
    if len(tokens) % 2:
        raise _fail("a run-length code has pairs of start and length; one number is left over")
    if max(map(len, tokens), default=0) > len(str(size)) + 1:
        raise _fail(f"a run-length code's number is larger than the mask of {size} pixels")
    numbers = np.array(tokens, dtype=np.int64).reshape(-1, 2)
    starts, lengths = numbers[:, 0] - start, numbers[:, 1]
    ends = starts + lengths
    _check_runs(starts, lengths, ends, size, start)
    return starts, ends


def _check_form(order: str, start: int) -> None:
    if order not in ("F", "C") or start not in (0, 1):
        raise ValueError("order is 'F' or 'C', start is 0 or 1")


def _check_runs(
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    ends: NDArray[np.int64],
    size: int,
    start: int,
) -> None:
    faults = (
        (lengths < 1, "has length 0"),
        (starts < 0, f"starts before pixel {start}"),
        (ends > size, f"ends beyond the mask of {size} pixels"),
        (
            np.concatenate([[False], starts[1:] < ends[:-1]])[: len(starts)],
            "starts before the end of the run before it",
        ),
    )
    for wrong, what in faults:
        if wrong.any():
            raise _fail(f"run {int(np.argmax(wrong)) + 1} of the code {what}")


def rle_encode(mask: Any, *, order: Order = "F", start: int = 1) -> str:
    """Encode a mask.

    Parameters
    ----------
    mask : array_like
        Boolean, or 0 and 1.
    order, start
        As for :func:`rle_decode`.

    Returns
    -------
    str
        The code; the empty string for an empty mask.

    Raises
    ------
    MetricError
        ``non_binary_mask``.

    Examples
    --------
    >>> rle_encode([[1, 0], [1, 1]])
    '1 2 4 1'
    """
    _check_form(order, start)
    array = np.asarray(mask)
    if array.dtype.kind not in "biuf" or not ((array == 0) | (array == 1)).all():
        raise MetricError("non_binary_mask", "a mask holds 0 and 1 only")
    flat = np.concatenate([[0], array.astype(np.int8).ravel(order=order), [0]])
    steps = np.flatnonzero(np.diff(flat))
    starts, ends = steps[::2], steps[1::2]
    return " ".join(f"{a + start} {b - a}" for a, b in zip(starts, ends, strict=True))


def rle_decode_instances(
    codes: Iterable[str], shape: tuple[int, ...], *, order: Order = "F", start: int = 1
) -> NDArray[np.int32]:
    """Decode the masks of one image's instances into a label image.

    Parameters
    ----------
    codes : iterable of str
        One code an instance; an empty code is no instance.
    shape, order, start
        As for :func:`rle_decode`.

    Returns
    -------
    array of int32
        0 for the background, instances numbered from 1 in the order given.

    Raises
    ------
    MetricError
        ``malformed_rle``, also where two instances overlap.

    Examples
    --------
    >>> rle_decode_instances(["1 1", "3 2"], (2, 2)).tolist()
    [[1, 2], [0, 2]]
    """
    size = math.prod(shape)
    _check_form(order, start)
    # Pixel by pixel of the runs: whatever number of codes there is, each pixel is set once.
    result = np.zeros(size, dtype=np.int32)
    number = 0
    for code in codes:
        if isinstance(code, str) and not code.strip(" \t"):
            continue
        number += 1
        starts, ends = _runs(code, size, start)
        for first, end in zip(starts.tolist(), ends.tolist(), strict=True):
            if result[first:end].any():
                raise _fail(f"instance {number} overlaps another one")
            result[first:end] = number
    return result.reshape(shape, order=order)


def rle_image(cell: str, shape: tuple[int, int], kind: str) -> NDArray[Any]:
    """Decode a cell of a table as metrics of a kind take it.

    Parameters
    ----------
    cell : str
        A code; for ``instance_mask`` one for each instance, with a semicolon between them.
    shape : (int, int)
        Height and width, pixels.
    kind : str
        Of the metric: ``instance_mask`` for a label image, any other for one mask.

    Returns
    -------
    ndarray, shape (height, width)

    Raises
    ------
    MetricError
        ``malformed_rle``

    Examples
    --------
    >>> rle_image("1 1;3 2", (2, 2), "instance_mask").tolist()
    [[1, 2], [0, 2]]
    """
    if kind == "instance_mask":
        return rle_decode_instances(cell.split(";") if isinstance(cell, str) else [cell], shape)
    return rle_decode(cell, shape)
