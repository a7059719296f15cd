"""Make the leaderboard of a built-in task anew, or record its checksums.

    python tools/make_leaderboard.py clinical/breast-cancer-wisconsin
    python tools/make_leaderboard.py --all
    python tools/make_leaderboard.py --checksums TASK   # only record checksums.yaml
    python tools/make_leaderboard.py --tasks-dir my-tasks TASK

The zoo's models (biomlbench/zoo) are fitted on the public training data with seed 0 and scored
on the private answers by the task's own metric. Scores may differ in the last digits between
versions of scikit-learn; leaderboard.md says which ones made the board.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from biomlbench.registry import Registry
from biomlbench.task.prepare import prepare_task
from biomlbench.task.toolbox import write_csv

NOTE = """\
# How leaderboard.csv came to be

{places} places: models and settings of scikit-learn, listed with their settings, fitted on the
public training data (seed {seed}) and scored on the private answers by the task's metric
({metric}, {direction}). Settings span each model's usual range and were not tuned to the task.
{dropped}Made with `python tools/make_leaderboard.py {task}`, scikit-learn {sklearn}, NumPy {numpy}.
"""


def main(argv: list[str] | None = None) -> int:
    """Parse the command line and make what it asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tasks", nargs="*", metavar="TASK", help="task ids, domain/name")
    parser.add_argument("--all", action="store_true", help="every task that has a baseline.py")
    parser.add_argument("--checksums", action="store_true", help="only record checksums.yaml")
    parser.add_argument(
        "--tasks-dir", action="append", default=[], help="folder with tasks of your own"
    )
    parser.add_argument("--data-dir", default="data", help="where prepared data go")
    args = parser.parse_args(argv)
    registry = Registry(
        tasks_dirs=[Path(name).resolve() for name in args.tasks_dir],
        data_dir=Path(args.data_dir).resolve(),
    )
    ids = [registry.get_task(name).id for name in args.tasks]
    if args.all:
        ids = [i for i in registry.list_task_ids() if _has_zoo(registry.get_task(i))]
    if not ids:
        parser.error("name a task, or use --all")
    for task_id in ids:
        task = registry.get_task(task_id)
        if args.checksums:
            record_checksums(task)
        else:
            prepare_task(task)
            make(task)
    return 0


def _has_zoo(task) -> bool:
    return (task.folder / "baseline.py").is_file()


def record_checksums(task) -> None:
    """Prepare a task as it now is and write its checksums.yaml."""
    path = task.folder / "checksums.yaml"
    path.unlink(missing_ok=True)
    made = prepare_task(task, force=True)
    lines = [
        "# SHA-256 of the prepared files; recorded by tools/make_leaderboard.py --checksums\n",
        *(f"{name}: {digest}\n" for name, digest in made.files.items()),
    ]
    path.write_text("".join(lines), encoding="utf-8")
    print(f"{task.id}: {len(made.files)} checksums")


def make(task) -> None:
    """Write leaderboard.csv and leaderboard.md of one task."""
    import numpy
    import sklearn

    from biomlbench.zoo.leaderboard import SEED, make_leaderboard

    start = time.perf_counter()

    def show(number: int, total: int, name: str, score: float | None) -> None:
        left = (time.perf_counter() - start) / number * (total - number)
        print(f"{task.id}  {number}/{total}  {name}  {score}  {left:.0f} s left", flush=True)

    board = make_leaderboard(task, show)
    write_csv(board, task.folder / "leaderboard.csv")
    from biomlbench.zoo import entries, load_problem

    missing = {e.name for e in entries(load_problem(task.folder, task.public_dir).kind)}
    missing -= set(board["name"])
    dropped = f"Without a valid score, so not listed: {', '.join(sorted(missing))}.\n\n"
    text = NOTE.format(
        places=len(board),
        seed=SEED,
        metric=task.grader.name,
        direction=task.direction,
        task=task.id,
        sklearn=sklearn.__version__,
        numpy=numpy.__version__,
        dropped=dropped if missing else "\n",
    )
    (task.folder / "leaderboard.md").write_text(text, encoding="utf-8")
    print(f"{task.id}: {len(board)} places in {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    # several processes share the machine's cores better than the threads of one
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    raise SystemExit(main())
