"""The data that the report carries, as compact JSON: columns, not rows; each text once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from biomlbench import contracts, outcomes
from biomlbench.outcomes import Fault
from biomlbench.plain_text import plain
from biomlbench.stages import STAGES
from biomlbench.stages.provenance import COLUMNS
from biomlbench.verify.near_duplicates import CHECK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from biomlbench.report.inputs import Tables

__all__ = ["build", "columns", "dumps", "printable"]

MAX_TEXT = 600
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
_OUTCOME_LETTERS = {"passed": "p", "failed": "f", "skipped": "s", "error": "e"}
THRESHOLDS = ("gold_threshold", "silver_threshold", "bronze_threshold", "median_threshold")


def printable(text: object, most: int = MAX_TEXT) -> str:
    r"""Return text cut to a length, control and direction-changing characters replaced.

    Examples
    --------
    >>> printable("a\u202eb\x00")
    'a\ufffdb\ufffd'
    """
    text = plain(text, mark="\ufffd")
    return text if len(text) <= most else text[: most - 1] + "…"


def dumps(value: Any) -> str:
    r"""Return JSON that is safe inside an HTML script element.

    Examples
    --------
    >>> dumps({"a": "</script>"})
    '{"a":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _number(value: float, full: bool) -> float | int | None:
    if value is None or not np.isfinite(value):
        return None
    value = float(value) if full else float(f"{value:.6g}")
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _numbers(series: pd.Series, full: bool) -> list[float | int | None]:
    values = series.to_numpy(float, na_value=np.nan)
    different, places = np.unique(values, return_inverse=True)
    shown = np.array([*(_number(value, full) for value in different), None], dtype=object)
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


