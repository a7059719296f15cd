"""Controls of tasks whose submissions are tables of predictions."""

from __future__ import annotations

import io
import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.calibrate.controls import RIGHT, WRONG, Control
from biomlbench.submission.own_tables import own_format, own_table
from biomlbench.task.registry import not_prepared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pandas as pd

    from biomlbench.task.task import Task

__all__ = ["of_predictions"]

_SEED = 20_240_606
logger = logging.getLogger(__name__)


def of_predictions(task: Task) -> list[Control]:
    """Return the controls of a prepared prediction task.

    Parameters
    ----------
    task : Task

    Returns
    -------
    list of Control
        The gold submission's values in another file, as the file itself is private and refused
        as a submission; rewrites that keep every value; and, as wrong ones, the sample
        submission and spoilt copies of the gold.

    Raises
    ------
    NotPreparedError
        If the task's data are not there.

    Notes
    -----
    A task without a gold submission has no controls, which is logged.
    """
    if not task.sample_submission.is_file():
        raise not_prepared(task, task.sample_submission)
    if not task.gold_submission.is_file():
        if not task.is_prepared():
            raise not_prepared(task, task.gold_submission)
        logger.warning(
            "%s: %s: the task has no gold submission, from which right and wrong ones are made, so "
            "nothing is measured of it; let its preparer write the best submission that there is, "
            "or put it there",
            *(task.id, task.gold_submission),
        )
        return []
    gold = own_table(task.gold_submission).to_pandas()
    columns = _predicted(task, gold)
    is_csv = own_format(task.gold_submission) == ".csv"
    raw = task.gold_submission.read_bytes() if is_csv else _csv(gold)
    found = [Control("gold", "gold", RIGHT, _written_anew(gold, raw), ".csv")]
    for name, content, suffix in _rewrites(gold, raw):
        if content != raw:
            found.append(Control(f"rewrite/{name}", "rewrite", RIGHT, content, suffix))
    sample, suffix = task.sample_submission.read_bytes(), own_format(task.sample_submission)
    found.append(Control("spoilt/sample", "spoilt", WRONG, sample, suffix))
    for name, spoil in _SPOILERS.items():
        frame = spoil(gold.copy(), columns)
        if frame is not None:
            found.append(Control(f"spoilt/{name}", "spoilt", WRONG, _csv(frame), ".csv"))
    return found


def _predicted(task: Task, gold: pd.DataFrame) -> list[str]:
    from biomlbench.submission.sample import sample_of

    names = {spec.name for spec in sample_of(task).predictions}
    return [name for name in gold.columns if name in names]


def _csv(frame: pd.DataFrame, **options: Any) -> bytes:
    return str(frame.to_csv(None, index=False, **options)).encode()


def _written_anew(gold: pd.DataFrame, raw: bytes) -> bytes:
    """Return the table in other bytes than those of the file: rows backwards, or its line ends."""
    backwards = gold[::-1]
    found = (_csv(backwards), _csv(backwards, lineterminator="\r\n"))
    return next(content for content in found if content != raw)


def _rewrites(gold: pd.DataFrame, raw: bytes) -> Iterator[tuple[str, bytes, str]]:
    """Yield tables that mean the same: other order, quoting, line ends, byte-order mark."""
    import csv

    shuffled = gold.sample(frac=1, random_state=np.random.default_rng(_SEED))
    yield "rows-shuffled", _csv(shuffled), ".csv"
    yield "columns-reversed", _csv(gold[gold.columns[::-1]]), ".csv"
    yield "quoted", _csv(gold, quoting=csv.QUOTE_ALL), ".csv"
    yield "windows-lines", _csv(gold, lineterminator="\r\n"), ".csv"
    yield "byte-order-mark", b"\xef\xbb\xbf" + raw, ".csv"
    buffer = io.BytesIO()
    gold.to_parquet(buffer, index=False)
    yield "parquet", buffer.getvalue(), ".parquet"


def _shuffled(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    order = np.random.default_rng(_SEED).permutation(len(frame))
    frame[columns] = frame[columns].to_numpy()[order]
    return frame


def _subset(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    return frame.head(len(frame) // 2)


def _duplicated(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    return frame.loc[[*frame.index, *frame.index[:3]]]


def _extra(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    return frame.assign(confidence="0.9")


def _nan(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    frame.loc[frame.index[len(frame) // 2], columns] = "nan"
    return frame


def _wrong_dtype(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame | None:
    try:
        frame[columns].astype(float)
    except ValueError:
        return None
    frame.loc[frame.index[0], columns] = "high"
    return frame


def _constant(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    for name in columns:
        frame[name] = frame[name].iloc[0]
    return frame


_SPOILERS: dict[str, Callable[[pd.DataFrame, list[str]], pd.DataFrame | None]] = {
    "gold-shuffled": _shuffled,
    "subset": _subset,
    "duplicated-rows": _duplicated,
    "extra-column": _extra,
    "nan": _nan,
    "wrong-dtype": _wrong_dtype,
    "constant": _constant,
}
