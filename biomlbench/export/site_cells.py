"""Values of tables as the cells of a published site's pages have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.report.shown import printable
from biomlbench.runtime.shown_numbers import number_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas as pd

    from biomlbench.contracts.mappings import AnyRow

__all__ = ["cell", "items_of", "moments", "of_how_many", "records", "text_of", "won"]


def items_of(values: Any) -> list[Any]:
    """Return what a list column holds; one that is null is None or NaN."""
    return [] if values is None or isinstance(values, float) else list(values)


def text_of(value: Any) -> str:
    """Return what a column of texts holds, likewise."""
    return value if isinstance(value, str) else ""


def moments(times: Iterable[str]) -> list[str]:
    """Return days, with as much of the time of day as tells the moments apart.

    Examples
    --------
    >>> moments(["2025-03-03T10:00:00Z", "2025-03-04T10:00:00Z"])
    ['2025-03-03', '2025-03-04']
    >>> moments(["2025-03-03T10:00:00Z", "2025-03-03T11:00:00Z"])
    ['2025-03-03 10:00', '2025-03-03 11:00']
    """
    full = [time.replace("T", " ").replace("Z", "") for time in times]
    for length in (len("2025-03-03"), len("2025-03-03 10:00")):
        cut = [time[:length] for time in full]
        if len(set(cut)) == len(cut):
            return cut
    return full


def of_how_many(facts: Mapping[Any, Any], column: str) -> str:
    """Return of how many of its runs a fact of an agent is, where it is not of all.

    Examples
    --------
    >>> of_how_many({"runs": 3, "meta_tokens_runs": 1}, "meta_tokens")
    ' (1 of 3 runs)'
    """
    stated, runs = facts.get(f"{column.removesuffix('_total')}_runs"), facts["runs"]
    return f" ({stated:.0f} of {runs} runs)" if stated and stated != runs else ""


def won(note: Any) -> str:
    """Return what is to be known of a medal: won against models, or by an inferred direction.

    Examples
    --------
    >>> won("against 46 fitted models; withheld: the audit is open")
    'against 46 fitted models'
    """
    parts = note.split("; ") if isinstance(note, str) else []
    told = [part for part in parts if part.startswith("against ") or "inferred" in part]
    return printable("; ".join(told))


def records(frame: pd.DataFrame) -> list[AnyRow]:
    """Return the rows of a table."""
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def cell(value: Any, digits: int = 5) -> str:
    """Return a value for a cell, as the report has it; empty for none."""
    if value is None or (isinstance(value, (float, np.floating)) and not np.isfinite(value)):
        return ""
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
        return number_text(value, digits)
    return printable(value)
