"""What holds for all tests: those that need root say so where they are skipped."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# No test's outcome depends on how long something takes.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests marked `root` for other users."""
    if os.geteuid() == 0:
        return
    for item in items:
        if item.get_closest_marker("root"):
            item.add_marker(pytest.mark.skip(reason="needs root (make test-all as root)"))
