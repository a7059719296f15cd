"""What a worker does for a process with threads; run by `runtime.bounded`, never imported."""

from __future__ import annotations

import os
from typing import Any

from biomlbench.runtime.bounded import Allowance, OverdrawnError, call_bounded


def main(job: Any) -> tuple[str, Any]:
    """Return the fault, empty if there is none, and the value."""
    os.chdir(job.folder)
    try:
        return "", call_bounded(job.function, job.job, Allowance(*job.allowance))
    except OverdrawnError as error:
        return str(error), None
