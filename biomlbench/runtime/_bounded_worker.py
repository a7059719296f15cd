"""What a worker does for a process with threads; run by `runtime.bounded`, never imported."""

from __future__ import annotations

import os
from typing import Any

from biomlbench.runtime.bounded import Allowance, OverdrawnError, call_in_fork


def main(job: Any) -> tuple[str, str, Any]:
    """Return whose fault the call's end is (nobody's: empty), the words for it, and the value."""
    os.chdir(job.folder)
    try:
        return "", "", call_in_fork(job.function, job.job, Allowance(*job.allowance))
    except OverdrawnError as error:
        return "call", str(error), None
    except OSError as error:
        return "machine", str(error), None
