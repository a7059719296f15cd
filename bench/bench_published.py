"""What a submission costs by a published grader in its own process, beside our native metric.

The first submission, which starts the process and imports the grader's libraries, is left out: it
is paid once a task.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

#: How many times longer than by the native metric a submission may take.
TARGET = 30.0
ROWS = 1_000
GRADER = """
from sklearn.metrics import roc_auc_score


def grade(submission, answers):
    both = answers.merge(submission, on="id", suffixes=("_true", "_pred"))
    return roc_auc_score(both["y_true"], both["y_pred"])
"""


def make_tasks(folder: Path) -> None:
    """Write one task twice: as published, and with our metric."""
    truth = np.random.default_rng(0).integers(0, 2, ROWS)
    package = folder / "benchsuite"
    config = "submission: {{id: id, target: y, columns: {{y: {{type: number}}}}}}\ngrader: {}\n"
    graders = {
        "published": "{name: auc-roc, grade_fn: 'benchsuite.tasks.bench.published.grade:grade'}",
        "native": "{name: auc-roc, metric: roc_auc}",
    }
    for name, grader in graders.items():
        task = package / "tasks" / "bench" / name
        task.mkdir(parents=True)
        (task / "config.yaml").write_text(config.format(grader))
        (task / "grade.py").write_text(GRADER)
        for part, values in (
            ("public/sample_submission", np.full(ROWS, 0.5)),
            ("private/answers", truth),
        ):
            path = folder / "data" / "bench" / name / "prepared" / f"{part}.csv"
            path.parent.mkdir(parents=True)
            write(path, values)
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
        ``figure``, ``ours`` (published, seconds a submission), ``peer`` (native), ``ratio``,
        ``target`` and ``ok``.
    """
    from biomlbench.grade import grade_submission
    from biomlbench.registry import Registry

    count = 10 if quick else 100
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_tasks(folder)
        registry = Registry([folder / "benchsuite" / "tasks"], folder / "data")
        files = [folder / f"{number}.csv" for number in range(count)]
        for path in files:
            write(path, rng.random(ROWS))
        seconds, scores = {}, {}
        for way in ("published", "native"):
            task = registry.get_task(f"bench/{way}")
            grade_submission(files[0], task)
            start = time.perf_counter()
            scores[way] = [grade_submission(path, task).score for path in files]
            seconds[way] = (time.perf_counter() - start) / count
    if not np.allclose(scores["published"], scores["native"], rtol=0, atol=1e-12):
        raise AssertionError("the two ways disagree on the scores")
    ratio = seconds["published"] / seconds["native"]
    return [
        {
            "figure": f"a submission of {ROWS} rows by a published grader in its own process, "
            "beside our metric (lower is better)",
            "ours": seconds["published"],
            "peer": seconds["native"],
            "ratio": ratio,
            "target": TARGET,
            "ok": ratio <= TARGET,
        }
    ]


if __name__ == "__main__":
    print(run(quick=True))
