"""A small benchmark of two toy tasks and a problem card, run by the real Snakemake."""

from __future__ import annotations

import fnmatch
import logging
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent, indent

import pytest

from tests import forked_snakemake
from tests.shared import once

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
WORKFLOW_FILES = (
    "Snakefile",
    "workflow",
    "scripts",
    "profiles",
    "biomlbench",
    "snakemake_logger_plugin_biomlbench",
)
PER_PAIR = ("validate", "execute", "grade", "verify", "medal")
TABLES = ("results/pairs.parquet", "results/telemetry.parquet")
CARD = "toy/rmsd"
START = "sitecustomize.py"  # what each Python runs first that starts with the folder in its path
BUILT_IN_CARD = ROOT / "biomlbench/tasks/kernels/kabsch-rmsd"

# For the workers, whose jobs of stages come by `run_job`.
BEFORE_EACH_STAGE = """\
import sys

if "biomlbench.runtime.pool" in sys.orig_argv:
    from pathlib import Path

    from biomlbench.workflow import job as jobs

    run_job = jobs.run_job

    def run(stage, snakemake):
        pair = snakemake.params["job"].get("pair")
{code}
        return run_job(stage, snakemake)

    jobs.run_job = run
"""

CONFIG = """\
title: Toy benchmark
runs: [runs.csv, group/submission.jsonl]
data_dir: data
tasks_dirs: [toy]
grading: {bootstrap: 200, seed: 3}
"""


def predictions(slope: float, noise: float = 0.0) -> str:
    rows = [(i, slope * i / 10 + 1 + noise * (-1) ** i) for i in range(30)]
    return "id,y\n" + "".join(f"r{i:02d},{y!r}\n" for i, y in rows)


def say(handler: logging.Handler, event: object, **fields: object) -> None:
    """Tell a logger plug-in of Snakemake what Snakemake would."""
    record = logging.LogRecord("", logging.INFO, "", 0, "", (), None)
    record.__dict__.update(event=event, **fields)
    handler.emit(record)


