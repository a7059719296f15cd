"""What a submission costs by a published grader in a process of its own, beside a plain call of it.

The first submission, which starts the process and imports the grader's libraries, is left out: it
is paid once a task.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bench.scratch import kept_folder

#: How many times longer than a plain call, which reads the submission and grades, it may take.
TARGET = 8.0
#: Each way is timed this often, in turns; the medians are compared.
REPEATS = 3
ROWS = 1_000
GRADER = """
from sklearn.metrics import roc_auc_score


def grade(submission, answers):
    both = answers.merge(submission, on="id", suffixes=("_true", "_pred"))
    return roc_auc_score(both["y_true"], both["y_pred"])
"""


def make_task(folder: Path) -> None:
    """Write a task with a published grader."""
    truth = np.random.default_rng(0).integers(0, 2, ROWS)
    package = folder / "benchsuite"
    config = "submission: {{id: id, target: y, columns: {{y: {{type: number}}}}}}\ngrader: {}\n"
    task = package / "tasks" / "bench" / "published"
    task.mkdir(parents=True)
    grader = "{name: auc-roc, grade_fn: 'benchsuite.tasks.bench.published.grade:grade'}"
    (task / "config.yaml").write_text(config.format(grader))
    (task / "grade.py").write_text(GRADER)
    prepared = folder / "data" / "bench" / "published" / "prepared"
    for part, values in (
        ("public/sample_submission", np.full(ROWS, 0.5)),
        ("private/answers", truth),
    ):
        (prepared / part).parent.mkdir(parents=True)
        write(prepared / f"{part}.csv", values)
    (package / "__init__.py").write_text("")


def write(path: Path, values: np.ndarray) -> None:
    """Write a table of ids and values."""
    path.write_text("id,y\n" + "".join(f"row_{i:06d},{v}\n" for i, v in enumerate(values.tolist())))


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Measure both ways on the same files.

    Parameters
    ----------
    quick : bool
        Fewer submissions, to try the benchmark out.

    Returns
    -------
    list of dict
        ``figure``, ``ours`` (seconds a submission), ``peer`` (plain), ``ratio``,
        ``target`` and ``ok``.
    """
    from biomlbench.grade import grade_submission
    from biomlbench.registry import Registry

    count = 10 if quick else 100
    rng = np.random.default_rng(1)
    with kept_folder() as name:
        folder = Path(name)
        make_task(folder)
        registry = Registry([folder / "benchsuite" / "tasks"], folder / "data")
        files = [folder / f"{number}.csv" for number in range(count)]
        for path in files:
            write(path, rng.random(ROWS))
        task = registry.get_task("bench/published")
        plain: dict[str, Any] = {}
        exec(GRADER, plain)
        answers = pd.read_csv(task.answers)

        def in_its_process(path: Path) -> float | None:
            return grade_submission(path, task).score

        def plainly(path: Path) -> float:
            return float(plain["grade"](pd.read_csv(path), answers))

        ways = {"published": in_its_process, "plain": plainly}
        scores: dict[str, list[float | None]] = {}
        took: dict[str, list[float]] = {way: [] for way in ways}
        for grade in ways.values():
            grade(files[0])
        for _ in range(REPEATS):
            for way, grade in ways.items():
                start = time.perf_counter()
                scores[way] = [grade(path) for path in files]
                took[way].append((time.perf_counter() - start) / count)
    seconds = {way: statistics.median(times) for way, times in took.items()}
    if scores["published"] != scores["plain"]:
        raise AssertionError("the two ways disagree on the scores")
    ratio = seconds["published"] / seconds["plain"]
    return [
        {
            "figure": f"a submission of {ROWS} rows by a published grader in its own process, "
            "beside a plain call of it",
            "ours": seconds["published"],
            "peer": seconds["plain"],
            "ratio": ratio,
            "target": TARGET,
            "ok": ratio <= TARGET,
        }
    ]


if __name__ == "__main__":
    print(run(quick=True))
