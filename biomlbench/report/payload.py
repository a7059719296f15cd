"""The data that the report carries, as compact JSON: columns, not rows; each text once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
import pandas as pd
import pyarrow as pa

from biomlbench import contracts, outcomes
from biomlbench.outcomes import Fault
from biomlbench.report.agent_order import compared, with_places
from biomlbench.report.markdown import as_html
from biomlbench.report.payload_checks import checks_of
from biomlbench.report.shown import json_number, printable
from biomlbench.scoring.medals import THRESHOLDS
from biomlbench.stages import STAGES
from biomlbench.stages.chain.medal import WITHHELD
from biomlbench.stages.provenance import COLUMNS
from biomlbench.summary.task_facts import discrimination

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.report.feedback import ShownCase
    from biomlbench.report.inputs import Tables
    from biomlbench.report.predicted_rows import PredictedRows

__all__ = [
    "Columns", "build", "columns", "described", "dumps", "run_columns", "small_tables",
    "task_records", "written",
]  # fmt: skip

# computed from `medal`, or one value a task: they are in the task's record; or shown as provenance
_LEFT_OUT = {
    *COLUMNS,
    "gold_medal", "silver_medal", "bronze_medal", "any_medal", "gold_threshold",
    "silver_threshold", "bronze_threshold", "median_threshold", "leaderboard_size", "medal_note",
    "domain", "metric", "direction",
}  # fmt: skip
_OF_HISTORY = (
    *("kept", "task_set", "agent", "place", "tasks", "runs"),
    *("verified_medal_rate", "verified_medal_rate_low", "verified_medal_rate_high"),
    *("pass_rate", "pass_rate_low", "pass_rate_high", "leaderboard_percentile"),
)
_FULL_PRECISION = {"score"}


def dumps(value: Any) -> str:
    r"""Return JSON that is safe inside an HTML script element.

    Examples
    --------
    >>> dumps({"a": "</script>"})
    '{"a":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _numbers(series: pd.Series, full: bool) -> list[float | int | None]:
    values = series.to_numpy(float, na_value=np.nan)
    different, places = np.unique(values, return_inverse=True)
    shown = np.array([*(json_number(value, full) for value in different), None], dtype=object)
    result: list[float | int | None] = shown[places].tolist()
    return result


def _column(series: pd.Series, full: bool = False) -> Any:
    if pd.api.types.is_bool_dtype(series.dtype):
        return [int(value) for value in series]
    if pd.api.types.is_numeric_dtype(series.dtype):
        return _numbers(series, full)
    if series.dtype == object:
        series = pd.Series([_cell(value) for value in series], dtype=object)
        if all(value is None or isinstance(value, bool) for value in series):
            return [None if value is None else int(value) for value in series]
    # Distinct texts first: there are few of them, and what is shown of two may be the same.
    codes, unique = pd.factorize(series)
    texts: dict[str, int] = {}
    places = [texts.setdefault(printable(value), len(texts)) for value in unique]
    if not texts:
        return [None] * len(series)
    if len(texts) == len(series) > 1:
        return list(texts)
    return {"v": list(texts), "i": np.array([*places, -1])[codes].tolist()}


def _cell(value: Any) -> Any:
    if value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value)):
        return None
    if isinstance(value, list | tuple | np.ndarray):
        return ", ".join(map(str, value))
    return value


def _packed(column: Any) -> Any:
    """Return a column of one value as that value: most of a large table's columns are such."""
    is_text = isinstance(column, dict)
    places = column["i"] if is_text else column
    if len(places) < 2 or any(place != places[0] for place in places):
        return column
    value = places[0]
    if is_text:
        value = None if value < 0 else column["v"][value]
    return {"k": value}


class Columns(TypedDict):
    """A table by columns; see :func:`columns`."""

    n: int
    c: JsonObject


def columns(frame: pd.DataFrame) -> Columns:
    """Return a table as `n` and one entry a column.

    Parameters
    ----------
    frame : pandas.DataFrame

    Returns
    -------
    dict
        `n`, and `c` with, for each column, a list of numbers (six significant digits and all
        before the point, of a score every one; booleans as 0 and 1; null where there is no
        value) or, for texts, `v`, the distinct texts, and `i`, for each row the text's position,
        -1 where there is none. Texts that are all different are a list as well; of several rows
        with one value it is `k`.

    Examples
    --------
    >>> columns(pd.DataFrame({"a": ["x", "x", None]}))
    {'n': 3, 'c': {'a': {'v': ['x'], 'i': [0, 0, -1]}}}
    """
    return {
        "n": len(frame),
        "c": {
            str(name): _packed(_column(frame[name], name in _FULL_PRECISION))
            for name in frame.columns
        },
    }


