"""Cost of graders in calls, so that no test depends on how long something takes."""

from __future__ import annotations

import sys

import pytest

from biomlbench.audit.detectors import grader_resources

SECONDS_A_CALL = 1e-6


def counted(call):
    """Return how many functions a call calls, as seconds."""
    calls = 0

    def count(*_):
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        call()
    finally:
        sys.setprofile(None)
    return SECONDS_A_CALL * calls


@pytest.fixture(autouse=True)
def cost_in_calls(monkeypatch):
    monkeypatch.setattr(grader_resources, "cpu_seconds", counted)
