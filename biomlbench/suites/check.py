"""What of a suite can be graded here, and of each task that cannot, why."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError
from biomlbench.grading.process import INSIDE
from biomlbench.runtime.progress_bars import track
from biomlbench.sandbox.interpreter import of_environment
from biomlbench.scoring.grader import Grader
from biomlbench.task.registry import Registry

from .checkout import checkouts, tasks_of
from .data import differing_files
from .graders import HUB_METRICS
from .published import main_metric
from .suite import find_suite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from biomlbench.task.task import Task

    from .checkout import Checkout

__all__ = ["COLUMNS", "CheckedTask", "check_suite", "counts"]

COLUMNS = ("task", "loads", "source", "direction", "grader", "board", "humans", "data", "cannot")
HUBS = {path.stem for path in (INSIDE / "hubs").glob("*.py")}
FALLBACKS = {path.name for path in (INSIDE / "fallbacks").iterdir() if path.is_dir()}


@dataclass(frozen=True)
class CheckedTask:
    """A row of the check.

    Attributes
    ----------
    task : str
        Full id.
    loads : str
        ``yes`` or ``no``.
    source : str
        Type of the published data source.
    direction : str
        The direction and where it is from; empty: not known.
    grader : str
        ``native (metric)``, ``stand-in (metric)``, ``isolated``, or ``missing`` with modules.
    board : str
        How many are on the leaderboard, and who.
    humans : str
        How many human baselines.
    data : str
        ``here``, ``here, other than published``, or ``no``.
    cannot : tuple of str
        Why it cannot be graded, or cannot award medals; nothing about data that are not here.
    notes : tuple of str
        Where the published grader differs from its task's description.
    """

    task: str
    loads: str = "yes"
    source: str = ""
    direction: str = ""
    grader: str = ""
    board: str = ""
    humans: str = ""
    data: str = ""
    cannot: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def check_suite(name: str, data_dir: str | Path | None = None) -> list[CheckedTask]:
    """Check every task of a suite or a selection; no code of the suite is run.

    Parameters
    ----------
    name : str
    data_dir : path, optional
        Where prepared data lie.

    Raises
    ------
    SuiteError
        If there is no such suite, or its files are not here.
    """
    ids = tasks_of(name)
    suite = find_suite(name)
    checkout = next(one for one in checkouts() if one.suite.name == suite.name)
    registry = Registry(data_dir=data_dir)
    code = {task_id: _Code.of(folder, checkout) for task_id, folder in checkout.tasks()}
    here = _available({m for task_id in ids for m in code[task_id].needs}, checkout.python)
    return [
        _checked(task_id, registry, checkout, code[task_id], here)
        for task_id in track(ids, "checking")
    ]


def counts(rows: Iterable[CheckedTask]) -> dict[str, dict[str, int]]:
    """Count the rows by what each column says, without numbers and names in brackets."""
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        facts = {
            "loads": row.loads,
            "source": row.source or "none",
            "direction": row.direction.partition(" (")[2].rstrip(")") or "not known",
            "grader": row.grader.partition(" (")[0] or "none",
            "board": "yes" if row.board else "no",
            "humans": "yes" if row.humans else "no",
            "data": row.data,
        }
        for column, value in facts.items():
            group = found.setdefault(column, {})
            group[value] = group.get(value, 0) + 1
    return found


def _checked(
    task_id: str, registry: Registry, checkout: Checkout, code: _Code, here: set[str]
) -> CheckedTask:
    try:
        task = registry.get_task(task_id)
        grader, cannot = _grader(task, code, here)
    except TaskError as error:
        return CheckedTask(task_id, "no", cannot=(str(error),))
    try:
        direction = f"{task.direction} ({_direction_from(task)})"
    except TaskError:
        direction = ""
        cannot.append(
            "whether a lower score is better is not declared, and no leaderboard shows it"
        )
    board = humans = ""
    try:
        board, humans = _ranked(task, direction)
    except TaskError as error:
        cannot.append(str(error))
    if not board:
        pointer = checkout.board_is_pointer(task_id)
        where = (
            "its leaderboard lies in Git's large-file storage: fetch it in a clone of yours, "
            "`git lfs pull`, and name that with --from"
        )
        cannot.append(f"no medals: {where if pointer else 'there is no leaderboard'}")
    source = task.config.get("data_source")
    kind = str(source.get("type") or "") if isinstance(source, dict) else ""
    return CheckedTask(
        task_id,
        "yes",
        kind,
        direction,
        grader,
        board,
        humans,
        _data(task),
        tuple(cannot),
        task.grader_notes,
    )


def _ranked(task: Task, direction: str) -> tuple[str, str]:
    from biomlbench.scoring.humans import read_human_baselines
    from biomlbench.scoring.leaderboard import read_leaderboard

    board = humans = ""
    if task.leaderboard is not None and direction:
        found = read_leaderboard(task.leaderboard, task.direction, team_names=False)
        board = f"{len(found)} {task.contestants}".strip()
    if task.human_baselines is not None:
        humans = str(len(read_human_baselines(task.human_baselines)))
    return board, humans


def _direction_from(task: Task) -> str:
    if task.direction_source == "leaderboard":
        return "inferred from the leaderboard"
    section = task.config["grader"]
    if task.metric is not None:
        return "metric"
    if section.get("direction"):
        return "config"
    if main_metric(task.config):
        return "main metric"
    named = Grader(task.grader.name, grade_fn=abs).direction
    return "grader's name" if named else "known grader"


def _data(task: Task) -> str:
    if not (task.answers.is_file() and task.sample_submission.is_file()):
        return "no"
    return "here, other than published" if differing_files(task) else "here"


def _grader(task: Task, code: _Code, here: set[str]) -> tuple[str, list[str]]:
    """Return what grades a task, and why it cannot."""
    if task.metric is not None:
        return f"native ({task.metric.name})", []
    if code.fault:
        return "", [f"its grader cannot be read: {code.fault}"]
    missing = sorted(code.needs - here)
    if missing:
        names = ", ".join(missing)
        env = "`biomlbench suite get ... --python FOLDER`"
        why = (
            f"its grader uses {names}: install it, or name a virtual environment that has it: {env}"
        )
        return f"missing ({names})", [why]
    if code.hubs:
        label = main_metric(task.config)
        if label not in HUB_METRICS:
            said = f"the main metric {label}" if label else "no main metric"
            hub = ", ".join(sorted(code.hubs))
            why = f"declares {said}, which cannot be evaluated from the answers alone"
            return "stand-in", [f"its grader asks {hub}, and its config {why}"]
        return f"stand-in ({HUB_METRICS[label][0]})", []
    return "isolated", []


@dataclass(frozen=True)
class _Code:
    """What a grader's code needs, as far as reading it tells.

    Attributes
    ----------
    needs : frozenset of str
        Third-party modules that it uses.
    hubs : frozenset of str
        Hubs' clients that it uses.
    fault : str
        Why it cannot be read.
    """

    needs: frozenset[str] = frozenset()
    hubs: frozenset[str] = frozenset()
    fault: str = ""

    @classmethod
    def of(cls, folder: Path, checkout: Checkout) -> _Code:
        """Read a task's ``grade.py`` and what it imports from beside the tasks."""
        used: set[str] = set()
        todo, seen = [folder / "grade.py"], set()
        root = checkout.tree / checkout.suite.tasks
        while todo:
            path = todo.pop()
            if path in seen:
                continue
            seen.add(path)
            try:
                tree = ast.parse(path.read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError, SyntaxError, ValueError) as error:
                return cls(fault=f"{path.name}: {error}")
            # What a helper imports inside a function, grading need not come to.
            nested = path == folder / "grade.py"
            for module, level in _used_modules(tree, nested=nested):
                file = _file_of(module, level, path, checkout.tree)
                if file is None:
                    used.add(module.partition(".")[0])
                elif file.is_relative_to(root):
                    todo.append(file)
        own = {checkout.suite.package, "", *sys.stdlib_module_names}
        return cls(
            frozenset(used - own - HUBS - FALLBACKS),
            frozenset(used & HUBS),
        )


