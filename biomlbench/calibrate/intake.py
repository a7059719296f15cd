"""The intake: this run's telemetry into the data set, and what the benchmark's own runs say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from biomlbench.calibrate import dataset, usage
from biomlbench.contracts import read_table
from biomlbench.whole_files import whole_file

if TYPE_CHECKING:
    from pathlib import Path

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
    with whole_file(report) as temporary:
        temporary.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return added
