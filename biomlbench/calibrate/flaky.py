"""Checks that disagree with themselves: the same submission, judged under changed conditions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.calibrate.intervals import wilson
from biomlbench.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

    from biomlbench.contracts.calibration_rows import FlakeRow
    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.stages import Context

__all__ = [
    "BASE",
    "CONDITIONS",
    "Condition",
    "Trial",
    "conditions",
    "disagreements_of",
    "flake_row",
    "flakes_table",
    "flaky_checks",
    "trials",
    "under_condition",
]

_LIMIT_S = 900


class Condition(NamedTuple):
    """Under what a card's right solutions are run and judged once.

    `order` seeds the order of the cases (0: as planned); `load` is the number of busy
    processes beside.
    """

    factor: str
    hash_seed: int = 0
    order: int = 0
    threads: int = 1
    load: int = 0


class Trial(NamedTuple):
    """One outcome: solution, check and suite under one condition."""

    factor: str
    solution: str
    check: str
    outcome: str


BASE = "repetition"
"""Factor of the trials in which nothing is changed: what varies here varies by itself."""


def conditions(repeats: int) -> list[Condition]:
    """Return the conditions of a card's trials, one factor changed at a time.

    Parameters
    ----------
    repeats : int
        Trials for each factor.

    Returns
    -------
    list of Condition
    """
    found = [Condition(BASE) for _ in range(repeats)]
    for i in range(1, repeats + 1):
        found.append(Condition("hash seed", hash_seed=i))
        found.append(Condition("case order", order=i))
    found.append(Condition("threads", threads=2))
    found.append(Condition("load", load=2))
    return found


CONDITIONS = conditions(2)


def trials(folder: str | Path, under: Iterable[Condition] = CONDITIONS) -> list[Trial]:
    """Run and judge a card's right solutions, once under each condition.

    Each condition is a process of its own, as the hash seed and the number of threads are set
    when a process starts. The solutions are the card's own, so they run in that process, all
    cases one after another: state that one case leaves to the next then shows.

    Parameters
    ----------
    folder : path
        The card's folder.
    under : iterable of Condition

    Returns
    -------
    list of Trial

    Raises
    ------
    TaskError
        If the card is broken.
    """
    found = []
    for condition in under:
        job = {"folder": str(folder), "order": condition.order}
        outcomes = under_condition("biomlbench.calibrate.trial", job, condition)
        found += [Trial(condition.factor, *outcome) for outcome in outcomes]
    return found


def under_condition(module: str, job: JsonObject, condition: Condition) -> Any:
    """Run a module as a process of its own under a condition.

    Parameters
    ----------
    module : str
        Dotted name. It gets the job as JSON, and the path of a JSON file to write.
    job : dict
        With the card's `folder`.
    condition : Condition

    Returns
    -------
    object
        What the module wrote.

    Raises
    ------
    TaskError
        If it failed.
    """
    threads = str(condition.threads)
    env = {**os.environ, "PYTHONHASHSEED": str(condition.hash_seed)}
    env |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), threads)
    with tempfile.TemporaryDirectory(prefix="biomlbench-flaky-") as scratch:
        answer = Path(scratch) / "outcomes.json"
        burners = [_burner() for _ in range(condition.load)]
        try:
            done = subprocess.run(
                [sys.executable, "-P", "-m", module, json.dumps(job), str(answer)],
                env=env,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=_LIMIT_S,
                check=False,
            )
        finally:
            for burner in burners:
                burner.kill()
                burner.wait()
        if done.returncode:
            last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise TaskError(f"{job['folder']}: the card cannot be judged: {last}")
        return json.loads(answer.read_text(encoding="utf-8"))


def _burner() -> subprocess.Popen[bytes]:
    """Start a process that keeps one processor busy, and ends when this one does."""
    parent = os.getpid()
    code = f"import os\nwhile os.getppid() == {parent}:\n    sum(range(100000))"
    return subprocess.Popen([sys.executable, "-c", code])


def flaky_checks(task_id: str, found: Iterable[Trial]) -> list[FlakeRow]:
    """Sum up how often each check disagrees with itself.

    Parameters
    ----------
    task_id : str
    found : iterable of Trial

    Returns
    -------
    list of dict
        Rows of the schema ``flakes``, one a check. A disagreement is an outcome other than
        the commonest one of the same solution. The causes are the factors under which the
        outcomes differ from those of the unchanged condition; if these differ among
        themselves, only that is named, for then nothing else needs to explain anything.
    """
    outcomes: dict[str, dict[str, list[tuple[str, str]]]] = defaultdict(lambda: defaultdict(list))
    for trial in found:
        outcomes[trial.check][trial.solution].append((trial.factor, trial.outcome))
    rows = []
    for check, by_solution in outcomes.items():
        runs = off = 0
        causes: set[str] = set()
        varying = []
        for solution, seen in by_solution.items():
            odd, why = disagreements_of(seen)
            runs += len(seen)
            off += odd
            causes |= why
            if odd:
                varying.append(solution)
        rows.append(flake_row(task_id, check, runs, off, causes, varying))
    return rows


def disagreements_of(seen: Sequence[tuple[str, Any]]) -> tuple[int, set[str]]:
    """Return how many of (factor, value) differ from the commonest, and what they vary with.

    The causes are the factors whose values differ from those of the unchanged condition; if
    these differ among themselves, only that is named.
    """
    usual, count = Counter(value for _, value in seen).most_common(1)[0]
    base = {value for factor, value in seen if factor == BASE} or {usual}
    if len(base) > 1:
        return len(seen) - count, {BASE}
    return len(seen) - count, {factor for factor, value in seen if value not in base}


def flake_row(
    task_id: str, check: str, runs: int, off: int, causes: Iterable[str], solutions: Iterable[str]
) -> FlakeRow:
    """Return a row of the schema ``flakes``: `off` of so many runs disagreed."""
    share = wilson(off, runs)
    return {
        "task_id": task_id,
        "check": check,
        "runs": runs,
        "disagreements": off,
        "rate": share.rate,
        "low": share.low,
        "high": share.high,
        "causes": sorted(causes),
        "solutions": sorted(solutions),
    }


def flakes_table(task_id: str, context: Context, repeats: int) -> pa.Table:
    """Look for flaky checks of one card.

    Parameters
    ----------
    task_id : str
    context : Context
    repeats : int
        Trials for each factor.

    Returns
    -------
    pyarrow.Table
        Of the schema ``flakes``.
    """
    from biomlbench.contracts import from_rows

    folder = context.task(task_id).folder
    return from_rows("flakes", flaky_checks(task_id, trials(folder, conditions(repeats))))
