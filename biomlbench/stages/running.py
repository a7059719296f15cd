"""Runs submitted code in the sandbox: a program on public inputs, functions on cases."""

from __future__ import annotations

import contextlib
import hashlib
import math
from dataclasses import fields, replace
from functools import lru_cache, partial
from operator import attrgetter
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

from biomlbench.errors import NotPreparedError, TaskError
from biomlbench.outcomes import Reason, Suite
from biomlbench.runtime.once import once
from biomlbench.runtime.resources import RUNS_OF_A_PROGRAM, limits_of_functions, limits_of_program
from biomlbench.scoring.effective_task import EffectiveTask
from biomlbench.stages.outputs import PROGRAM_CASE, PROGRAM_OUTPUT, CaseOutput, case_row
from biomlbench.submission.submitted_file import read_code
from biomlbench.task.installed_data import installed_data

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from biomlbench.contracts.rows import CaseRow
    from biomlbench.sandbox import Case, CaseResult, Execution, Limits, ProgramResult
    from biomlbench.sandbox.requests import Sent
    from biomlbench.stages import Context, Pair
    from biomlbench.stages.cards import LoadedCard
    from biomlbench.task.registry import Registry, Task
    from biomlbench.verify.many_draws import Together
    from biomlbench.verify.oracle import Oracle
    from biomlbench.verify.plan import PlannedCase

    _Planned: TypeAlias = tuple[PlannedCase, int, int]
    """A case, which repeat of it, and its hash seed."""

__all__ = [
    "environment_of",
    "function_limits",
    "hidden_paths",
    "limits_of",
    "run_functions",
    "run_program",
]

# A right solution on a slow machine must not run into the limit: it gets ten times what the
# reference took here, and never less than four seconds.
REFERENCE_FACTOR = 10.0
LEAST_WALL_S = 4.0
# Nor one that returns lists or text for arrays, or prints: what is returned is kept for good.
OUTPUT_FACTOR = 16
LEAST_OUTPUT_MB = 8
_KEPT_REQUESTS = 2048
_RESOURCES = ("wall_s", "cpu_s", "peak_mb", "measured_by")


def limits_of(task: Task, context: Context, least_wall_s: float | None = None) -> Limits:
    """Return a task's sandbox limits.

    Parameters
    ----------
    task : Task
    context : Context
    least_wall_s : float, optional
        For functions: seconds that a case gets at least. Without it the limits are a program's.

    Returns
    -------
    Limits
        The sandbox's defaults, then the config's, then the task's, then the config's for this
        task; within what the scheduler granted.
    """
    from biomlbench.sandbox import Limits

    declared = EffectiveTask(task, context.overrides).limits(context.limits)
    if least_wall_s is None:
        runs = RUNS_OF_A_PROGRAM if context.reruns else 1
        values = limits_of_program(task.compute, declared, context.grant, runs)
    else:
        values = limits_of_functions(task.compute, declared, context.grant, least_wall_s)
    known = {field.name for field in fields(Limits)}
    return Limits(**{key: value for key, value in values.items() if key in known})


def run_program(pair: Pair, context: Context) -> list[CaseRow]:
    """Run a program, and again on changed inputs; return the rows of ``execute``."""
    from biomlbench import sandbox
    from biomlbench.stages.reruns import run_recorded

    task = context.task(pair.task_id)
    limits = limits_of(task, context)

    def run(inputs: Path) -> ProgramResult:
        return sandbox.run_program(
            read_code(pair.submission).encode(),
            inputs,
            output=PROGRAM_OUTPUT,
            limits=limits,
            provider=context.provider,
            seed=pair.seed or 0,
            environment=environment_of(task),
            hidden=hidden_paths(context, task),
        )

    first, again = run_recorded(task, PROGRAM_OUTPUT, run, context.reruns)
    rows = [_program_row(PROGRAM_CASE, "", first)]
    return rows + [_program_row(key, "adversarial", again[key]) for key in sorted(again)]


def _program_row(case_id: str, suite: str, result: ProgramResult) -> CaseRow:
    shown = suite == ""
    return case_row(
        case_id=case_id,
        suite=suite,
        status=result.status,
        message=result.message if shown else "",
        output=result.output,
        stdout=result.stdout if shown else None,
        stderr=result.stderr if shown else None,
        provider=result.provider,
        level=result.level,
        **{name: getattr(result, name) for name in _RESOURCES},
    )


def environment_of(task: Task) -> Path | None:
    """Return the virtual environment that a task's code runs in, or None for our own.

    Parameters
    ----------
    task : Task
        Its config may name one as ``environment``: a folder in the task's own, or in ``envs/``
        of the working directory.

    Returns
    -------
    pathlib.Path or None

    Raises
    ------
    NotPreparedError
        If there is no such environment on this machine.
    """
    name = task.config.get("environment")
    if name is None:
        return None
    for folder in (task.folder, Path("envs")):
        path = (folder / str(name)).absolute()
        if (path / "pyvenv.cfg").is_file():
            return path
    raise NotPreparedError(
        f"{task.folder / 'config.yaml'}: there is no virtual environment {name!r} in the task's "
        f"folder or in envs; make it with: python3 -m venv envs/{name}"
    )


