"""Grade, verify and calibrate submissions of AI agents on biomedical machine-learning tasks."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from biomlbench.api.grading import grade_csv, grade_submission, validate_submission
    from biomlbench.api.jsonl_batch import grade_jsonl
    from biomlbench.results import Results
    from biomlbench.scoring.task_report import TaskReport
    from biomlbench.task.registry import Registry
    from biomlbench.task.task import Task

__all__ = [
    "Registry",
    "Results",
    "Task",
    "TaskReport",
    "grade_csv",
    "grade_jsonl",
    "grade_submission",
    "validate_submission",
]

__version__ = "0.1.0"

_GRADING = "biomlbench.api.grading"
_PLACES = {
    "Registry": "biomlbench.task.registry",
    "Results": "biomlbench.results",
    "Task": "biomlbench.task.task",
    "TaskReport": "biomlbench.scoring.task_report",
    "grade_csv": _GRADING,
    "grade_jsonl": "biomlbench.api.jsonl_batch",
    "grade_submission": _GRADING,
    "validate_submission": _GRADING,
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for: the package itself must stay quick to import."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
