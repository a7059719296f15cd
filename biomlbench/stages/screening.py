"""Which of a card's many draws a candidate fails, beside others in one process.

Nothing is decided here: what is found is executed again as cases of the candidate's own, and they
are judged as all cases are. So results of draws are in no table.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.outcomes import Reason
from biomlbench.sandbox.codec import CodecError, decode, encode
from biomlbench.sandbox.inside.calls import WATCHED
from biomlbench.stages.bounded_judging import judge_bounded
from biomlbench.verify.edges import key_of
from biomlbench.verify.many_draws import in_few_processes
from biomlbench.verify.on_cases import OnCases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from biomlbench.stages.cards import LoadedCard
    from biomlbench.stages.outputs import CaseOutput
    from biomlbench.task.registry import Task
    from biomlbench.verify.many_draws import Together
    from biomlbench.verify.oracle import Oracle

__all__ = ["MOST", "Screened", "screened"]

MOST = 12
"""Draws that become cases of their own, the smallest ones."""
LOST = 2
"""Processes without a result whose calls are looked at."""
SMALLER = (10, 1)
"""Calls that share a process where one with more of them gave no result."""
_KEPT = 64


class Screened(NamedTuple):
    """What a candidate failed; nothing of both where it failed nothing.

    Parameters
    ----------
    draws : tuple of int
        Numbers of a few draws that it fails when they are called alone, the smallest first.
    together : tuple of int
        Where it fails none so: numbers of the draws that are called in one process up to the first
        that it fails there.
    """

    draws: tuple[int, ...] = ()
    together: tuple[int, ...] = ()


@lru_cache(maxsize=_KEPT)
def _groups(oracle: Oracle) -> dict[str, Together]:
    """Return the draws of a card in processes that they share, by name."""
    return in_few_processes(oracle.draws.cases)


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
    groups = _groups(loaded.oracle)
    failed, lost = _judged(task, groups, run(groups), number_of)
    for together in SMALLER if lost else ():
        cases = [case for name in lost[:LOST] for case in groups[name].steps]
        groups = in_few_processes(cases, together)
        more, lost = _judged(task, groups, run(groups), number_of)
        failed |= more
    # each of those has been called alone
    failed |= {number_of[case.id] for name in lost for case in groups[name].steps}
    if not failed:
        return Screened()
    smallest = sorted(failed, key=lambda number: (len(key_of(draws[number])), number))[:MOST]
    singles = in_few_processes([draws[number] for number in smallest], 1)
    alone, lost = _judged(task, singles, run(singles), number_of)
    alone |= {number_of[case.id] for name in lost for case in singles[name].steps}
    if alone:
        return Screened(draws=tuple(number for number in smallest if number in alone))
    first = min(failed)
    steps = (group.steps for group in _groups(loaded.oracle).values())
    before = next([number_of[case.id] for case in one] for one in steps if draws[first] in one)
    return Screened(together=tuple(before[: before.index(first) + 1]))


def _judged(
    task: Task,
    groups: Mapping[str, Together],
    outputs: Mapping[str, CaseOutput],
    number_of: Mapping[str, int],
) -> tuple[set[int], list[str]]:
    """Return the numbers of failed draws, and the groups that gave no result."""
    asked = {name: [number_of[case.id] for case in group.steps] for name, group in groups.items()}
    # whose argument was changed, or returned, a process of several calls does not say
    lost = [name for name in asked if name not in outputs or outputs[name].status != Reason.OK]
    known = {name: outputs[name] for name in asked if name not in lost}
    found = judge_bounded(task, f"{__name__}:failed_among", known, asked) if known else []
    return set(found), lost


def failed_among(
    loaded: LoadedCard, outputs: Mapping[str, Any], asked: Mapping[str, Iterable[int]]
) -> list[int]:
    """Return the numbers of the draws whose results are wrong, in a process with limits."""
    on_cases, (cases, values) = OnCases(loaded.card), loaded.oracle.draws
    failed: list[int] = []
    for name, output in outputs.items():
        numbers = list(asked[name])
        try:
            results, changed = output.value()
            # whichever of the next calls changed a result, those up to the last of them show it
            failed += [
                numbers[min(place + WATCHED, len(numbers) - 1)]
                for place, later in enumerate(changed)
                if later is not None
            ]
            for number, result in zip(numbers, results, strict=True):
                if result != encode(values[number]) and not on_cases.passes(
                    cases[number], values[number], Reason.OK, decode(result)
                ):
                    failed.append(number)
        except (CodecError, TypeError, ValueError):
            # what has no end of its own to be judged is left to the candidate's other cases
            continue
    return failed
