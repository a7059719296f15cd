"""How fast `grade_jsonl` is, against a plain loop of pandas and scikit-learn.

The loop is what one writes without this package: for each submission, read both files with
pandas, merge them by id, call scikit-learn. It checks nothing and ranks nothing.
"""

from __future__ import annotations

import json
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench.scratch import kept_folder

#: How many times faster grading has to be than the loop, on two cores.
TARGET = 10.0
WORKERS = 2
#: Each way is timed this often, in turns; the medians are compared.
REPEATS = 5
SIZES = ((1_000, 1_000), (50, 100_000))
QUICK_SIZES = ((100, 1_000), (6, 100_000))


def make_task(folder: Path, n_rows: int, seed: int = 0) -> None:
    """Write a binary classification task with prepared data."""
    rng = np.random.default_rng(seed)
    task = folder / "tasks" / "bench" / f"rows-{n_rows}"
    prepared = folder / "data" / "bench" / f"rows-{n_rows}" / "prepared"
    for part in (task, prepared / "public", prepared / "private"):
        part.mkdir(parents=True)
    (task / "config.yaml").write_text(
        "name: Bench\ngrader: {name: auc-roc, metric: roc_auc}\n"
        "submission: {id: id, target: y, columns: {y: {type: number}}}\n"
    )
    scores = np.round(np.linspace(0.95, 0.4, 300), 4)
    (task / "leaderboard.csv").write_text("score\n" + "\n".join(map(str, scores)) + "\n")
    truth = rng.integers(0, 2, n_rows)
    write(prepared / "private" / "answers.csv", truth)
    write(prepared / "public" / "sample_submission.csv", np.full(n_rows, 0.5))


def write(path: Path, values: np.ndarray) -> None:
    """Write a table of ids and values."""
    rows = "".join(f"row_{i:06d},{value}\n" for i, value in enumerate(values.tolist()))
    path.write_text("id,y\n" + rows)


def make_submissions(folder: Path, n_submissions: int, n_rows: int) -> Path:
    """Write submissions of noisy predictions, and the file that lists them."""
    rng = np.random.default_rng(1)
    runs = folder / f"runs-{n_rows}"
    runs.mkdir()
    lines = []
    for number in range(n_submissions):
        write(runs / f"{number}.csv", rng.random(n_rows))
        lines.append({"task_id": f"bench/rows-{n_rows}", "submission_path": f"{number}.csv"})
    listed = runs / "submission.jsonl"
    listed.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return listed


def plain_loop(listed: Path, answers: Path) -> list[float]:
    """Score every listed submission with pandas and scikit-learn."""
    import pandas as pd
    from sklearn.metrics import roc_auc_score

    scores = []
    for line in listed.read_text().splitlines():
        submission = pd.read_csv(listed.parent / json.loads(line)["submission_path"])
        truth = pd.read_csv(answers)
        both = truth.merge(submission, on="id", suffixes=("_true", "_pred"))
        scores.append(float(roc_auc_score(both["y_true"], both["y_pred"])))
    return scores


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Measure both ways on the same files; each starts with everything imported.

    Parameters
    ----------
    quick : bool
        Smaller sizes, to try the benchmark out.

    Returns
    -------
    list of dict
        ``figure``, ``ours`` and ``peer`` (seconds), ``ratio``, ``target`` and ``ok``.
    """
    # Neither side's imports are what is measured.
    import pandas  # noqa: F401
    import sklearn.metrics  # noqa: F401

    from biomlbench.api import jsonl_batch as batch  # noqa: F401
    from biomlbench.grade import grade_jsonl
    from biomlbench.metrics import get_metric
    from biomlbench.registry import Registry
    from biomlbench.scoring import score as scoring  # noqa: F401

    get_metric("roc_auc")

    rows = []
    for n_submissions, n_rows in QUICK_SIZES if quick else SIZES:
        with kept_folder() as name:
            folder = Path(name)
            make_task(folder, n_rows)
            listed = make_submissions(folder, n_submissions, n_rows)
            registry = Registry([folder / "tasks"], folder / "data")
            answers = registry.get_task(f"bench/rows-{n_rows}").answers

            times = []
            for attempt in range(REPEATS):
                start = time.perf_counter()
                report, _ = grade_jsonl(
                    listed, folder / f"out-{attempt}", registry, workers=WORKERS, progress=False
                )
                own = time.perf_counter() - start
                start = time.perf_counter()
                expected = plain_loop(listed, answers)
                times.append((own, time.perf_counter() - start))
            ours, peer = (statistics.median(column) for column in zip(*times, strict=True))

            graded = json.loads(report.read_text())["task_reports"]
            got = [entry["score"] for entry in graded]
            if not np.allclose(got, expected, rtol=0, atol=1e-12):
                raise AssertionError("the two ways disagree on the scores")
        rows.append(
            {
                "figure": f"grade_jsonl, {n_submissions} submissions of {n_rows} rows, "
                f"{WORKERS} workers, against a plain pandas and scikit-learn loop",
                "ours": ours,
                "peer": peer,
                "ratio": peer / ours,
                "target": TARGET,
                "ok": peer / ours >= TARGET,
            }
        )
    return rows


if __name__ == "__main__":
    for row in run():
        print(
            f"{row['figure']}: {row['ours']:.2f} s, {row['peer']:.2f} s: {row['ratio']:.1f}x "
            f"(target {row['target']:g}x)"
        )
