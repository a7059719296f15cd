"""Rows of run tables that cannot be used, of every kind, for the tests of reading and running."""

from __future__ import annotations

import csv
import io
from typing import Any

GOOD = {"run_id": "r", "agent": "ada", "task_id": "line", "submission": "subs/right.csv"}
COLUMNS = (
    "run_id",
    "agent",
    "task_id",
    "submission",
    "seed",
    "attempt",
    "hint_tier",
    "label",
    "time",
)

BAD_CELLS: tuple[tuple[str, Any], ...] = (
    *((column, value) for column in ("agent", "submission") for value in (
        "a\0b", "x" * 5000, "", "   ", "a\nb", "a\rb", "a\tb", "\x1b[31m",
        "a\u2028b", "a\ufffdb", "\ud800",
    )),
    *(("submission", value) for value in ("subs/" + "n" * 300 + ".csv", "a{b", "a}b", "{run}")),
    *(("run_id", value) for value in ("two words", "../up", "-x", ".x", "a/b", "ü", "", "y" * 101)),
    *(("task_id", value) for value in ("lien", "toy/lime", "../line", "", "{task}", "\ud83d")),
    *(("time", value) for value in (
        "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "1600-01-01", "3000-01-01",
        "yesterday", "2025-13-01", "2025-02-30", "1e9",
    )),
    *(("attempt", value) for value in ("0", "-1", "1.5", "9" * 30, "nan", "True", "one")),
    *(("hint_tier", value) for value in ("-1", "1e3", "inf")),
    ("seed", "9" * 5000), ("label", "maybe"), ("kind", "functions"),
)  # fmt: skip


def csv_line(row: dict[str, Any], columns: tuple[str, ...]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow([row.get(name, "") for name in columns])
    return text.getvalue()
