"""The jobs of `snakemake calibrate`: from a task's folder to the tables of calibration."""

from __future__ import annotations

import difflib
import json
import logging
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from biomlbench.calibrate import batch, gate, labels, summary
from biomlbench.calibrate.flaky_runs import merged
from biomlbench.calibrate.mutants import HELD_OUT, Mutant, choose
from biomlbench.calibrate.runs import labelled_runs
from biomlbench.calibrate.unused_rows import (
    ADJUDICATIONS,
    FLAKE_RUNS,
    IN_CONFIG,
    NOT_REPEATED,
    Unused,
)
from biomlbench.calibrate.unused_rows import TABLE as UNUSED
from biomlbench.contracts import from_rows, provenance, read_table, write_table
from biomlbench.stages.provenance import digest, environment_hash, file_hash
from biomlbench.workflow.recorded_places import PLACES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from biomlbench.calibrate.labels import Labelled
    from biomlbench.calibrate.settings import Settings
    from biomlbench.stages import Context
    from biomlbench.stages.cards import LoadedCard
    from biomlbench.task.task import Task

__all__ = ["TABLES", "controls_table", "costs_of", "mutants_of", "mutants_table", "write_tables"]

log = logging.getLogger(__name__)

TABLES = ("rates", "kills", "margins", "power", "allowed_rates", "survivors", "flakes", UNUSED)
"""Tables over all tasks, in `results/calibration/`; the survivors are of schema ``mutants``."""
_TIMED = 3


def mutants_table(task_id: str, context: Context, settings: Settings) -> pa.Table:
    """Make a card's mutants.

    Parameters
    ----------
    task_id : str
    context : Context
    settings : Settings

    Returns
    -------
    pyarrow.Table
        Of the schema ``mutants``: all that were tried. Empty for a prediction task.
    """
    task = context.task(task_id)
    tried = choose(task.folder, settings.wanted, settings.inputs) if _is_card(task) else []
    return from_rows(
        "mutants",
        [
            {
                "task_id": task_id,
                "mutant": m.name,
                **{
                    name: getattr(m, name)
                    for name in ("operator", "note", "line", "status", "inputs", "diff", "source")
                },
            }
            for m in tried
        ],
    )


def _is_card(task: Task) -> bool:
    return task.is_card


def mutants_of(table: pa.Table) -> list[Mutant]:
    """Return the mutants of a ``mutants`` table."""
    return [
        Mutant(
            row["mutant"],
            *(row[n] for n in ("operator", "note", "line", "source", "diff", "status", "inputs")),
        )
        for row in table.to_pylist()
    ]


def controls_table(
    task_id: str, name: str, context: Context, mutants: pa.Table | None = None
) -> pa.Table:
    """Grade one batch of controls.

    Parameters
    ----------
    task_id, name : str
        Task and batch.
    context : Context
    mutants : pyarrow.Table, optional
        The card's ``mutants`` table.

    Returns
    -------
    pyarrow.Table
        Of the schema ``controls``.
    """
    found = mutants_of(mutants) if mutants is not None else []
    return batch.run(task_id, name, context, found)


def costs_of(
    loaded: LoadedCard, clock: Callable[[], float] = time.perf_counter
) -> dict[str, tuple[int, float | None]]:
    """Measure what each check of a card costs.

    Parameters
    ----------
    loaded : LoadedCard
    clock : callable
        Gives seconds.

    Returns
    -------
    dict
        Check to the number of cases that are executed for no other check, and the seconds
        that it takes to judge the reference by it alone (the least of three times). Cases that
        every card gets, to find side effects, are no check's.
    """
    from biomlbench.verify.judging import OK, judge
    from biomlbench.verify.local import LocalResult

    card, plan, oracle = loaded
    if card.verifier is None:
        return {}
    outputs = {case.id: LocalResult(OK, oracle.values[case.id]) for case in plan.cases}
    used: dict[str, set[str]] = {}
    for (check, _), units in plan.units.items():
        ids = {i for unit in units for i in (unit.case_id, *unit.variant_ids)}
        used.setdefault(check, set()).update(ids)

    def timed(checks: tuple[Any, ...]) -> float:
        alone = replace(card, verifier=replace(card.rules, checks=checks))
        spent = []
        for _ in range(_TIMED):
            start = clock()
            judge(alone, plan, oracle, outputs)
            spent.append(clock() - start)
        return min(spent)

    base = timed(())
    found: dict[str, tuple[int, float | None]] = {}
    for one in card.checks:
        others = [ids for name, ids in used.items() if name != one.name]
        own = used[one.name].difference(plan.near, *others)
        found[one.name] = (len(own), max(0.0, timed((one,)) - base))
    return found


