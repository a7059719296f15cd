"""Scores of leaderboards and people, in text or as numbers: of a file and of a table alike."""

from __future__ import annotations

import math
import numbers
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from biomlbench.errors import LeaderboardError
from biomlbench.plain_text import as_python
from biomlbench.submission.csv_hints import number_hint
from biomlbench.submission.csv_table import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["given_score", "parse_scores"]


def parse_scores(
    where: str | Path, cells: Iterable[Any], *, spellings: bool = False
) -> NDArray[np.float64]:
    """Return scores as floats, NaN where one is missing.

    Parameters
    ----------
    where : path or str
        File or name, for messages.
    cells : iterable
        Text of a file, or numbers: an empty cell, None, NaN and NA are missing.
    spellings : bool
        Whether what pandas takes for missing, such as ``NA`` and ``-nan``, is so.

    Returns
    -------
    ndarray of float

    Raises
    ------
    LeaderboardError
        If a cell is anything else than a finite number: a truth value is none.

    Examples
    --------
    >>> parse_scores("board", ["0.5", "", 1]).tolist()
    [0.5, nan, 1.0]
    """
    import numpy as np

    if not isinstance(cells, np.ndarray):
        cells = np.array([*cells], dtype=object)
    values: NDArray[np.float64]
    if cells.dtype.kind in "iuf":
        values = cells.astype(np.float64)
    else:
        values = np.array([_number(cell, spellings) for cell in cells], dtype=np.float64)
    bad = np.flatnonzero(np.isinf(values))
    if len(bad):
        cell = as_python(cells[bad[0]])
        shown = repr(cell[:40] if isinstance(cell, str) else cell)[:60]
        raise LeaderboardError(
            f"{where}: row {bad[0] + 1}: the score {shown} is not a finite number"
            f"{number_hint([str(cell)])}"
        )
    return values


def _number(cell: Any, spellings: bool) -> float:
    """Return a cell as a float: NaN where it is missing, infinity where it is no finite number."""
    if isinstance(cell, str):
        text = cell.strip()
        if not text or (spellings and text in MISSING):
            return math.nan
        # 1_000, and digits of other scripts, are numbers to Python alone
        value = _float(text) if text.isascii() and "_" not in text else math.inf
        return value if math.isfinite(value) else math.inf
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return math.nan
    if type(cell).__name__ in ("bool", "bool_") or not isinstance(cell, (numbers.Real, Decimal)):
        return math.inf
    return _float(cell)


def _float(value: Any) -> float:
    try:
        return float(value)
    except (ValueError, OverflowError):
        return math.inf


def given_score(score: Any) -> float | None:
    """Return the score that somebody hands in as a finite float.

    Parameters
    ----------
    score : float, str or None
        Text is read as in a file.

    Returns
    -------
    float or None
        None for an invalid score: none, NaN, infinite.

    Raises
    ------
    ValueError
        If it is no number; a truth value is none.

    Examples
    --------
    >>> given_score("0.5"), given_score(float("inf"))
    (0.5, None)
    """
    if isinstance(score, numbers.Real) and not isinstance(score, bool) and math.isinf(score):
        return None
    value = _number(score, spellings=True)
    if math.isinf(value):
        shown = f"{as_python(score)!r:.100}"
        raise ValueError(f"a score is a finite number, not {shown}{number_hint([score])}")
    return None if math.isnan(value) else value
