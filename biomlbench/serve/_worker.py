"""What a worker process of the server does; run by `serve.service`, never imported."""

from __future__ import annotations

import os
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError
from biomlbench.serve import work
from biomlbench.serve.answers import as_json
from biomlbench.serve.forms import read_form
from biomlbench.serve.names import Screen
from biomlbench.serve.refusal import Refusal

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import Arguments

NICER = 5
"""How much lower than the server's is a worker's priority: work must not hold up what answers."""


def main(job: Any) -> Arguments:
    """Return an answer as JSON, a refusal, or what is at fault."""
    server = os.getpriority(os.PRIO_PROCESS, os.getppid())
    os.setpriority(os.PRIO_PROCESS, 0, server + NICER)
    if job.what == "warm":
        return {"answer": b""}
    try:
        function = {"validate": work.validate, "evaluate": work.evaluate}[job.what]
        body = Path(job.body)
        file = body.with_name("upload")
        sent = read_form(body, job.content_type, job.max_bytes, file)
        body.unlink()
        answer = function(job.settings, file, sent.filename, sent.task_id)
        return {"answer": as_json(Screen(job.settings).clean(answer))}
    except Refusal as refusal:
        return {"refusal": (refusal.status, refusal.error, refusal.details)}
    except Exception as error:
        return {
            "fault": type(error).__name__,
            "reason": getattr(error, "reason", None),
            "text": str(error) if isinstance(error, TaskError) else traceback.format_exc(),
        }
