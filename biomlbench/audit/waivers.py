"""Findings that a task's author knows and accepts, in ``audit.yaml`` beside the task's config."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.errors import TaskError
from biomlbench.runtime.bounded_yaml import read_yaml

from .card_findings import kind_of
from .detectors import remedies

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from biomlbench.task.task import Task

__all__ = ["FILE", "read_waivers", "reason_of", "waiver_notes"]

FILE = "audit.yaml"


def read_waivers(task: Task, folder: Path | None = None) -> dict[str, str]:
    """Return the reason of each waived finding, by its name.

    Parameters
    ----------
    task : Task
    folder : path, optional
        Folder that holds ``audit.yaml``; by default the task's own.

    Raises
    ------
    TaskError
        If the file is not a list of ``{finding, reason}``.
    """
    import yaml

    path = (folder or task.folder) / FILE
    if not path.is_file():
        return {}
    try:
        values = read_yaml(path)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise TaskError(f"{path}: cannot be read: {error}") from error
    entries = values.get("waived") if isinstance(values, dict) and len(values) == 1 else None
    if not isinstance(entries, list):
        raise TaskError(f"{path}: must hold one key, `waived`, with a list of finding and reason")
    found: dict[str, str] = {}
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict) or set(entry) != {"finding", "reason"}:
            raise TaskError(f"{path}: entry {number}: must have the keys `finding` and `reason`")
        name, reason = str(entry["finding"]), str(entry["reason"] or "").strip()
        if not reason:
            raise TaskError(
                f"{path}: entry {number}: `reason` is empty; say why {name} is no fault"
            )
        if name in found:
            raise TaskError(f"{path}: entry {number}: {name} is waived twice")
        found[name] = reason
    return found


def reason_of(name: str, waived: Mapping[str, str]) -> str:
    """Return why a finding is accepted, by its own name or by its kind's; empty where it is not."""
    return waived.get(name, "") or waived.get(kind_of(name), "")


def waiver_notes(waived: Mapping[str, str], found: set[str]) -> tuple[str, ...]:
    """Say which waivers name no finding that there is, or one that this task does not have."""
    notes = []
    known = found | {kind_of(name) for name in found}
    for name in waived:
        if kind_of(name) not in remedies():
            notes.append(f"{FILE} waives {name}, which no detector finds; correct the name")
        elif name not in known:
            notes.append(f"{FILE} waives {name}, which was not found; take it out")
    return tuple(notes)
