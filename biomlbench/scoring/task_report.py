"""The report on one submission, and what JSON can hold of it."""

from __future__ import annotations

import math
import numbers
from dataclasses import MISSING, dataclass, field, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from biomlbench.contracts.mappings import JsonObject

__all__ = [
    "NOT_THERE",
    "PAIR_COLUMNS",
    "Summary",
    "TaskReport",
    "Totals",
    "columns_of_pairs",
    "plain",
]


@dataclass(frozen=True)
class TaskReport:
    """The evaluation of one submission.

    Attributes
    ----------
    task_id : str
    score : float or None
        Unrounded; None without a valid one.
    gold_threshold, silver_threshold, bronze_threshold, median_threshold : float or None
        Scores of the leaderboard; None where the task has none.
    any_medal, gold_medal, silver_medal, bronze_medal : bool
    above_median : bool or None
        Better than the leaderboard's median; False without a valid score, None without a
        leaderboard that can be used.
    submission_exists, valid_submission : bool
    is_lower_better : bool
    created_at : datetime or None
        When the report was made; takes no part in comparisons.
    submission_path : str
    leaderboard_percentile : float or None
        Percent of the leaderboard strictly worse.
    leaderboard_size : int or None
    leaderboard_position : int or None
        Rank that the score would have, 1 for the best.
    beats_human : bool or None
        Strictly better than the median human; None without human baselines.
    human_percentile : float or None
        Percent of humans beaten or tied.
    metric, direction : str
    reason, fault, message : str
        Why there is no score: reason code, whose fault, and a sentence; or, with a score, why the
        task's leaderboard or human baselines could not be used. Else ``ok``, ``none`` and empty.
    medal_note : str
        Which medals cannot be had, and why; also why a leaderboard is refused.
    n_rows : int or None
        Rows that were scored.
    score_low, score_high : float or None
        95 % bootstrap interval of the score, where one was asked for.
    p_gold, p_silver, p_bronze, p_above_median : float or None
        Frequencies over bootstrap resamples, which move in steps of half a percent.
    on_boundary : bool or None
        The interval spans the threshold of a medal.
    """

    task_id: str
    score: float | None
    gold_threshold: float | None
    silver_threshold: float | None
    bronze_threshold: float | None
    median_threshold: float | None
    any_medal: bool
    gold_medal: bool
    silver_medal: bool
    bronze_medal: bool
    above_median: bool | None
    submission_exists: bool
    valid_submission: bool
    is_lower_better: bool
    created_at: datetime | None = field(compare=False)
    submission_path: str
    leaderboard_percentile: float | None = None
    leaderboard_size: int | None = None
    leaderboard_position: int | None = None
    beats_human: bool | None = None
    human_percentile: float | None = None
    metric: str = ""
    direction: str = ""
    reason: str = "ok"
    fault: str = "none"
    message: str = ""
    medal_note: str = ""
    n_rows: int | None = None
    score_low: float | None = None
    score_high: float | None = None
    p_gold: float | None = None
    p_silver: float | None = None
    p_bronze: float | None = None
    p_above_median: float | None = None
    on_boundary: bool | None = None

    def to_dict(self) -> JsonObject:
        """Return the report as JSON can hold it: no NaN, no infinity, the time as text."""
        return {name: plain(getattr(self, name)) for name in _FIELDS}

    def _repr_html_(self) -> str:
        """Return the report as a table, for notebooks; what is not there is left out."""
        from biomlbench.notebook import html_fields

        return html_fields(self.to_dict())

    @classmethod
    def from_pair(cls, row: Mapping[str, Any]) -> TaskReport:
        """Return the report of a row of the workflow's ``pairs`` table.

        Parameters
        ----------
        row : mapping
            Column to value.
        """
        values = {name: row[name] for name in _FIELDS if name in row}
        return cls(
            **{
                **values,
                "submission_exists": row["reason"] not in NOT_THERE,
                "is_lower_better": row["direction"] == "minimize",
                "created_at": None,
                "submission_path": row["submission"],
                "medal_note": row["medal_note"] or "",
            }
        )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TaskReport:
        """Return the report of a dictionary; unknown keys are left out.

        Raises
        ------
        KeyError
            If a field without a default is missing.
        TypeError
            If one that is counted is neither true nor false.
        """
        values = {name: _as_none(data[name]) for name in _FIELDS if name in data}
        if missing := [name for name in _REQUIRED if name not in values]:
            raise KeyError(f"the report lacks {', '.join(missing)}")
        if isinstance(values["created_at"], str):
            values["created_at"] = datetime.fromisoformat(values["created_at"])
        for name in _COUNTED.keys() & values.keys():
            if values[name] not in (True, False, None):
                raise TypeError(f"the report's {name} is {values[name]!r}, no boolean")
        return cls(**values)


def _as_none(value: Any) -> Any:
    """Return None for NaN, by which pandas says that a cell is empty."""
    return None if isinstance(value, float) and math.isnan(value) else value