def task_records(tables: Tables) -> list[JsonObject]:
    """Return what pages show of each task, sorted; descriptions as :func:`written` has them."""
    known = {row["task_id"]: row for row in tables.tasks.to_dict("records")}
    pairs = tables.pairs[tables.pairs["fault"] != Fault.RUN_TABLE]
    first = pairs.drop_duplicates("task_id").set_index("task_id")
    cuts = pairs.groupby("task_id")[list(THRESHOLDS)].max()
    sizes = pairs.groupby("task_id")["leaderboard_size"].max()
    separates = discrimination(tables.runs)
    notes = {task: _of_all(part) for task, part in pairs.groupby("task_id")["medal_note"]}
    made = []
    for task_id in sorted(set(known) | set(first.index)):
        record = dict(known.get(task_id, {}))
        record.pop("leaderboard", None), record.pop("humans", None)
        description = record.pop("description", None)
        if task_id in first.index:
            row = first.loc[task_id]
            for name in ("metric", "direction", "domain"):
                record.setdefault(name, row[name])
            record["medal_note"] = notes.get(task_id)
        cleaned = {
            str(name): printable(value) if isinstance(value, str) else _plain(value)
            for name, value in record.items()
        }
        for name in THRESHOLDS:
            value = cuts[name].get(task_id, np.nan) if len(cuts) else np.nan
            cleaned[name] = json_number(value, full=True)
        cleaned["task_id"] = printable(task_id)
        cleaned["description"] = written(description)
        cleaned["discrimination"] = json_number(separates.get(task_id, np.nan), False)
        cleaned["name"] = printable(tables.task_name(task_id))
        for name in ("leaderboard", "humans"):
            cleaned[name] = [json_number(score, False) for score in tables.scores(name, task_id)]
        # of a large leaderboard, the table of tasks has not all scores
        teams = sizes.get(task_id, np.nan)
        if len(cleaned["leaderboard"]) >= contracts.MOST_ITEMS and np.isfinite(teams):
            cleaned["teams"] = int(teams)
        made.append(cleaned)
    return made


def _of_all(notes: pd.Series) -> str | None:
    """Return what the notes of a task's medals say alike: what one run did is no fact of a task.

    Examples
    --------
    >>> _of_all(pd.Series(["against 9 fitted models; the verified medal is withheld: too good",
    ...                    None, "against 9 fitted models"]))
    'against 9 fitted models'
    """
    known = [str(note).split("; ") for note in notes.dropna()]
    others = [set(parts) for parts in known[1:]]
    found = [
        part
        for part in (known[0] if known else ())
        if not part.startswith(WITHHELD) and all(part in other for other in others)
    ]
    return "; ".join(found) or None


def written(description: Any) -> str:
    """Return a task's description as HTML, empty where there is none."""
    return as_html(description) if isinstance(description, str) else ""


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | list | tuple):
        return [printable(item) for item in value]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | float | np.number):
        return json_number(float(value), False)
    return None


def run_columns(tables: Tables) -> pd.DataFrame:
    """Return `pairs` with the columns that pages show."""
    pairs = tables.pairs.drop(columns=[c for c in _LEFT_OUT if c in tables.pairs])
    told = [field.name for field in contracts.RUN_METADATA if field.name in pairs]
    return pairs.drop(columns=[c for c in told if pairs[c].isna().all()])


def small_tables(tables: Tables) -> dict[str, pd.DataFrame]:
    """Return the tables that a page shows beside runs, their checks and tasks, by name."""
    from biomlbench.report.trust import check_power, check_rates, disagreements, survivors

    return {
        "check_rates": check_rates(tables.checks, tables.pairs),
        "agents": with_places(tables),
        "history": tables.history[list(_OF_HISTORY)],
        "comparison": compared(tables),
        "rates": tables.rates,
        "flakes": tables.flakes,
        "check_power": check_power(tables.kills, tables.checks),
        "survivors": survivors(tables.kills),
        "disagreements": disagreements(tables.checks),
    }


def described(
    feedback: dict[int, list[ShownCase]],
    provenance: dict[int, dict[str, str]] | None,
    place: str,
) -> JsonObject:
    """Return what explains tables, and what is told of single runs; see :func:`build`."""
    docs = {
        name: {field.name: (field.metadata or {}).get(b"doc", b"").decode() for field in schema}
        for name, schema in contracts.SCHEMAS.items()
        if name in ("pairs", "agents", "tasks", "checks")
    }
    return {
        "docs": docs,
        "flags": sorted(
            {
                field.name
                for name in docs
                for field in contracts.SCHEMAS[name]
                if pa.types.is_boolean(field.type)
            }
        ),
        "stages": list(STAGES),
        "reasons": {
            str(reason): [str(outcomes.FAULT_OF[reason]), text]
            for reason, text in outcomes.SENTENCES.items()
        },
        "place": printable(place),
        "feedback": {
            str(row): [
                {name: printable(text, 2000) for name, text in case.items()} for case in cases
            ]
            for row, cases in feedback.items()
        },
        "provenance": {
            str(row): {printable(name): printable(text) for name, text in record.items()}
            for row, record in (provenance or {}).items()
        },
    }


def build(
    tables: Tables,
    feedback: dict[int, list[ShownCase]],
    provenance: dict[int, dict[str, str]] | None = None,
    rows: dict[str, PredictedRows] | None = None,
    place: str = "",
    small: dict[str, pd.DataFrame] | None = None,
) -> JsonObject:
    """Return everything that the report's tables and pages show.

    Parameters
    ----------
    tables : Tables
    feedback : dict
        As :func:`biomlbench.report.feedback.visible_feedback` returns it.
    provenance : dict, optional
        As :func:`biomlbench.report.feedback.provenance` returns it.
    rows : dict, optional
        As :func:`biomlbench.report.predicted_rows.predicted_rows` returns it; without it nothing
        is said of rows, as on a site.
    place : str
        The results folder, as commands name it.
    small : dict, optional
        What :func:`small_tables` returns of `tables`, where that is known.

    Returns
    -------
    dict
        Fit for :func:`dumps`. The column descriptions are the contracts' own.
    """
    return {
        **described(feedback, provenance, place),
        "pairs": columns(run_columns(tables)),
        "checks": checks_of(tables),
        "tasks": task_records(tables),
        **{name: columns(frame) for name, frame in (small or small_tables(tables)).items()},
        "rows": rows,
    }
