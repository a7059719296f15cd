"""What is asked of a scheduler, and what follows from what it grants."""

from __future__ import annotations

from dataclasses import asdict
from types import SimpleNamespace

import pytest

from biomlbench.runtime.resources import (
    DEFAULT,
    LEAST,
    OWN_MEMORY_MB,
    RUNS_OF_A_PROGRAM,
    asked,
    limits_of_functions,
    limits_of_program,
)
from biomlbench.sandbox import Limits
from biomlbench.stages import Context
from biomlbench.stages.running import limits_of


def test_the_defaults_are_the_sandboxs():
    assert asdict(Limits()).items() >= DEFAULT.items()


def test_without_requirements_the_defaults_hold():
    request = asked({}, {})
    assert request == {**LEAST, "memory_mb": DEFAULT["memory_mb"] + OWN_MEMORY_MB}
    limits = limits_of_program({}, {}, request, RUNS_OF_A_PROGRAM)
    assert limits == {**DEFAULT, "threads": 1, "gpus": 0}


def test_declared_limits_are_asked_for():
    request = asked({"memory_mb": 1000}, {"memory_mb": 4000, "wall_s": 600}, RUNS_OF_A_PROGRAM)
    assert request["memory_mb"] == 4500
    assert request["runtime_min"] == 61
    limits = limits_of_program({}, {"memory_mb": 4000, "wall_s": 600}, request, RUNS_OF_A_PROGRAM)
    assert (limits["memory_mb"], limits["wall_s"]) == (4000, 600)


def test_hours_and_cores_follow_from_what_the_task_requires():
    needs = {"memory_mb": 64_000, "runtime_min": 361, "cpus": 16, "gpus": 2}
    limits = limits_of_program(needs, {}, {}, RUNS_OF_A_PROGRAM)
    assert limits == {
        "memory_mb": 63_500, "wall_s": 3600.0, "processes": 128, "threads": 16, "gpus": 2,
    }  # fmt: skip


@pytest.mark.parametrize("declared", [{}, {"memory_mb": 4000, "wall_s": 600}])
def test_less_granted_is_less_allowed(declared):
    grant = {"memory_mb": 1500, "runtime_min": 2, "cpus": 1}
    needs = {"memory_mb": 8000, "runtime_min": 60, "cpus": 4}
    limits = limits_of_program(needs, declared, grant, 2)
    assert (limits["memory_mb"], limits["wall_s"], limits["threads"]) == (1000, 30.0, 1)


def test_more_granted_is_more_allowed_where_nothing_is_declared():
    grant = {"memory_mb": 16_500, "cpus": 8}
    assert limits_of_program({}, {}, grant)["memory_mb"] == 16_000
    assert limits_of_program({}, {"memory_mb": 1024}, grant)["memory_mb"] == 1024
    assert limits_of_program({}, {}, grant)["threads"] == 8


def test_a_short_grant_leaves_half_of_it_for_the_code():
    assert limits_of_program({}, {}, {"runtime_min": 1}, 10)["wall_s"] == 3.0


def test_functions_keep_one_thread_and_end_within_the_grant():
    limits = limits_of_functions({"cpus": 4}, {"wall_s": 5}, {"runtime_min": 3}, 8.0)
    assert (limits["wall_s"], limits["total_wall_s"], limits["threads"]) == (8.0, 120.0, 1)


def test_the_stage_takes_tasks_config_and_grant_together():
    task = SimpleNamespace(limits={"open_files": 99}, compute={"cpus": 2})
    context = Context(
        limits={"wall_s": 7}, overrides={"limits": {"memory_mb": 300}}, grant={"cpus": 3}
    )
    limits = limits_of(task, context)
    assert (limits.open_files, limits.wall_s, limits.memory_mb, limits.threads) == (99, 7, 300, 3)
