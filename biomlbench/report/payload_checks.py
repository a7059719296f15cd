"""The checks of every pair as the report carries them: by far the most rows, so each thing once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from biomlbench.report.shown import json_number, printable
from biomlbench.verify.near_duplicates import CHECK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.report.inputs import Tables

__all__ = ["checks_of"]

_OUTCOME_LETTERS = {"passed": "p", "failed": "f", "skipped": "s", "error": "e"}


_OF_A_CHECK = ("task_id", "check", "suite", "mode", "severity", "weight", "pattern")


def checks_of(tables: Tables) -> JsonObject:
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
            [
                printable(value) if isinstance(value, str) else json_number(value, False)
                for value in row
            ]
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
    return json_number(float(f"{value:.3g}"), False) or 0
