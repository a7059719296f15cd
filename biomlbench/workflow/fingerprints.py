"""What each stage depends on: of a task, of the config, and of the library's code."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from biomlbench.stages import OVERRIDES
from biomlbench.workflow.code_hash import imports_hash

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biomlbench.task.registry import Task

__all__ = ["DEPENDS", "UNUSED", "context_of_stage", "fingerprint"]

# What of a task each stage depends on: keys of its config.yaml, and files of its folder.
_CARD = ("entry_points", "preload", "verifier.yaml", "cases.py", "properties.py", "reference.py")
DEPENDS: dict[str, tuple[str, ...]] = {
    "prepare": ("kind", "dataset", "source", "preparer", "submission", "*.py", *_CARD),
    "validate": ("kind", "dataset", "submission"),
    "execute": ("kind", "limits", "compute_requirements", "environment", "installed_data",
                "source", *_CARD),
    "grade": ("kind", "dataset", "submission", "grader", "verifier", "*.py", *_CARD),
    "verify": ("kind", "dataset", "submission", "grader", "verify", "verifier", "noise_floor",
               "*.py", *_CARD, "solutions/*/*.py"),
    "medal": ("kind", "grader", "leaderboard", "leaderboard_of", "human_baselines", "*.csv"),
}  # fmt: skip
# Parts of the library that a stage's imports reach through `Task` and its grader, or through the
# package of checks, but that it never calls (a test runs each stage without them).
_SCORING = (
    "biomlbench.metrics",
    "biomlbench.scoring.grader",
    "biomlbench.submission.answers",
    "biomlbench.scoring.score",
    "biomlbench.scoring.bootstrap",
    "biomlbench.grading.isolated",
    "biomlbench.grading.process",
    "biomlbench.suites.graders",
)
# What fetches and looks through suites; of the stages only preparing does.
_SUITES = ("biomlbench.suites.data", "biomlbench.suites.check")
# What a kind of submission does for each stage is a module of its own.
_STAGES = "biomlbench.stages"
_PREPARING, _RUNNING, _RERUNS = (f"{_STAGES}.{name}" for name in ("preparing", "running", "reruns"))
_GRADING = (f"{_STAGES}.scored", f"{_STAGES}.judged")
_RANKING = ("biomlbench.scoring.medals", "biomlbench.scoring.humans")
UNUSED = {
    "prepare": (*_SCORING, *_RANKING, "biomlbench.submission.validation",
                _RUNNING, _RERUNS, *_GRADING),
    "validate": (*_SCORING, *_SUITES, *_RANKING, f"{_STAGES}.cards", f"{_STAGES}.outputs",
                 _PREPARING, _RUNNING, _RERUNS, *_GRADING),
    "execute": (*_SCORING, *_SUITES, *_RANKING, _PREPARING, *_GRADING),
    "grade": (*_SUITES, *_RANKING, _PREPARING, _RUNNING, _RERUNS),
    "verify": (*_SUITES, *_RANKING, _PREPARING, _RUNNING),
    "medal": ("biomlbench.scoring.score", "biomlbench.scoring.bootstrap",
              "biomlbench.grading.isolated", "biomlbench.grading.process",
              "biomlbench.suites.graders", *_SUITES),
}  # fmt: skip


def context_of_stage(stage: str, task_id: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a stage depends on for a task, and no others.

    Parameters
    ----------
    stage, task_id : str
    config : mapping
        Checked, with defaults.

    Returns
    -------
    dict
        Fields of `biomlbench.stages.Context`.
    """
    changes = config["tasks"].get(task_id, {})
    context: dict[str, Any] = {
        "data_dir": config.get("data_dir"),
        "tasks_dirs": list(config["tasks_dirs"]),
        "overrides": {k: changes[k] for k in OVERRIDES.get(stage, ()) if k in changes},
    }
    if stage == "execute":
        context["provider"] = config["sandbox"]["provider"]
        context |= config["execution"]
    if stage == "grade":
        context |= config["grading"]
    return context


def fingerprint(task: Task, stage: str) -> str:
    """Return a hash over what of a task a stage depends on: settings, files, and their imports."""
    digest = hashlib.sha256()
    unused = UNUSED.get(stage, ())
    for name in DEPENDS[stage]:
        if "." in name:
            paths = sorted(task.folder.glob(name))
            digest.update(imports_hash((p for p in paths if p.suffix == ".py"), unused).encode())
            for path in paths:
                digest.update(path.relative_to(task.folder).as_posix().encode() + b"\0")
                digest.update(path.read_bytes() + b"\0")
        else:
            value = task.config.get(name)
            digest.update(json.dumps([name, value], sort_keys=True, default=str).encode())
    if task.published is not None:
        from biomlbench.grading.process import inside_hash
        from biomlbench.suites.published import native_grader

        known = native_grader(task.published, task.folder)
        digest.update(json.dumps([*task.published.identity, repr(known), inside_hash()]).encode())
    return digest.hexdigest()[:16]