def hidden_paths(context: Context, task: Task) -> tuple[PurePath, ...]:
    """Return what must not be seen from inside, wherever it lies.

    Parameters
    ----------
    context : Context
    task : Task
        Whose code is run.

    Returns
    -------
    tuple of pathlib.PurePath
        All tasks and their data; and the files of installed packages that any task was made
        from, relative to where packages are installed.

    Raises
    ------
    TaskError
        If it cannot be told which those of this task are.
    """
    registry = context.registry
    folders = (path.absolute() for path in (registry.get_data_dir(), *registry.tasks_dirs))
    others = once((id(registry), "installed data"), partial(_installed_data, registry))
    return (*folders, *map(PurePath, sorted({*others, *installed_data(task)})))


def _installed_data(registry: Registry) -> frozenset[str]:
    """Return what is installed of all tasks; of a broken one no code is run."""
    found: set[str] = set()
    for task_id in registry.list_task_ids():
        with contextlib.suppress(TaskError):
            found.update(installed_data(registry.get_task(task_id)))
    return frozenset(found)


def run_functions(pair: Pair, context: Context) -> list[CaseRow]:
    """Call the functions of a submission on every case; return the rows of ``execute``."""
    from biomlbench.stages.cards import load_card
    from biomlbench.stages.executed_lines import traced, unexecuted_lines
    from biomlbench.stages.screening import screened
    from biomlbench.stages.shared_processes import (
        Judged,
        apart,
        in_shared_processes,
        judged_among_others,
    )
    from biomlbench.verify.candidate import Own
    from biomlbench.verify.constants import constants_of

    task = context.task(pair.task_id)
    code = read_code(pair.submission).encode()
    card = load_card(task)
    # under any verifier: another one may decide later, and nothing is executed again for it
    own = Own(constants_of(code))
    loaded = card.with_own(own)
    repeats = EffectiveTask(task, context.overrides).repeats(context.repeats)
    # several for one candidate: what hangs on the order of a set shows under some seeds only
    *seeds, adversarial, seed_of_draws = _hash_seeds(card.oracle, code, repeats + 2)
    seeds_of = {Suite.VISIBLE: seeds[:1], Suite.HIDDEN: seeds, Suite.ADVERSARIAL: [adversarial]}
    run = partial(_execute, task, code, card, context)
    planned = {
        f"{case.id}-{repeat}": (case, repeat, seed)
        for case in loaded.plan.cases
        for repeat, seed in enumerate(seeds_of[case.suite])
    }
    # only of what many draws are asked about is it known here whether it passes
    groups = in_shared_processes(card.plan, card.oracle) if card.oracle.draws.cases else {}
    shared = {f"{case.id}-0" for group in groups.values() for case in group.steps}
    calls = [call for call in _called(planned) if call.id not in shared]
    calls += [_call(name, group.call, adversarial) for name, group in groups.items()]
    # the seed that comes first is run first: what uses up a limit on all of them loses hidden ones
    calls.sort(key=attrgetter("shown"), reverse=True)
    shown = {name for name, (case, *_) in planned.items() if case.suite == Suite.VISIBLE}
    execution = run(calls)
    stamp: dict[str, Any] = {"provider": execution.provider, "level": execution.level}
    if execution.load_status != Reason.OK:
        return [case_row(status=execution.load_status, message=execution.load_message, **stamp)]
    results = {result.id: result for result in execution.cases}
    results |= {f"{result.id}-0": result for result in apart(groups, results)}

    spent = next((result for result in results.values() if result.total), None)
    if spent is not None:
        # which cases came first was chance, and what they returned is not worth its room
        hidden = (name for name in results if name not in shown)
        results |= _lost(hidden, spent)

    def run_alone(names: Iterable[str]) -> dict[str, CaseResult]:
        called = {name: planned[name] for name in names}
        if spent is not None:
            return _lost(called, spent)
        return {result.id: result for result in run(_called(called)).cases} if called else {}

    lost = shared - results.keys()
    results |= run_alone(lost)
    shared -= lost

    def judged() -> Judged:
        outputs = {case.id: _output(results[f"{case.id}-0"]) for case in loaded.plan.cases}
        return judged_among_others(task, own, outputs, [planned[name][0].id for name in shared])

    found = judged() if card.oracle.draws.cases else Judged(passes=False)
    alone = run_alone(f"{case_id}-0" for case_id in found.doubtful)
    differ = any(_differ(results[name], result) for name, result in alone.items())
    results |= alone
    shared -= alone.keys()
    if differ:
        results |= run_alone(shared)
        shared.clear()
        found = judged()
    if found.passes:
        # in sandboxes of their own: what they cost is not taken from the cases' totals
        failed = screened(task, card, lambda groups: _together(run, groups, seed_of_draws))
        own = own._replace(draws=failed.draws, together=failed.together)
        known = {case.id for case in loaded.plan.cases}
        added = {
            f"{case.id}-0": (case, 0, seed_of_draws)
            for case in card.with_own(own).plan.cases
            if case.id not in known
        }
        if added:
            planned |= added
            results |= {result.id: result for result in run(_called(added)).cases}
        else:
            of_card = {*card.plan.calls}
            own_calls = tuple(case for case in loaded.plan.calls if case not in of_card)
            parts = (card.plan.calls, own_calls, card.oracle.draws.cases)
            stamp["unexecuted_lines"] = unexecuted_lines(
                code,
                (traced(cases, card.oracle) for cases in parts),
                partial(_traced, task, card, context, seeds[0]),
            )
    stamp["own_cases"] = own.written
    return [
        _case_row(results[name], case.id, case.suite, repeat, stamp)
        for name, (case, repeat, _) in sorted(planned.items(), key=_by_case)
    ]