def columns(frame: pd.DataFrame) -> dict[str, Any]:
    """Return a table as `n` and one entry a column.

    Parameters
    ----------
    frame : pandas.DataFrame

    Returns
    -------
    dict
        `n`, and `c` with, for each column, a list of numbers (six significant digits, a score
        all of them; booleans as 0 and 1; null where there is no value) or, for texts, `v`, the
        distinct texts, and `i`, for each row the text's position, -1 where there is none. Texts
        that are all different are a list as well; of several rows with one value it is `k`.

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


_OF_A_CHECK = ("task_id", "check", "suite", "mode", "severity", "weight", "pattern")


def _checks(tables: Tables) -> dict[str, Any]:
    """Return the checks of every pair: definitions once, outcomes as a word, equal ones once."""
    checks = tables.checks
    (task, tasks), (run, runs), (outcome, outcomes_), (reason, reasons_), (message, messages) = (
        pd.factorize(checks[name]) for name in ("task_id", "run_id", "outcome", "reason", "message")
    )
    margin, margins = _margins(checks["margin"])
    # What a passed check says is of no interest, but for which runs are the same file.
    same_file = checks["check"].eq(CHECK) & checks["message"].ne("")
    told = (checks["outcome"].ne("passed") | same_file).to_numpy(bool)
    reason, message = np.where(told, reason, -1), np.where(told, message, -1)
    definition = _combined(pd.factorize(checks[name])[0] for name in _OF_A_CHECK)
    # Rows that are shown alike have one number; pairs of such rows, in one order, one entry.
    shown = _combined([definition, outcome, reason, message, margin])
    order = np.lexsort((run, task))
    ends = 1 + np.flatnonzero((np.diff(task[order]) != 0) | (np.diff(run[order]) != 0))
    task_ids, run_ids = tasks.tolist(), runs.tolist()
    rows_of = {
        key: row
        for row, key in enumerate(zip(tables.pairs["task_id"], tables.pairs["run_id"], strict=True))
    }
    definitions: dict[int, int] = {}
    suites: dict[tuple[int, ...], int] = {}
    reasons: dict[str, int] = {}
    known: dict[bytes, int] = {}
    entries: list[list[Any]] = []
    pairs = [-1] * len(tables.pairs)
    for rows in np.split(order, ends) if len(order) else ():
        pair = rows_of.get((task_ids[task[rows[0]]], run_ids[run[rows[0]]]))
        if pair is None:
            continue
        place = known.setdefault(shown[rows].tobytes(), len(known))
        pairs[pair] = place
        if place < len(entries):
            continue
        members = tuple(definitions.setdefault(one, len(definitions)) for one in definition[rows])
        found = [
            [number, reasons.setdefault(reasons_[reason[row]], len(reasons)),
             printable(messages[message[row]])]
            for number, row in enumerate(rows)
            if told[row]
        ]  # fmt: skip
        word = "".join(_OUTCOME_LETTERS.get(outcomes_[code], "e") for code in outcome[rows])
        suite = suites.setdefault(members, len(suites))
        entries.append([suite, word, [margins[code] for code in margin[rows]], found])
    first = dict(zip(*np.unique(definition, return_index=True), strict=True))
    defining = checks[list(_OF_A_CHECK)].iloc[[first[code] for code in definitions]]
    return {
        "definitions": [
            [printable(value) if isinstance(value, str) else _number(value, False) for value in row]
            for row in defining.to_numpy(object)
        ],
        "suites": [list(suite) for suite in suites],
        "reasons": [printable(reason) for reason in reasons],
        "outcomes": entries,
        "pairs": pairs,
    }


def _combined(codes: Iterable[np.ndarray]) -> np.ndarray:
    """Return one code a row for several ones, -1 and up: rows equal in all have the same."""
    result = np.zeros(0, np.int64)
    for code in codes:
        code = code.astype(np.int64) + 1
        if len(result):
            code += result * (code.max() + 1)
        result = pd.factorize(code)[0].astype(np.int64)
    return result


def _margins(series: pd.Series) -> tuple[np.ndarray, list[float | int | None]]:
    """Return a code a row, and what is shown of each: three significant digits."""
    different, places = np.unique(series.to_numpy(float, na_value=np.nan), return_inverse=True)
    shown: dict[float | int | None, int] = {}
    codes = [
        shown.setdefault(_margin(value) if np.isfinite(value) else None, len(shown))
        for value in different.tolist()
    ]
    return np.array(codes, np.int64)[places], list(shown)


def _margin(value: float) -> float | int:
    return _number(float(f"{value:.3g}"), False) or 0


def _tasks(tables: Tables) -> list[dict[str, Any]]:
    known = {row["task_id"]: row for row in tables.tasks.to_dict("records")}
    pairs = tables.pairs[tables.pairs["fault"] != Fault.RUN_TABLE]
    first = pairs.drop_duplicates("task_id").set_index("task_id")
    cuts = pairs.groupby("task_id")[list(THRESHOLDS)].max()
    made = []
    for task_id in sorted(set(known) | set(first.index)):
        record = dict(known.get(task_id, {}))
        record.pop("leaderboard", None), record.pop("humans", None)
        if task_id in first.index:
            row = first.loc[task_id]
            for name in ("metric", "direction", "domain", "medal_note"):
                record.setdefault(name, row[name])
        cleaned = {
            str(name): printable(value) if isinstance(value, str) else _plain(value)
            for name, value in record.items()
        }
        for name in THRESHOLDS:
            value = cuts[name].get(task_id, np.nan) if len(cuts) else np.nan
            cleaned[name] = _number(value, full=True)
        cleaned["task_id"] = printable(task_id)
        cleaned["name"] = printable(tables.task_name(task_id))
        for name in ("leaderboard", "humans"):
            cleaned[name] = [_number(score, False) for score in tables.scores(name, task_id)]
        made.append(cleaned)
    return made


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | list | tuple):
        return [printable(item) for item in value]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | float | np.number):
        return _number(float(value), False)
    return None


def build(
    tables: Tables,
    feedback: dict[int, list[dict[str, Any]]],
    provenance: dict[int, dict[str, str]] | None = None,
    rows: dict[str, dict[str, Any]] | None = None,
) -> dict[str, Any]:
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

    Returns
    -------
    dict
        Fit for :func:`dumps`. The column descriptions are the contracts' own.
    """
    from biomlbench.report.compare import compare_agents
    from biomlbench.report.trust import check_power, check_rates, disagreements, survivors

    docs = {
        name: {field.name: (field.metadata or {}).get(b"doc", b"").decode() for field in schema}
        for name, schema in contracts.SCHEMAS.items()
        if name in ("pairs", "agents", "tasks", "checks")
    }
    pairs = tables.pairs.drop(columns=[c for c in _LEFT_OUT if c in tables.pairs])
    told = [field.name for field in contracts.RUN_METADATA if field.name in pairs]
    pairs = pairs.drop(columns=[c for c in told if pairs[c].isna().all()])
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
        "pairs": columns(pairs),
        "checks": _checks(tables),
        "check_rates": columns(check_rates(tables.checks)),
        "tasks": _tasks(tables),
        "agents": columns(tables.agents),
        "history": columns(tables.history[list(_OF_HISTORY)]),
        "comparison": columns(compare_agents(tables.runs)),
        "rates": columns(tables.rates),
        "flakes": columns(tables.flakes),
        "check_power": columns(check_power(tables.kills, tables.checks)),
        "survivors": columns(survivors(tables.kills)),
        "disagreements": columns(disagreements(tables.checks)),
        "rows": rows,
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
