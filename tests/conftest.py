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
# A minute or more each: begun last, one of them would keep one core busy while the others wait.
LONG = (
    *("docs/test_guides.py", "docs/test_results_pages.py", "cli/test_wheel.py"),
    *("sandbox/test_plain_user.py", "slurm/test_slurm.py", "calibrate/test_weeks.py"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what `make test-all AFTER_USER=1` runs the tests with."""
    parser.addoption(
        "--after-a-user",
        action="store_true",
        help="leave out what does for root as it did for the user who ran the fast tests",
    )


@pytest.hookimpl(trylast=True)  # after the choice by marks
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
    _share_out(items)


def _share_out(items: list[pytest.Item]) -> None:
    """Put files of long tests first in each worker's share: a part of the list at the start."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    names = [item.path.relative_to(HERE).as_posix() for item in items]
    rest = [item for item, name in zip(items, names, strict=True) if name not in LONG]
    size = -(-len(items) // workers)
    shares: list[pytest.Item] = []
    for number in range(workers):
        files = LONG[number::workers]
        shares += [item for item, name in zip(items, names, strict=True) if name in files]
        room = max(0, (number + 1) * size - len(shares))
        shares += rest[:room]
        rest = rest[room:]
    items[:] = shares + rest


def _differs_for_root(item: pytest.Item) -> bool:
    folder = item.path.relative_to(HERE).parts[0]
    return folder in WITH_CODE or any(map(item.get_closest_marker, NOT_FAST))
