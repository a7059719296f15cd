"""Which of a card's many draws a candidate fails, beside others in one process.

Nothing is decided here: what is found is executed again as cases of the candidate's own, and they
are judged as all cases are. So results of draws are in no table.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.outcomes import Fault, Reason, fault_of
from biomlbench.sandbox.codec import CodecError, decode, encode
from biomlbench.stages.bounded_judging import judge_bounded
from biomlbench.verify.edges import key_of
from biomlbench.verify.many_draws import Together, in_few_processes, in_one_process, long_row
from biomlbench.verify.on_cases import OnCases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from biomlbench.stages.cards import LoadedCard
    from biomlbench.stages.outputs import CaseOutput
    from biomlbench.task.registry import Task
    from biomlbench.verify.oracle import Oracle

__all__ = ["MOST", "Screened", "screened"]

MOST = 12
"""Draws that become cases of their own, the smallest ones."""
LOST = 2
"""Processes without a result whose calls are looked at."""
SMALLER = (10, 1)
"""Calls that share a process where one with more of them gave no result."""
LONG = "many-draws"
"""Name of the process of many more calls than the others."""
LIMITS = frozenset(
    {Reason.TIME_LIMIT, Reason.MEMORY_LIMIT, Reason.OUTPUT_LIMIT, Reason.PROCESS_LIMIT}
)
"""What a right candidate may run into that is asked for very much at once."""
_KEPT = 64


class Screened(NamedTuple):
    """What a candidate failed; nothing of both where it failed nothing.

    Parameters
    ----------
    draws : tuple of int
        Numbers of a few draws that it fails when they are called alone, the smallest first.
    together : tuple of int
        Where it fails none so: numbers of the draws that are called in one process up to the first
        that it fails there, or all of them where a result of one changes later.
    """

    draws: tuple[int, ...] = ()
    together: tuple[int, ...] = ()


@lru_cache(maxsize=_KEPT)
def _groups(oracle: Oracle) -> dict[str, Together]:
    """Return the draws of a card in processes that they share, by name; many of them in one."""
    groups = in_few_processes(oracle.draws.cases)
    if steps := long_row(oracle.draws, oracle.seconds.values()):
        groups[LONG] = Together(in_one_process(LONG, steps), steps)
    return groups


def screened(
    task: Task,
    loaded: LoadedCard,
    run: Callable[[dict[str, Together]], Mapping[str, CaseOutput]],
) -> Screened:
    """Find the draws that a candidate fails.

    Parameters
    ----------
    task : Task
    loaded : LoadedCard
    run : callable
        Executes calls that share processes.

    Returns
    -------
    Screened
    """
    draws = loaded.oracle.draws.cases
    number_of = {case.id: number for number, case in enumerate(draws)}

    def judged(groups: dict[str, Together]) -> tuple[list[list[int]], list[list[int]]]:
        """Return the calls of each process up to one that fails, and all of those without result.

        Whose argument was changed, or returned, a process of several calls does not say.
        """
        outputs = run(groups)
        asked = {name: [number_of[step.id] for step in one.steps] for name, one in groups.items()}
        known = {n: outputs[n] for n in asked if n in outputs and outputs[n].status == Reason.OK}
        found = judge_bounded(task, f"{__name__}:failed_among", known, asked) if known else []
        failed = [asked[name][:count] for name, count in found]
        lost = {name: asked[name] for name in asked if name not in known}
        if (long := lost.pop(LONG, None)) and LONG in outputs:
            status = outputs[LONG].status
            if status not in LIMITS and fault_of(status) is Fault.SUBMISSION:
                failed.append(long)
        return failed, [*lost.values()]

    found, lost = judged(_groups(loaded.oracle))
    for together in SMALLER if lost else ():
        cases = [draws[number] for numbers in lost[:LOST] for number in numbers]
        more, lost = judged(in_few_processes(cases, together))
        found += more
    found += lost  # each of them a call by itself
    if not found:
        return Screened()
    failed = {numbers[-1] for numbers in found}
    smallest = sorted(failed, key=lambda number: (len(key_of(draws[number])), number))[:MOST]
    wrong, lost = judged(in_few_processes([draws[number] for number in smallest], 1))
    if alone := {numbers[-1] for numbers in (*wrong, *lost)}:
        return Screened(draws=tuple(number for number in smallest if number in alone))
    shortest = min(found, key=len)
    return Screened(together=tuple(shortest))


def failed_among(
    loaded: LoadedCard, outputs: Mapping[str, Any], asked: Mapping[str, Iterable[int]]
) -> list[tuple[str, int]]:
    """Return how many calls of a process show a failure, in a process with limits.

    Parameters
    ----------
    loaded : LoadedCard
    outputs : mapping
        Name of a process to what it gave.
    asked : mapping
        To the numbers of its draws.

    Returns
    -------
    list of (str, int)
        Up to each wrong result; all calls where a result changes later.
    """
    on_cases, (cases, values) = OnCases(loaded.card), loaded.oracle.draws
    failed: list[tuple[str, int]] = []
    for name, output in outputs.items():
        numbers = list(asked[name])
        try:
            results, changed = output.value()
            if any(later is not None for later in changed):
                failed.append((name, len(numbers)))
            for count, (number, result) in enumerate(zip(numbers, results, strict=True), 1):
                if result != encode(values[number]) and not on_cases.passes(
                    cases[number], values[number], Reason.OK, decode(result)
                ):
                    failed.append((name, count))
        except (CodecError, TypeError, ValueError):
            # what has no end of its own to be judged is left to the candidate's other cases
            continue
    return failed
