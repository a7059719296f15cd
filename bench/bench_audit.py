"""What the audit of a task costs, by its rows, and of a suite, by its folders.

CPU time, the imports included: of tasks with four features and three times as many rows in all as
are tested, graded by a metric of ours and by a function of the task's own.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bench.rows import against_target
from bench.scratch import kept_folder

SIZES = (1_000, 100_000)
FOLDERS, FEW = 406, 60
#: Seconds of CPU that a task of so many rows may take, and a folder of a suite.
TARGETS = {1_000: 10.0, 100_000: 120.0}
TARGET_FOLDER = 1.0
GRADERS = {
    "metric": "{metric: rmse}",
    "function": "{name: own, grade_fn: 'grade:grade', direction: minimize}",
}
CODE = """
import numpy as np


class InvalidSubmissionError(Exception):
    pass


def grade(submission, answers):
    if len(submission) != len(answers) or submission["id"].duplicated().any():
        raise InvalidSubmissionError("rows are missing or repeated")
    both = answers.merge(submission, on="id", suffixes=("_t", ""))
    if len(both) != len(answers) or not np.isfinite(both["y"].astype(float)).all():
        raise InvalidSubmissionError("unknown ids, or values that are no numbers")
    return float(np.sqrt(np.mean((both["y"] - both["y_t"]) ** 2)))
"""


def make_task(folder: Path, name: str, rows: int, grader: str, seed: int = 0) -> None:
    """Write a task and its data."""
    task = folder / "tasks" / "bench" / name
    task.mkdir(parents=True)
    (task / "config.yaml").write_text(
        f"id: bench/{name}\nname: {name}\ngrader: {GRADERS[grader]}\n"
    )
    if grader == "function":
        (task / "grade.py").write_text(CODE)
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(3 * rows, 4)).round(5), columns=list("abcd"))
    frame.insert(0, "id", rng.permutation(np.arange(1_000, 1_000 + 3 * rows)))
    frame["y"] = (frame["a"] - frame["b"] + 0.7 * rng.normal(size=3 * rows)).round(4)
    test = frame[:rows]
    data = folder / "data" / "bench" / name / "prepared"
    for part, table in (
        ("public/train", frame[rows:]),
        ("public/test", test.drop(columns="y")),
        ("public/sample_submission", test[["id"]].assign(y=0.0)),
        ("private/answers", test[["id", "y"]]),
    ):
        path = data / f"{part}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        table.to_csv(path, index=False)


def cpu_of_audit(folder: Path, *names: str) -> float:
    """Return the CPU seconds of the command over some tasks; none of them may fail."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "biomlbench.cli", "audit", *names, "--tasks-dir",
         str(folder / "tasks"), "--data-dir", str(folder / "data"), "--out", str(folder / "out")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1) or not (folder / "out" / "audit.html").is_file():
        raise RuntimeError(done.stderr)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Measure tasks of both sizes and a suite's folders."""
    rows = []
    with kept_folder() as scratch:
        root = Path(scratch)
        for size in SIZES[:1] if quick else SIZES:
            for grader in GRADERS:
                make_task(root, f"{grader}-{size}", size, grader)
                spent = cpu_of_audit(root, f"bench/{grader}-{size}")
                figure = f"audit, {size:,} rows, by a {grader}, CPU s"
                rows.append(against_target(figure, spent, TARGETS[size], timed=True))
        folders = 10 if quick else FOLDERS
        suite = root / "suite"
        for number in range(folders):
            make_task(suite, f"folder-{number}", FEW, list(GRADERS)[number % 2], number)
        spent = cpu_of_audit(suite, *(f"bench/folder-{number}" for number in range(folders)))
        figure = f"audit, {folders} folders of {FEW} rows, half by a function, CPU s"
        rows.append(against_target(figure, spent, TARGET_FOLDER * folders, timed=True))
    return rows