def columns_of_pairs(pairs: pa.RecordBatch) -> dict[str, pa.Array]:
    """Return the fields of :meth:`TaskReport.from_pair`'s reports of many rows, by columns.

    Parameters
    ----------
    pairs : pyarrow.RecordBatch
        Of the schema ``pairs``, with at least :data:`PAIR_COLUMNS`.

    Returns
    -------
    dict of str to pyarrow.Array
        By field, an entry a row.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = {name: pairs.column(name) for name in _FIELDS if name in pairs.schema.names}
    return columns | {
        "submission_exists": pc.invert(
            pc.is_in(pairs.column("reason"), value_set=pa.array(NOT_THERE))
        ),
        "is_lower_better": pc.equal(pairs.column("direction"), "minimize"),
        "created_at": pa.nulls(len(pairs)),
        "submission_path": pairs.column("submission"),
        "medal_note": pc.fill_null(pairs.column("medal_note"), ""),
    }


class Totals:
    """What many reports come to, counted one by one, so that they need not be there at once."""

    def __init__(self) -> None:
        self._counts = dict.fromkeys(_COUNTED, 0)
        self._runs = self._ranked = 0
        self._sum = 0.0
        self._best: float | None = None
        self._worst: float | None = None

    def add(self, report: TaskReport) -> None:
        """Count a report."""
        self._runs += 1
        for name in _COUNTED:
            self._counts[name] += bool(getattr(report, name))
        if (percentile := report.leaderboard_percentile) is not None:
            self._ranked += 1
            self._sum += percentile
            self._best = percentile if self._best is None else max(self._best, percentile)
            self._worst = percentile if self._worst is None else min(self._worst, percentile)

    def add_columns(self, reports: Mapping[str, pa.Array]) -> None:
        """Count many reports, given as :func:`columns_of_pairs` returns them."""
        import numpy as np
        import pyarrow.compute as pc

        self._runs += len(reports["task_id"])
        for name in _COUNTED:
            self._counts[name] += pc.sum(reports[name]).as_py() or 0
        found = reports["leaderboard_percentile"].drop_null().to_numpy(zero_copy_only=False)
        if len(found):
            self._ranked += len(found)
            # One after the other, as `add` does: other orders give other last digits.
            self._sum = float(np.cumsum([self._sum, *found])[-1])
            highest, lowest = float(found.max()), float(found.min())
            self._best = highest if self._best is None else max(self._best, highest)
            self._worst = lowest if self._worst is None else min(self._worst, lowest)

    def to_dict(self) -> JsonObject:
        """Return the totals as :func:`biomlbench.grade.aggregate_reports` names them."""
        return {
            "total_runs": self._runs,
            **{total: self._counts[name] for name, total in _COUNTED.items()},
            "avg_leaderboard_percentile": self._sum / self._ranked if self._ranked else None,
            "best_leaderboard_percentile": self._best,
            "worst_leaderboard_percentile": self._worst,
        }


_COUNTED = {
    "submission_exists": "total_runs_with_submissions",
    "valid_submission": "total_valid_submissions",
    "any_medal": "total_medals",
    "gold_medal": "total_gold_medals",
    "silver_medal": "total_silver_medals",
    "bronze_medal": "total_bronze_medals",
    "above_median": "total_above_median",
    "beats_human": "total_beats_human",
}


class Summary(dict[str, Any]):
    """What :func:`biomlbench.grade.aggregate_reports` gives: a dictionary that JSON can hold."""

    def _repr_html_(self) -> str:
        """Return the totals, and a row for each report, as tables for notebooks."""
        from biomlbench.notebook import html_fields, html_table

        totals = {name: value for name, value in self.items() if name != "task_reports"}
        return html_fields(totals) + html_table(_SHOWN, map(_with_medal, self["task_reports"]))


_SHOWN = ("task_id", "score", "medal", "leaderboard_percentile", "beats_human", "reason")


def _with_medal(report: Mapping[str, Any]) -> JsonObject:
    from biomlbench.scoring.medals import MEDALS

    medal = next((name for name in MEDALS if report[f"{name}_medal"]), "")
    return {**report, "medal": medal}


NOT_THERE = ("missing_file", "unsafe_path")
"""Reasons of submissions that do not exist."""
_FIELDS = tuple(item.name for item in fields(TaskReport))
_REQUIRED = tuple(item.name for item in fields(TaskReport) if item.default is MISSING)
PAIR_COLUMNS = frozenset((*_FIELDS, "submission"))
"""What :meth:`TaskReport.from_pair` looks at."""
_AS_IT_IS = frozenset({type(None), bool, str, int})


def plain(value: Any) -> Any:
    """Return a value as plain JSON data; what is no finite number is null."""
    if type(value) in _AS_IT_IS:
        return value
    if type(value) is float:
        return value if math.isfinite(value) else None
    if isinstance(value, datetime):
        return value.isoformat()
    if hasattr(value, "item"):
        return plain(value.item())
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value) if math.isfinite(value) else None
    return str(value)
