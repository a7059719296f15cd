"""What this machine lacks for grading, and the remedy."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.run_command import run_command
from biomlbench.runtime.files import install_command, is_workflow, workflow_root

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["STATES", "Finding", "examine"]

STATES = ("ok", "warning", "missing")
"""`warning`: something is worse or cannot be had; `missing`: grading does not work without."""
OLDEST_PYTHON = (3, 11)
MEMORY_MB = 2048
"""Default limit of a submission's memory, config/README.md `limits.memory_mb`."""
ROOM_MB = 1024
"""What the grader itself needs beside it: the peak of a job with scikit-learn, rounded up."""
DISK_MB = 2048
"""Prepared data of all built-in tasks that need no large download, with results, rounded up."""
PROBE = "six"
"""A small package that every index has; only its list of versions is asked for."""
INDEX_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes
    ----------
    what : str
    state : str
        One of :data:`STATES`.
    found : str
        What there is, for a person.
    remedy : str
        What to do about it; empty where all is well.
    """

    what: str
    state: str
    found: str
    remedy: str = ""


def examine(
    data_dir: str | Path, folder: str | Path = ".", *, network: bool = True
) -> list[Finding]:
    """Look at everything that grading needs.

    Parameters
    ----------
    data_dir : path
        Where prepared data are to be kept.
    folder : path
        Where the workflow would be started.
    network : bool
        Whether the package index is asked, which takes seconds.

    Returns
    -------
    list of Finding
        Each thing once, in a fixed order, whatever is wrong with the others.

    Examples
    --------
    >>> [finding.what for finding in examine("data", network=False)][:2]
    ['Python', 'sandbox']
    """
    looks: list[tuple[str, Callable[[], Finding]]] = [
        ("Python", _python),
        ("sandbox", _sandbox),
        ("memory", _memory),
        ("disk", lambda: _disk(Path(data_dir))),
        ("Snakemake", _snakemake),
        ("workflow", lambda: _workflow(Path(folder))),
        ("optional packages", _optional),
    ]
    if network:
        looks.append(("package index", _index))
    return [_guarded(what, look) for what, look in looks]


def _guarded(what: str, look: Callable[[], Finding]) -> Finding:
    try:
        return look()
    except Exception as error:  # the doctor must tell of the rest whatever happens here
        remedy = "report this with the output of `biomlbench doctor --json`"
        return Finding(what, "warning", f"cannot be looked at: {error!r}", remedy)


def _python() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info < OLDEST_PYTHON:
        wanted = ".".join(str(part) for part in OLDEST_PYTHON)
        remedy = f"make a new environment with Python {wanted} or newer: make PYTHON=python{wanted}"
        return Finding("Python", "missing", version, remedy)
    return Finding("Python", "ok", version)


def _sandbox() -> Finding:
    from biomlbench.sandbox import SandboxUnavailable
    from biomlbench.sandbox.providers import choose

    try:
        provider = choose("auto")
    except SandboxUnavailable as error:
        remedy = (
            f"{error.refusal.remedy}. Predictions are graded without a sandbox; programs and "
            "problem cards are not"
        )
        return Finding("sandbox", "missing", error.refusal.cause, remedy)
    return Finding("sandbox", "ok", f"{provider.name}, {provider.level} protection")


def memory_mb(proc: Path = Path("/proc"), cgroup: Path = Path("/sys/fs/cgroup")) -> int:
    """Return the memory that is free for this process, in MiB: the machine's or its cgroup's."""
    lines = (proc / "meminfo").read_text().splitlines()
    available = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    free = available // 1024
    try:
        limit = int((cgroup / "memory.max").read_text())
        used = int((cgroup / "memory.current").read_text())
    except (OSError, ValueError):
        return free  # no cgroup of version 2, or no limit (`max`)
    return min(free, (limit - used) // 2**20)


def _memory() -> Finding:
    free, cores = memory_mb(), len(os.sched_getaffinity(0))
    each = MEMORY_MB + ROOM_MB
    found = f"{free:,} MiB free, {cores} core(s)"
    if free < each:
        remedy = (
            f"free {each:,} MiB, or lower `execution.limits.memory_mb` in the config; submissions "
            "that need more end with memory_limit"
        )
        return Finding("memory", "warning", found, remedy)
    fits = free // each
    if fits < cores:
        remedy = f"run at most {fits} submitted programs at a time: {run_command()} --cores {fits}"
        return Finding("memory", "warning", found, remedy)
    return Finding("memory", "ok", found)


def _disk(data_dir: Path) -> Finding:
    places = {"data": data_dir.absolute(), "temporary files": Path(tempfile.gettempdir())}
    short, told = [], []
    for name, place in places.items():
        there = next(path for path in (place, *place.parents) if path.is_dir())
        free = shutil.disk_usage(there).free // 2**20
        told.append(f"{free:,} MiB for {name}")
        if free < DISK_MB:
            short.append(f"{name} ({there})")
        if not os.access(there, os.W_OK):
            remedy = "choose another folder with --data-dir (or data_dir in the config), or TMPDIR"
            return Finding("disk", "missing", f"{there} cannot be written", remedy)
    if short:
        remedy = f"make room of {DISK_MB:,} MiB for {' and '.join(short)}, or choose another folder"
        return Finding("disk", "warning", ", ".join(told), remedy)
    return Finding("disk", "ok", ", ".join(told))


def _snakemake() -> Finding:
    from packaging.requirements import Requirement

    declared = importlib.metadata.requires("biomlbench-workflow") or []
    wanted = next(
        requirement
        for requirement in map(Requirement, declared)
        if requirement.name == "snakemake" and not requirement.marker
    )
    remedy = f'pip install "{wanted}"'
    try:
        version = importlib.metadata.version("snakemake")
    except importlib.metadata.PackageNotFoundError:
        return Finding("Snakemake", "missing", "not installed", remedy)
    if not wanted.specifier.contains(version):
        return Finding("Snakemake", "missing", f"{version}, not {wanted.specifier}", remedy)
    return Finding("Snakemake", "ok", version)


def _workflow(folder: Path) -> Finding:
    try:
        root = folder if is_workflow(folder) else workflow_root()
    except FileNotFoundError as error:
        remedy = "install biomlbench-workflow again, from a wheel or a clone"
        return Finding("workflow", "warning", str(error), remedy)
    if not (root / "profiles" / "default" / "config.yaml").is_file():
        remedy = (
            f"restore profiles/default/config.yaml in {root.absolute()}; without it large "
            "benchmarks are scheduled twenty times slower"
        )
        return Finding("workflow", "warning", "the default profile is not there", remedy)
    profile = os.environ.get("SNAKEMAKE_PROFILE")
    if profile:
        remedy = "unset SNAKEMAKE_PROFILE, unless that is what you want"
        return Finding("workflow", "warning", f"SNAKEMAKE_PROFILE names {profile}", remedy)
    return Finding("workflow", "ok", "Snakefile and default profile")


def _optional() -> Finding:
    extras = {"tasks": "h5py", "serve": "starlette"}
    lacking = [name for name, module in extras.items() if not importlib.util.find_spec(module)]
    if not lacking:
        return Finding("optional packages", "ok", "all extras are installed")
    remedy = install_command(*lacking)
    uses = {"tasks": "single-cell tasks", "serve": "`biomlbench serve`"}
    found = "not installed: " + ", ".join(f"{name} (for {uses[name]})" for name in lacking)
    return Finding("optional packages", "warning", found, remedy)


def _index() -> Finding:
    remedy = (
        "set pip's index or proxy (pip config set global.index-url ...); only tasks whose data "
        "come inside a package need it, and only when they are prepared for the first time"
    )
    call = [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "--no-input"]
    call += ["--retries", "0", "--timeout", "5", "index", "versions", PROBE]
    try:
        done = subprocess.run(
            call, capture_output=True, text=True, timeout=INDEX_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return Finding("package index", "warning", f"no answer in {INDEX_SECONDS} s", remedy)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["pip failed"])[-1]
        return Finding("package index", "warning", said, remedy)
    return Finding("package index", "ok", "pip reaches it")
