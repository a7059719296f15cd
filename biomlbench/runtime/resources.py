"""From what a task asks for to what a scheduler grants, and from there to the sandbox's limits.

A task's `compute_requirements` and its limits make the request of the rule that runs its code.
What was granted then bounds the limits, so that code that takes too much meets the sandbox, which
books it on the submission, and not the scheduler, whose kill would look like a fault of the
machine.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biomlbench.contracts.mappings import Arguments

__all__ = [
    "DEFAULT",
    "LEAST",
    "OWN_MEMORY_MB",
    "OWN_S",
    "RUNS_OF_A_PROGRAM",
    "asked",
    "limits_of_functions",
    "limits_of_program",
]

LEAST = {"cpus": 1, "memory_mb": 2000, "runtime_min": 10, "gpus": 0}
"""What a job asks for where its task says nothing."""
OWN_MEMORY_MB = 500
"""What the workflow's own processes take beside the code (Snakemake and a worker with pandas,
measured: 250 MB)."""
OWN_S = 60.0
"""Time of a job that is not the code's: Snakemake's start, and the sandbox's."""
RUNS_OF_A_PROGRAM = 6
"""A program and its reruns on changed inputs (`biomlbench.verify.reruns`)."""
PROCESSES_A_THREAD = 8
"""A process of a program may have a pool of threads for each library that it loads."""
DEFAULT = {"memory_mb": 2048, "wall_s": 10.0, "processes": 64}
"""Limits that the sandbox has by itself (`biomlbench.sandbox.Limits`, not imported for them)."""


def asked(
    requirements: Mapping[str, Any], limits: Mapping[str, Any], runs: int = 1
) -> dict[str, int]:
    """Return what running code asks a scheduler for.

    Parameters
    ----------
    requirements : mapping
        A task's `compute_requirements`.
    limits : mapping
        The sandbox's limits as far as they are declared.
    runs : int
        How often the code runs at most.

    Returns
    -------
    dict of str to int
        ``cpus``, ``memory_mb``, ``runtime_min`` and ``gpus``; memory and time never less than
        what the sandbox lets the code have.

    Examples
    --------
    >>> asked({"memory_mb": 8000, "cpus": 4}, {"wall_s": 1200}, runs=2)
    {'cpus': 4, 'memory_mb': 8000, 'runtime_min': 41, 'gpus': 0}
    """
    request = {name: math.ceil(requirements.get(name, least)) for name, least in LEAST.items()}
    memory = math.ceil(limits.get("memory_mb", DEFAULT["memory_mb"])) + OWN_MEMORY_MB
    request["memory_mb"] = max(request["memory_mb"], memory)
    if "wall_s" in limits:
        minutes = math.ceil((limits["wall_s"] * runs + OWN_S) / 60)
        request["runtime_min"] = max(request["runtime_min"], minutes)
    return request


def limits_of_program(
    requirements: Mapping[str, Any],
    limits: Mapping[str, Any],
    grant: Mapping[str, int],
    runs: int = 1,
) -> Arguments:
    """Return a program's limits within what was granted.

    Parameters
    ----------
    requirements, limits, runs
        As for :func:`asked`.
    grant : mapping
        What the scheduler gave, with the keys of :data:`LEAST`; where it says nothing, what was
        asked for.

    Returns
    -------
    dict
        What is declared, but never more than there is; what is not declared follows from the
        grant.

    Examples
    --------
    >>> limits_of_program({}, {}, {"cpus": 2})["threads"]
    2
    >>> limits_of_program({"memory_mb": 8000}, {}, {"memory_mb": 6000})["memory_mb"]
    5500
    >>> limits_of_program({"memory_mb": 8000}, {"memory_mb": 1000}, {})["memory_mb"]
    1000
    """
    given = {**asked(requirements, limits, runs), **grant}
    memory, time = _memory_mb(given), _seconds(given) / runs
    wall = time if "runtime_min" in requirements else DEFAULT["wall_s"]
    threads = max(1, int(given["cpus"]))
    return {
        "processes": max(DEFAULT["processes"], PROCESSES_A_THREAD * threads),
        **limits,
        "memory_mb": min(limits.get("memory_mb", memory), memory),
        "wall_s": min(limits.get("wall_s", wall), time),
        "threads": threads,
        "gpus": int(given["gpus"]),
    }


def limits_of_functions(
    requirements: Mapping[str, Any],
    limits: Mapping[str, Any],
    grant: Mapping[str, int],
    least_wall_s: float,
) -> Arguments:
    """Return the limits of a case within what was granted for all cases of a submission.

    Parameters
    ----------
    requirements, limits, grant
        As for :func:`limits_of_program`.
    least_wall_s : float
        Seconds that a case gets at least, from what the reference takes.

    Returns
    -------
    dict
        One thread whatever was granted: with more, sums come in another order, and outputs
        could not be compared exactly with those of the reference.
    """
    given = {**asked(requirements, limits), **grant}
    memory, time = _memory_mb(given), _seconds(given)
    return {
        **limits,
        "memory_mb": min(limits.get("memory_mb", memory), memory),
        "wall_s": max(limits.get("wall_s", DEFAULT["wall_s"]), least_wall_s),
        "total_wall_s": min(limits.get("total_wall_s") or time, time),
        "threads": 1,
        "gpus": int(given["gpus"]),
    }


def _memory_mb(given: Mapping[str, int]) -> int:
    return max(1, int(given["memory_mb"]) - OWN_MEMORY_MB)


def _seconds(given: Mapping[str, int]) -> float:
    time = given["runtime_min"] * 60
    return max(time - OWN_S, time / 2)