@dataclass
class Bench:
    """A working directory with its own copy of the workflow and the library."""

    path: Path

    def snakemake(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        command = self.command(*arguments)
        if (self.path / START).exists():
            done = subprocess.run(
                command, cwd=self.path, env=self.env(), text=True, capture_output=True
            )
        else:
            done = forked_snakemake.run(command[3:], self.path, self.env())
        if check and done.returncode:
            raise AssertionError(done.stdout + done.stderr)
        return done

    def tables(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run up to the tables over all pairs: figures and the report are half of a run.

        For a benchmark without results, or one whose run was killed: only a whole run looks for
        tables of pairs that are missing below those over all pairs.
        """
        return self.snakemake(*TABLES, *arguments, check=check)

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]

    def env(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(self.path), "PYTHONDONTWRITEBYTECODE": "1"}

    def planned(self, *arguments: str) -> dict[str, int]:
        """Jobs that a run would do now, by rule."""
        done = self.snakemake("-n", *arguments)
        text = done.stdout + done.stderr
        jobs = dict(re.findall(r"^(\w+) +(\d+)$", text, re.MULTILINE))
        return {rule: int(n) for rule, n in jobs.items() if rule not in ("total", "all")}

    def stages(self) -> dict[str, int]:
        """Planned jobs of the five stages only."""
        return {rule: n for rule, n in self.planned().items() if rule in PER_PAIR}

    def stages_with(self, *config: str) -> dict[str, int]:
        """Return planned jobs of the five stages, also of batches, with entries of the config."""
        planned = self.planned("--config", *config)
        return {rule: n for rule, n in planned.items() if rule.removesuffix("_batch") in PER_PAIR}

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.path / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def before_each_stage(self, code: str) -> None:
        """Let the workers run code first, which sees `stage`, and `pair` where it is of one."""
        self.at_start(BEFORE_EACH_STAGE.format(code=indent(dedent(code), " " * 8)))

    def at_start(self, code: str) -> None:
        """Let every Python of this benchmark run code when it starts."""
        with (self.path / START).open("a") as file:
            file.write(code)

    def results(self) -> Path:
        return self.path / "results"


def _not_needed(folder: str, names: list[str]) -> set[str]:
    """Name what a benchmark does without: of 1,700 files, the 1,100 of tasks.

    What is compiled comes along, else every process would compile what it imports.
    """
    left_out = {"node_modules", *fnmatch.filter(names, "*.pyc.*")}  # the latter being written
    if Path(folder) == ROOT / "biomlbench" / "tasks":
        left_out |= {name for name in names if Path(folder, name).is_dir()}
    return left_out & set(names)


def write_toys(path: Path) -> None:
    """Write the toy tasks, and as one of them a built-in card without the cases of its promises."""
    shutil.copytree(HERE / "toy", path)
    shutil.copytree(BUILT_IN_CARD, path / CARD, ignore=shutil.ignore_patterns("__pycache__"))
    config = path / CARD / "config.yaml"
    own, _, _ = config.read_text().partition("inputs:")
    config.write_text(own)


def copy_workflow(path: Path) -> None:
    """Copy the workflow and the library, without the tasks, to where a benchmark is to run."""
    for name in WORKFLOW_FILES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, path / name, ignore=_not_needed)
        else:
            shutil.copy(source, path / name)


def write_benchmark(path: Path) -> None:
    copy_workflow(path)
    write_toys(path / "toy")
    (path / "config").mkdir()
    (path / "config" / "config.yaml").write_text(CONFIG)
    files = {
        "subs/right.csv": predictions(2.0, 0.01),
        "subs/near.csv": predictions(2.1),
        "subs/short.csv": "id,y\nr00,1\n",
        "subs/program.py": PROGRAM,
        "subs/kabsch.py": (BUILT_IN_CARD / "reference.py").read_text(),
        "subs/broken.py": "def kabsch_rmsd(a, b:\n",
        "group/a.csv": predictions(1.9),
    }  # fmt: skip
    for name, text in files.items():
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_text(text)
    (path / "runs.csv").write_text(
        "run_id,agent,task_id,submission,time\n"
        "right,ada,line,subs/right.csv,2025-03-03T12:00:00Z\n"
        "near,bob,line,subs/near.csv,2025-03-04T12:00:00Z\n"
        "short,bob,line,subs/short.csv,\n"
        "gone,bob,line,subs/gone.csv,\n"
        "program,ada,toy/line,subs/program.py,\n"
        "right,ada,circle,subs/right.csv,\n"
        f"kabsch,ada,{CARD},subs/kabsch.py,2025-03-12T12:00:00Z\n"
        f"broken,bob,{CARD},subs/broken.py,2025-03-12T12:00:00Z\n"
        "lost,bob,no-such-task,subs/near.csv,\n"
    )
    (path / "group" / "submission.jsonl").write_text(
        '{"task_id": "line", "submission_path": "a.csv"}\nnot json\n'
    )


PROGRAM = """\
import csv, os
from pathlib import Path

with (Path(os.environ["PUBLIC_DIR"]) / "test.csv").open() as file:
    rows = list(csv.DictReader(file))
with Path(os.environ["OUTPUT_PATH"]).open("w") as file:
    file.write("id,y\\n")
    for row in rows:
        file.write(f"{row['id']},{2 * float(row['x']) + 1.5}\\n")
"""


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of the toy benchmark, one for all workers: read it, do not change it."""
    return once(tmp_path_factory, "finished", _finish)


def _finish(path: Path) -> None:
    write_benchmark(path)
    Bench(path).snakemake()


@pytest.fixture
def bench(finished: Path, tmp_path: Path) -> Bench:
    """A copy of the finished run, to be changed."""
    path = tmp_path / "bench"
    shutil.copytree(finished, path)
    return Bench(path)


@pytest.fixture
def fresh(tmp_path: Path) -> Bench:
    """The toy benchmark before its first run."""
    path = tmp_path / "fresh"
    path.mkdir()
    write_benchmark(path)
    return Bench(path)