def _used_modules(tree: ast.Module, *, nested: bool) -> Iterator[tuple[str, int]]:
    """Yield module and level of the imports of which a name is used."""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for node in ast.walk(tree) if nested else tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if (alias.asname or alias.name.partition(".")[0]) in names:
                    yield alias.name, 0
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) in names or alias.name == "*":
                    yield node.module or alias.name, node.level


def _file_of(module: str, level: int, importer: Path, tree: Path) -> Path | None:
    base = importer.parents[level - 1] if level else tree
    path = base.joinpath(*module.split("."))
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if file.is_file():
            return file
    beside = importer.parent / f"{module}.py"
    return beside if beside.is_file() else None


_ASK = (
    "import importlib.util, json, sys\n"
    "names = json.load(sys.stdin)\n"
    "json.dump([n for n in names if importlib.util.find_spec(n) is not None], sys.stdout)"
)


def _available(modules: set[str], python: Path | None) -> set[str]:
    """Return which of the modules the interpreter has that is to run the graders."""
    executable = sys.executable if python is None else of_environment(python).executable
    done = subprocess.run(
        [executable, "-I", "-c", _ASK],
        input=json.dumps(sorted(modules)).encode(),
        capture_output=True,
        check=True,
        timeout=60,
    )
    found: Any = json.loads(done.stdout)
    return set(found)
