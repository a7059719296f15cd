"""What holds for all tests: those that need root say so where they are skipped."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# No test's outcome depends on how long something takes.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

HERE = Path(__file__).parent
NOT_FAST = ("slow", "root", "slurm", "browser")
# Folders whose fast tests are of the sandbox itself, which has other means for root than for a
# user. What tests elsewhere execute goes through the same functions, and slow tests do so as root.
WITH_CODE = ("attacks", "sandbox")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what `make test-all AFTER_USER=1` runs the tests with."""
    parser.addoption(
        "--after-a-user",
        action="store_true",
        help="leave out what does for root as it did for the user who ran the fast tests",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip tests marked `root` for other users; leave out what a user's run has shown."""
    if os.geteuid() != 0:
        for item in items:
            if item.get_closest_marker("root"):
                item.add_marker(pytest.mark.skip(reason="needs root (make test-all as root)"))
    if config.getoption("--after-a-user"):
        shown = [item for item in items if not _differs_for_root(item)]
        config.hook.pytest_deselected(items=shown)
        items[:] = [item for item in items if _differs_for_root(item)]


def _differs_for_root(item: pytest.Item) -> bool:
    folder = item.path.relative_to(HERE).parts[0]
    return folder in WITH_CODE or any(map(item.get_closest_marker, NOT_FAST))
