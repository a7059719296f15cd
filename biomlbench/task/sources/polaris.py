"""A benchmark of the Polaris hub: its training and test rows, by the hub's own client.

The client's requirements rule out versions that this library needs, so it may live in an
environment of its own, whose interpreter is named.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError
from biomlbench.task.sources.archives import DataSourceError
from biomlbench.task.sources.base import DataSource
from biomlbench.task.sources.download import PassingError, Way, cached
from biomlbench.task.sources.unpack import extract

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["PYTHON", "SOURCE", "PolarisBenchmark"]

PYTHON = "BIOMLBENCH_POLARIS_PYTHON"
"""Environment variable with the interpreter that has the client."""
TRAIN, TEST = "polaris_train_data.csv", "polaris_test_data.csv"
_TIMEOUT_S = 4 * 3600
_ABSENT, _REFUSED, _UNKNOWN = 11, 12, 13
# Run by the interpreter that has the client. The test rows come with their targets.
_PROGRAM = f"""
import sys
try:
    import polaris
except ImportError as error:
    sys.exit(print(error, file=sys.stderr) or {_ABSENT})
benchmark_id, train, test = sys.argv[1:]
try:
    benchmark = polaris.load_benchmark(benchmark_id)
    rows, _ = benchmark.get_train_test_split()
    tests = benchmark._get_test_sets(hide_targets=False)
    rows.as_dataframe().to_csv(train, index=False)
    tests["test" if "test" in tests else sorted(tests)[0]].as_dataframe().to_csv(test, index=False)
except Exception as error:
    said = f"{{type(error).__name__}}: {{error}}"
    print(said[:500], file=sys.stderr)
    low = said.lower()
    if any(word in low for word in ("unauthorized", "login", "forbidden", "401", "403")):
        sys.exit({_REFUSED})
    sys.exit({_UNKNOWN} if any(w in low for w in ("notfound", "not found", "404")) else 1)
"""


@dataclass(frozen=True)
class PolarisBenchmark(DataSource):
    """The rows of a benchmark.

    Attributes
    ----------
    benchmark : str
        ``owner/name``.
    """

    KEY = "polaris"
    PUBLISHED = ("polaris",)
    EXAMPLE = "{polaris: lab/assay}"

    benchmark: str

    @classmethod
    def parse(cls, entry: Mapping[str, Any], where: str) -> PolarisBenchmark:
        """Return the source of an entry ``polaris``."""
        cls.check(entry, where)
        name = str(entry[cls.KEY])
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", name):
            raise TaskError(f"{where}: `polaris` must be OWNER/NAME, not {name!r}")
        return cls(name)

    @property
    def places(self) -> tuple[str, ...]:
        """Training and test rows, under the names that published preparers read."""
        return TRAIN, TEST

    @property
    def origin(self) -> str:
        """The benchmark."""
        return f"the benchmark {self.benchmark} of the Polaris hub"

    @classmethod
    def place(cls, wanted: Sequence[PolarisBenchmark], raw: Path, task_id: str) -> None:
        """Fetch both tables, and put them in place."""
        for source in wanted:
            both = cached(
                {"polaris": source.benchmark},
                "benchmark.tar",
                [_way(source.benchmark)],
                what=f"the benchmark {source.benchmark}",
            )
            extract(both, [(name, raw / name) for name in (TRAIN, TEST)])


def _way(benchmark: str) -> Way:
    return f"https://polarishub.io/benchmarks/{benchmark}", lambda path: _fetch(benchmark, path)


def _fetch(benchmark: str, path: Path) -> None:
    python = os.environ.get(PYTHON) or sys.executable
    tables = [path.parent / TRAIN, path.parent / TEST]
    try:
        done = subprocess.run(
            [python, "-c", _PROGRAM, benchmark, *map(str, tables)],
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DataSourceError(f"{python} cannot be run ({error}); correct {PYTHON}") from error
    said = (done.stderr.strip().splitlines() or ["no message"])[-1]
    if done.returncode == _ABSENT:
        raise DataSourceError(
            f"the client polaris-lib is not installed ({said}). It needs an environment of its "
            "own: `python -m venv ~/polaris && ~/polaris/bin/pip install polaris-lib`, then set "
            f"{PYTHON}=~/polaris/bin/python with the full path"
        )
    if done.returncode == _REFUSED:
        raise DataSourceError(f"the hub wants a login ({said}): run `polaris login` there")
    if done.returncode == _UNKNOWN:
        raise DataSourceError(f"the hub has no benchmark {benchmark} ({said})")
    if done.returncode or not all(table.is_file() for table in tables):
        raise PassingError(f"the client failed: {said}")
    with tarfile.open(path, "w") as tar:
        for table in tables:
            tar.add(table, arcname=table.name)


SOURCE = PolarisBenchmark
