"""What the harness is told: the keys of its settings, which come as JSON. For checkers only."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import JsonObject

    from .clean import Folder

__all__ = ["CaseLimits", "HostSettings", "Settings", "Work"]


class CaseLimits(TypedDict):
    """Limits of a case: seconds, MiB (``_mb``), bytes, and counts."""

    wall_s: float
    cores: int
    cpu_s: float
    gpus: int
    memory_mb: int
    processes: int
    other_processes: int
    file_mb: int
    open_files: int
    output_bytes: int
    log_bytes: int


class HostSettings(TypedDict):
    """What a provider says of the surroundings that it made."""

    uid: int | None
    own_pids: bool
    keeper: bool
    out_of_reach: bool
    box: str
    data: str | None
    clean: list[str]
    confine: JsonObject | None


class _AnyWork(TypedDict):
    mode: str
    preload: list[str]
    preload_if_there: list[str]


class Work(_AnyWork, total=False):
    """What is to be run; all but the first three of a program only."""

    output: str
    argv: list[str]
    seed: int


class Settings(HostSettings, Work):
    """All of it; the last two are the harness's own."""

    limits: CaseLimits
    ruleset: int | None
    folders: list[Folder]
