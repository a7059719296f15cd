"""The keys of the workflow's config, as its schema declares them, defaults filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from biomlbench.outcomes import Verifier

__all__ = [
    *("CalibrationSection", "ExecutionSection", "FlakeRun", "GradingSection", "LimitsSection"),
    *("RatesSection", "SandboxSection", "TaskSection", "WorkflowConfig"),
]


class LimitsSection(TypedDict, total=False):
    """``limits``: those of the sandbox."""

    wall_s: float
    cpu_s: float
    memory_mb: int
    processes: int
    file_mb: int
    open_files: int
    output_mb: int
    total_wall_s: float
    total_cpu_s: float
    total_output_mb: int
    restarts: int


class TaskSection(TypedDict, total=False):
    """``tasks.<id>``: what is changed of a task."""

    verifier: Verifier
    limits: LimitsSection
    repeats: int
    leaderboard: str


class SandboxSection(TypedDict):
    """``sandbox``."""

    provider: str


class GradingSection(TypedDict):
    """``grading``."""

    bootstrap: int
    seed: int


class _RequiredOfExecution(TypedDict):
    repeats: int
    reruns: bool


class ExecutionSection(_RequiredOfExecution, total=False):
    """``execution``."""

    limits: LimitsSection


class FlakeRun(TypedDict):
    """A run of ``calibration.flake_runs``."""

    task_id: str
    run_id: str


class RatesSection(TypedDict):
    """``calibration.allowed``."""

    false_pass_high: float
    known_bad: float
    mutants: float
    false_fail: float
    false_fail_high: float


class _RequiredOfCalibration(TypedDict):
    tasks: list[str]
    mutants: int
    held_out: int
    second_order: int
    inputs: int
    flake_trials: int
    flake_limit: float
    flake_runs: list[FlakeRun]
    allowed: RatesSection
    strict: bool


class CalibrationSection(_RequiredOfCalibration, total=False):
    """``calibration``."""

    adjudications: str


class _Required(TypedDict):
    title: str
    runs: list[str]
    tasks_dirs: list[str]
    pairs_per_job: int | str
    runs_per_list: int
    tasks: dict[str, TaskSection]
    sandbox: SandboxSection
    grading: GradingSection
    execution: ExecutionSection
    calibration: CalibrationSection


class WorkflowConfig(_Required, total=False):
    """The whole config; what a user may leave out, and what a record of it leaves out."""

    results_dir: str
    notify: list[str]
    demo: str
    data_dir: str
    suite: str
