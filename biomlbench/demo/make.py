"""Write the demo's runs: submissions, a CSV run table and a ``submission.jsonl`` group."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import logging
import os
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from .agents import AGENTS, ATTENTION, CANCER, DIABETES, KABSCH, NUCLEI, POTENCY, SEEDS, SHARE
from .spoil import SPOILT, spoil

if TYPE_CHECKING:
    from collections.abc import Iterable

    from biomlbench.task.registry import Registry
    from biomlbench.task.task import Task
    from biomlbench.zoo import Problem

    from .agents import Agent

__all__ = ["DEMO_TASKS", "DemoRuns", "make_runs"]

logger = logging.getLogger(__name__)

#: The tasks of the demo, by full id.
DEMO_TASKS = (CANCER, DIABETES, POTENCY, NUCLEI, ATTENTION, KABSCH)
#: Columns of the run table.
COLUMNS = (
    *("run_id", "agent", "task_id", "submission"),
    *("kind", "seed", "attempt", "hint_tier", "label", "time"),
)
#: Agent whose runs are listed in a ``submission.jsonl`` instead of in the CSV.
JSONL_AGENT = "dune"
#: The first run's time; later ones follow over four ISO weeks.
FIRST = datetime(2025, 3, 3, 9, 0, tzinfo=UTC)
STEP = timedelta(hours=9, minutes=20)

_HERE = Path(__file__).parent
_STAMP = "demo.json"


@dataclass(frozen=True)
class DemoRuns:
    """What :func:`make_runs` left behind.

    Attributes
    ----------
    tables : tuple of Path
        Run tables, for the `runs` list of the workflow's config.
    count : int
        Number of runs in them.
    fresh : bool
        Whether anything was made by this call.
    """

    tables: tuple[Path, ...]
    count: int
    fresh: bool


def make_runs(
    out_dir: str | Path,
    data_dir: str | Path | None = None,
    tasks: Iterable[str] = DEMO_TASKS,
    registry: Registry | None = None,
) -> DemoRuns:
    """Make the demo's runs, unless they are there and up to date.

    Parameters
    ----------
    out_dir : path
        Folder for the runs. Paths in the CSV run table start with it, as it is given.
    data_dir : path, optional
        Prepared data; tasks that are not prepared yet are prepared there. By default
        :func:`biomlbench.task.registry.default_data_dir`.
    tasks : iterable of str
        Which of :data:`DEMO_TASKS`.
    registry : Registry, optional
        Where tasks are looked up.

    Returns
    -------
    DemoRuns

    Raises
    ------
    DataSourceError
        If a task's raw data cannot be had.
    """
    from biomlbench.task.prepare import prepare_task
    from biomlbench.task.registry import Registry
    from biomlbench.task.sources.archives import locked

    out, tasks = Path(out_dir), tuple(tasks)
    registry = registry or Registry()
    place = registry.get_data_dir() if data_dir is None else Path(data_dir)
    registry = registry.set_data_dir(place.expanduser().resolve())
    found = {name: registry.get_task(name) for name in tasks}
    data = {name: prepare_task(task).sha256 for name, task in found.items() if not task.is_card}
    out.parent.mkdir(parents=True, exist_ok=True)
    with locked(out.parent / f".{out.name}.lock"):
        return _make_once(out, found, data)


def _make_once(out: Path, found: dict[str, Task], data: dict[str, str]) -> DemoRuns:
    recipe = _recipe(out, tuple(found), data)
    stamp = _read_stamp(out / _STAMP)
    if stamp and stamp["recipe"] == recipe and stamp["files"] == _hashes(out, stamp["files"]):
        tables = tuple(out / name for name in stamp["tables"])
        return DemoRuns(tables, stamp["count"], fresh=False)
    if not stamp and any(path.is_file() for path in out.rglob("*")):
        raise FileExistsError(
            f"{out} holds other files than demo runs; name another folder, or empty it"
        )
    return _make(out, found, recipe, stamp)


class Stamp(TypedDict):
    """What a folder of demo runs was made from, and what is in it."""

    recipe: str
    count: int
    tables: list[str]
    files: dict[str, str]


def _make(out: Path, tasks: dict[str, Task], recipe: str, stamp: Stamp | None) -> DemoRuns:
    scratch = out.parent / f".{out.name}.{os.getpid()}.tmp"
    shutil.rmtree(scratch, ignore_errors=True)
    try:
        rows = list(_runs(scratch, tasks))
        for number, row in enumerate(rows):
            row["time"] = (FIRST + number * STEP).isoformat().replace("+00:00", "Z")
        tables = _write_tables(scratch, out, rows)
        files = [
            p.relative_to(scratch).as_posix() for p in sorted(scratch.rglob("*")) if p.is_file()
        ]
        text: Stamp = {
            "recipe": recipe,
            "count": len(rows),
            "tables": tables,
            "files": _hashes(scratch, files),
        }
        (scratch / _STAMP).write_text(json.dumps(text, indent=1) + "\n", encoding="utf-8")
        _move(scratch, out, stamp, files)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return DemoRuns(tuple(out / name for name in tables), len(rows), fresh=True)


def _move(scratch: Path, out: Path, stamp: Stamp | None, files: list[str]) -> None:
    """Put new and changed files in place, leaving equal ones with their old times."""
    out.mkdir(parents=True, exist_ok=True)
    old = stamp["files"] if stamp else {}
    # says whose folder this is, and that it is not complete, should the move be interrupted
    begun = {"recipe": "", "count": 0, "tables": [], "files": dict.fromkeys({*old, *files}, "")}
    (out / _STAMP).write_text(json.dumps(begun) + "\n", encoding="utf-8")
    for name in old.keys() - set(files):
        (out / name).unlink(missing_ok=True)
    for name in [*files, _STAMP]:
        new, place = scratch / name, out / name
        if place.is_file() and place.read_bytes() == new.read_bytes():
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        os.replace(new, place)


def _runs(scratch: Path, tasks: dict[str, Task]) -> Iterable[dict[str, object]]:
    """Write every submission; yield its row, paths relative to the runs folder."""
    from biomlbench.zoo import load_problem

    for name, task in tasks.items():
        if not task.is_card:
            logger.info("demo runs: fitting models for %s", name)
            problem = load_problem(task.folder, task.public_dir)
            for agent in AGENTS:
                yield from _predictions(scratch, name, problem, agent)
        else:
            for agent in AGENTS:
                yield from _functions(scratch, name, agent)
    for item in SPOILT:
        if item.task in tasks:
            yield spoil(item, scratch, tasks[item.task])


def _predictions(
    scratch: Path, task: str, problem: Problem, agent: Agent
) -> Iterable[dict[str, object]]:
    from biomlbench.task.toolbox import write_csv
    from biomlbench.zoo import find_entry, fit_predict

    for seed in SEEDS:
        row = _row(agent.name, task, f"{agent.name}-seed{seed}", seed=seed, attempt=1, hint_tier=0)
        if task in agent.programs and seed == SEEDS[-1]:
            row |= _copy(scratch, row, _HERE / "programs" / f"{agent.programs[task]}.py")
            yield row | {"kind": "program"}
            continue
        parts = [
            fit_predict(problem, find_entry(problem.kind, name), seed, SHARE)
            for name in agent.models[task]
        ]
        path = f"{agent.name}/{task}/seed{seed}.csv"
        total: Any = sum(parts)
        write_csv(problem.submit(total / len(parts)), scratch / path)
        yield row | {"submission": path, "kind": "predictions"}


def _functions(scratch: Path, task: str, agent: Agent) -> Iterable[dict[str, object]]:
    for attempt, code in enumerate(agent.functions[task], start=1):
        row = _row(
            agent.name,
            task,
            f"{agent.name}-attempt{attempt}",
            seed=SEEDS[0],
            attempt=attempt,
            hint_tier=attempt - 1,
        )
        row |= _copy(scratch, row, _HERE / "functions" / f"{code}.py")
        yield row | {"kind": "functions"}


def _row(agent: str, task: str, run_id: str, **more: object) -> dict[str, object]:
    return {"run_id": run_id, "agent": agent, "task_id": task, **more}


def _copy(scratch: Path, row: dict[str, object], source: Path) -> dict[str, object]:
    path = f"{row['agent']}/{row['task_id']}/{str(row['run_id']).partition('-')[2]}.py"
    (scratch / path).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, scratch / path)
    return {"submission": path}


def _write_tables(scratch: Path, out: Path, rows: list[dict[str, object]]) -> list[str]:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, COLUMNS, lineterminator="\n")
    writer.writeheader()
    lines = []
    for row in rows:
        if row["agent"] != JSONL_AGENT:
            writer.writerow(row | {"submission": (out / str(row["submission"])).as_posix()})
            continue
        entry = {key: value for key, value in row.items() if key != "submission"}
        entry["submission_path"] = str(row["submission"]).removeprefix(f"{JSONL_AGENT}/")
        lines.append(json.dumps(entry, sort_keys=True) + "\n")
    tables = {"runs.csv": buffer.getvalue(), f"{JSONL_AGENT}/submission.jsonl": "".join(lines)}
    for name, text in tables.items():
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
        (scratch / name).write_text(text, encoding="utf-8")
    return list(tables)


def _recipe(out: Path, tasks: tuple[str, ...], data: dict[str, str]) -> str:
    """Hash what the runs depend on: our code, the data, scikit-learn's version."""
    import sklearn

    digest = hashlib.sha256()
    head = {"out": out.as_posix(), "tasks": tasks, "data": data, "sklearn": sklearn.__version__}
    digest.update(json.dumps(head, sort_keys=True).encode())
    package = _HERE.parent
    baselines = [package / "tasks" / task / "baseline.py" for task in tasks]
    for path in [*sorted(_HERE.rglob("*.py")), *sorted((package / "zoo").glob("*.py")), *baselines]:
        if path.is_file():
            digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def _read_stamp(path: Path) -> Stamp | None:
    try:
        stamp = json.loads(path.read_text(encoding="utf-8"))
        return stamp if {"recipe", "count", "tables", "files"} <= stamp.keys() else None
    except (OSError, ValueError, AttributeError):
        return None


def _hashes(folder: Path, files: Iterable[str]) -> dict[str, str]:
    hashes = {}
    for name in files:
        path = folder / name
        data = path.read_bytes() if path.is_file() else b""
        hashes[name] = hashlib.sha256(data).hexdigest()
    return hashes
