"""The intake: this run's telemetry into the data set, and what the benchmark's own runs say."""

from __future__ import annotations

import json
from pathlib import Path

from biomlbench.calibrate import dataset, usage
from biomlbench.contracts import read_table

__all__ = ["intake"]


def intake(telemetry: str | Path, root: str | Path, report: str | Path) -> int:
    """Add runs to the data set, and write what the benchmark's runs in it say.

    Runs that the config does not name any more, or that another config has left in the folder,
    stay in the data set and are not counted.

    Parameters
    ----------
    telemetry : path
        Table of the schema ``telemetry``.
    root : path
        Folder of the data set.
    report : path
        For the report, as JSON.

    Returns
    -------
    int
        Runs that were new, or came out otherwise than before.
    """
    table = read_table("telemetry", telemetry)
    added = dataset.append(root, table)
    own = {dataset.run_key(row) for row in table.to_pylist()}
    kept = [row for row in dataset.read(root).to_pylist() if dataset.run_key(row) in own]
    found = usage.report(kept)
    path = Path(report)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    partial.replace(path)
    return added