def _lost(names: Iterable[str], spent: CaseResult) -> dict[str, CaseResult]:
    """Return for cases that were not run that a limit on all of them had been used up."""
    from biomlbench.sandbox import CaseResult

    return {
        name: CaseResult(name, spent.status, message=spent.message, total=spent.total)
        for name in names
    }


def _differ(one: CaseResult, other: CaseResult) -> bool:
    return (one.status, one.payload) != (other.status, other.payload)


def function_limits(task: Task, context: Context, reference: Oracle) -> Limits:
    """Return the limits of a case: a right solution on a slow machine must not run into them."""
    slowest = REFERENCE_FACTOR * max(reference.seconds.values(), default=0.0)
    limits = limits_of(task, context, max(LEAST_WALL_S, slowest))
    if limits.total_output_mb is not None:
        return limits
    repeats = EffectiveTask(task, context.overrides).repeats(context.repeats)
    ample = math.ceil(OUTPUT_FACTOR * repeats * reference.result_bytes / (1 << 20))
    least = max(LEAST_OUTPUT_MB, ample)
    return replace(limits, total_output_mb=min(limits.all_output_mb, least))


def _hash_seeds(reference: Oracle, code: bytes, count: int) -> list[int]:
    """Return so many hash seeds, the same ones in every evaluation of this code.

    Code sees its seed. What it cannot see goes into it, lest the seed tell what it is run for.
    """
    secret = reference.fingerprint.encode() + hashlib.sha256(code).digest()
    digests = (hashlib.sha256(secret + str(number).encode()) for number in range(count))
    return [int.from_bytes(digest.digest()[:4], "little") for digest in digests]


def _execute(
    task: Task, code: bytes, card: LoadedCard, context: Context, cases: list[Case]
) -> Execution:
    from biomlbench import sandbox
    from biomlbench.verify.execution import preload_for

    return sandbox.run_functions(
        code,
        cases,
        limits=function_limits(task, context, card.oracle),
        provider=context.provider,
        preload=preload_for(card.card, code),
        environment=environment_of(task),
        hidden=hidden_paths(context, task),
    )


def _traced(
    task: Task,
    card: LoadedCard,
    context: Context,
    seed: int,
    code: bytes,
    calls: Iterable[PlannedCase],
) -> dict[str, CaseResult]:
    """Execute calls of the tracer, which is part of the code."""
    execution = _execute(task, code, card, context, [_call(one.id, one, seed) for one in calls])
    return {result.id: result for result in execution.cases}


def _called(planned: Mapping[str, _Planned]) -> list[Case]:
    return [_call(name, case, seed) for name, (case, _, seed) in planned.items()]


def _together(
    run: Callable[[list[Case]], Execution], groups: Mapping[str, Together], seed: int
) -> dict[str, CaseOutput]:
    """Execute groups of calls, each in one process."""
    execution = run([_call(name, group.call, seed) for name, group in groups.items()])
    return {result.id: _output(result) for result in execution.cases}


def _output(result: CaseResult) -> CaseOutput:
    return CaseOutput(result.status, result.payload, result.message, total=result.total)


def _call(name: str, case: PlannedCase, seed: int) -> Case:
    from biomlbench.sandbox import Case

    return Case(
        name,
        case.function,
        case.args,
        case.kwargs,
        hash_seed=seed,
        shown=case.suite == Suite.VISIBLE,
        sent=_sent(case),
    )


@lru_cache(maxsize=_KEPT_REQUESTS)
def _sent(case: PlannedCase) -> Sent:
    """Encode a case once for all candidates."""
    from biomlbench.sandbox.requests import prepare

    return prepare(case)


def _by_case(item: tuple[str, _Planned]) -> tuple[str, str, int]:
    _, (case, repeat, _) = item
    return case.id, case.suite, repeat


def _case_row(
    result: CaseResult, case_id: str, suite: str, repeat: int, stamp: dict[str, Any]
) -> CaseRow:
    visible = suite == Suite.VISIBLE
    # the code may have written it, and hidden inputs into it
    is_told = visible or result.status == Reason.INPUT_MODIFIED
    return case_row(
        case_id=case_id,
        suite=suite,
        repeat=repeat,
        status=result.status,
        message=result.message if is_told else result.total,
        total=result.total or None,
        output=result.payload,
        stdout=result.stdout if visible else None,
        stderr=result.stderr if visible else None,
        **{name: getattr(result, name) for name in _RESOURCES},
        **stamp,
    )