def write_tables(
    results: str | Path,
    controls: Iterable[str | Path],
    mutants: Iterable[str | Path],
    flakes: Iterable[str | Path],
    context: Context,
    settings: Settings,
    week: str | None,
    runs: Iterable[Labelled] = (),
    code: str = "",
    measured: Mapping[str, Sequence[str]] | None = None,
    places: Mapping[str, Any] | None = None,
    unused: Iterable[Unused] = (),
) -> pa.Table:
    """Write the tables over all tasks.

    Parameters
    ----------
    results : path
        Folder for the tables. The one above it holds the real runs.
    controls, mutants, flakes : iterable of path
        Tables of all batches, and of all cards.
    context : Context
    settings : Settings
    week : str or None
        ISO week of the calibration.
    runs : iterable of Labelled
        Graded runs whose true label is known: they count as well.
    code : str
        Hash of the code that makes the tables, for their provenance.
    measured : mapping, optional
        What each task's calibration depends on, as :func:`biomlbench.calibrate.currency.measured`
        returns it, for their provenance.
    places : mapping, optional
        Where tasks, data and results are, as the config says, for their provenance.
    unused : iterable of Unused
        Runs that were to be repeated and are not. Those whose submission was no use say so in
        their table, and adjudications that are wrong or of nothing here are found here.

    Returns
    -------
    pyarrow.Table
        The one of schema ``allowed_rates``.
    """
    results = Path(results)
    controls, mutants, flakes = list(controls), list(mutants), list(flakes)
    rows = [row for path in controls for row in read_table("controls", path).to_pylist()]
    judged, wrong = labels.read(settings.adjudications, context.full_id)
    known = [*unused, *wrong]  # told when the run was planned
    unused = [*known, *_not_repeated(flakes)]
    graded = summary.gather(rows, judged)
    runs = list(runs)
    graded += labelled_runs(results.parent, runs, context)
    tasks = sorted({one.task_id for one in graded})
    there = {(one.task_id, one.name) for one in graded} | {run[:2] for run in runs}
    for task_id, name in sorted(set(judged) - there):
        why = f"no such control or run; {_remedy(task_id, name, there)}"
        where = judged[task_id, name].where
        unused.append(Unused(ADJUDICATIONS, where, task_id, name, why))
    for row in unused[len(known) :]:
        log.warning("left out: %s", row)
    catches, costs = _of_cards(tasks, context)
    # what was held out is counted, but shown to nobody who might sharpen a check by it
    shown = [one for one in graded if one.family != HELD_OUT]
    passing = {(o.task_id, o.name) for o in shown if o.credited and o.label == "wrong"}
    survivors = [
        row
        for path in mutants
        for row in read_table("mutants", path).to_pylist()
        if (row["task_id"], f"mutant/{row['mutant']}") in passing
    ]
    found = {
        "rates": pa.concat_tables(
            [*earlier_rates(results, week), summary.rates(graded, catches, week)]
        ),
        "kills": summary.kills(shown),
        "margins": summary.margins(shown),
        "power": summary.power(shown, costs),
        "allowed_rates": gate.allowed_rates(graded, settings.allowed),
        "flakes": from_rows(
            "flakes",
            merged(row for path in flakes for row in read_table("flakes", path).to_pylist()),
        ),
        UNUSED: from_rows(UNUSED, [row._asdict() for row in unused]),
    }
    made_from = {
        "code": code,
        "environment": environment_hash(),
        "inputs": digest([provenance(path) for path in (*controls, *mutants, *flakes)]),
        "adjudications_sha256": file_hash(settings.adjudications),
        "settings": digest([settings.allowed, runs, unused]),
        gate.MEASURED: json.dumps(dict(measured or {}), sort_keys=True),
        **({PLACES: json.dumps(dict(places), sort_keys=True)} if places else {}),
    }
    for name, table in found.items():
        write_table(name, table, results / f"{name}.parquet", made_from)
    table = from_rows("mutants", survivors)
    write_table("mutants", table, results / "survivors.parquet", made_from)
    return found["allowed_rates"]


def _not_repeated(flakes: Iterable[str | Path]) -> Iterator[Unused]:
    """Yield the runs whose submission could not be repeated, as their tables say."""
    for path in map(Path, flakes):
        if why := provenance(path).get(NOT_REPEATED):
            task_id = "/".join(path.parts[-3:-1])
            yield Unused(FLAKE_RUNS, IN_CONFIG, task_id, path.stem, why)


def _remedy(task_id: str, name: str, there: Iterable[tuple[str, str]]) -> str:
    """Say what to do with a judgement of what is not there."""
    known = sorted({run for task, run, *_ in there if task == task_id})
    if not known:
        return f"{task_id} is not calibrated here: correct `task_id`, or `calibration.tasks`"
    near = difflib.get_close_matches(name, known, n=3)
    hint = f" (did you mean {' or '.join(near)}?)" if near else ""
    return (
        f"correct `run_id`{hint} to a run of the run tables, or to a control, which "
        "calibration/kills.parquet names in `solution`; or delete the line"
    )


def earlier_rates(results: str | Path, week: str | None) -> list[pa.Table]:
    """Return the rates of weeks that have been archived, the given one excepted.

    Parameters
    ----------
    results : path
        Folder of the tables, with a folder an archived week.
    week : str or None

    Returns
    -------
    list of pyarrow.Table
    """
    found = []
    for path in sorted(Path(results).glob("*-W*/rates.parquet")):
        name = path.parent.name
        if name != week:
            table = read_table("rates", path).replace_schema_metadata(None)
            found.append(table.filter(pc.field("week") == name))
    return found


def _of_cards(
    tasks: Iterable[str], context: Context
) -> tuple[
    dict[str, Mapping[str, tuple[str, ...]]], dict[tuple[str, str], tuple[int, float | None]]
]:
    from biomlbench.stages.cards import load_card

    catches: dict[str, Mapping[str, tuple[str, ...]]] = {}
    costs: dict[tuple[str, str], tuple[int, float | None]] = {}
    for task_id in tasks:
        task = context.task(task_id)
        if not _is_card(task):
            continue
        loaded = load_card(task)
        catches[task_id] = {check.name: check.catches for check in loaded.card.checks}
        costs |= {(task_id, check): cost for check, cost in costs_of(loaded).items()}
    return catches, costs
