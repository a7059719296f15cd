"""The oracle: what the reference solution gives for every planned case.

It is computed once, by trusted code outside the sandbox, and never enters it.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from biomlbench.errors import TaskError
from biomlbench.sandbox.codec import CodecError, decode, encode, weigh
from biomlbench.verify.many_draws import NO_DRAWS, Draws, drawn, numbered
from biomlbench.whole_files import whole_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from biomlbench.verify.card import Card
    from biomlbench.verify.plan import Plan, PlannedCase

__all__ = ["Oracle", "RightResult", "answers", "compute", "load"]

_FORMAT = "biomlbench-oracle-3"
_PROMISES = ("inputs", "sizes", "product", "quantities", "edges")


class RightResult(NamedTuple):
    """The oracle's own output for a case."""

    status: str
    value: Any
    message: str = ""
    stdout: str = ""


@dataclass(frozen=True, eq=False)
class Oracle:
    """Reference outputs.

    Parameters
    ----------
    values : dict
        Case id to the reference's output, as it looks after transport.
    seconds : dict
        Case id to the reference's own seconds.
    fingerprint : str
        Of the plan and the reference that it was computed from.
    draws : Draws
        Calls among which a candidate's own cases are looked for; none where nothing is executed
        for them.
    """

    values: dict[str, Any]
    seconds: dict[str, float]
    fingerprint: str
    draws: Draws = NO_DRAWS

    @property
    def total_seconds(self) -> float:
        """The reference's seconds over all cases."""
        return sum(self.seconds.values())

    @cached_property
    def result_bytes(self) -> int:
        """About what the results take in memory: those of all cases, or of all draws if more."""
        of_cases, of_draws = (
            sum(weigh(encode(value)) for value in values)
            for values in (self.values.values(), self.draws.values)
        )
        return max(of_cases, of_draws)

    def results(self) -> dict[str, RightResult]:
        """Return the values as results of a candidate that gives what the reference gives."""
        return {case_id: RightResult("ok", value) for case_id, value in self.values.items()}

    def save(self, path: str | Path) -> None:
        """Write the oracle to a file, all or nothing.

        Each value and each call is encoded by itself, as the codec bounds what one may take.
        """
        ids = sorted(self.values)
        payload = {
            "format": _FORMAT,
            "fingerprint": self.fingerprint,
            "ids": ids,
            "values": [encode(self.values[case_id], layouts=True) for case_id in ids],
            "seconds": [float(self.seconds[case_id]) for case_id in ids],
            "draws": [
                encode(
                    [str(case.suite), case.function, list(case.args), case.kwargs, value],
                    layouts=True,
                )
                for case, value in zip(*self.draws, strict=True)
            ],
        }
        with whole_file(path) as temporary:
            temporary.write_bytes(encode(payload))

    def belongs_to(self, card: Card, plan: Plan) -> bool:
        """Tell whether the oracle was computed from this plan and this reference."""
        return self.fingerprint == _fingerprint(card, plan)


def _fingerprint(card: Card, plan: Plan) -> str:
    source = (card.folder / "reference.py").read_bytes()
    # what calls are promised, and so which were drawn, stands in no plan
    promised = repr([card.config.get(key) for key in _PROMISES]).encode()
    return hashlib.sha256(plan.fingerprint.encode() + promised + source).hexdigest()


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Keep BLAS to one thread, as in the sandbox: sums then run in the same order everywhere."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        yield
        return
    with threadpool_limits(1):
        yield


def compute(
    card: Card,
    plan: Plan | None = None,
    *,
    clock: Callable[[], float] = time.perf_counter,
    draws: bool = False,
) -> Oracle:
    """Run the reference solution on every planned case, in this process.

    Parameters
    ----------
    card : Card
    plan : Plan, optional
        By default the card's own.
    clock : callable
        Gives seconds; for the reference's time.
    draws : bool
        Whether calls are drawn beside the plan, which takes seconds.

    Returns
    -------
    Oracle

    Raises
    ------
    TaskError
        If the reference raises, or returns what cannot be transported.
    """
    plan = plan or card.plan()
    calls = [case for case in plan.calls if case.id not in plan.same_as]
    values, seconds = answers(card, calls, clock)
    for case_id, base in plan.same_as.items():
        values[case_id], seconds[case_id] = values[base], seconds[base]
    for case_id, steps in plan.sequences.items():
        values[case_id] = [[encode(values[step]) for step in steps], [None] * len(steps)]
        seconds[case_id] = sum(seconds[step] for step in steps)
    cases = tuple(drawn(card)) if draws else ()
    of_draws, _ = answers(card, cases)
    found = Draws(cases, tuple(of_draws[case.id] for case in cases))
    return Oracle(values, seconds, _fingerprint(card, plan), found)


def answers(
    card: Card, cases: Iterable[PlannedCase], clock: Callable[[], float] = time.perf_counter
) -> tuple[dict[str, Any], dict[str, float]]:
    """Run the reference; return what it gives and its seconds, by case.

    Parameters
    ----------
    card : Card
    cases : iterable of PlannedCase
    clock : callable
        Gives seconds.

    Raises
    ------
    TaskError
        As for :func:`compute`.
    """
    values, seconds = {}, {}
    with _one_thread(), np.errstate(all="ignore"):
        for case in cases:
            function = card.reference[case.function]
            args, kwargs = copy.deepcopy((case.args, case.kwargs))
            start = clock()
            try:
                value = function(*args, **kwargs)
                seconds[case.id] = clock() - start
                values[case.id] = decode(encode(value))
            except CodecError as error:
                raise TaskError(
                    f"{card.folder / 'reference.py'}: the result for case `{case.name}` is not "
                    f"plain data: {error}"
                ) from error
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise TaskError(
                    f"{card.folder / 'reference.py'}: case `{case.name}` raised "
                    f"{type(error).__name__}: {error}"
                ) from error
    return values, seconds


def load(path: str | Path) -> Oracle:
    """Read an oracle from a file.

    Raises
    ------
    TaskError
        If the file is missing, damaged, or no oracle.
    """
    path = Path(path)
    try:
        payload = decode(path.read_bytes())
        if not isinstance(payload, dict) or payload.get("format") != _FORMAT:
            raise TaskError(
                f"{path}: not an oracle of this version; prepare the task again", "not_prepared"
            )
        values, draws = (
            [decode(one, layouts=True) for one in payload[name]] for name in ("values", "draws")
        )
    except OSError as error:
        raise TaskError(
            f"{path}: {error.strerror}; prepare the task first", "not_prepared"
        ) from error
    except CodecError as error:
        raise TaskError(
            f"{path}: not an oracle ({error}); prepare the task again", "not_prepared"
        ) from error
    return Oracle(
        dict(zip(payload["ids"], values, strict=True)),
        dict(zip(payload["ids"], (float(s) for s in payload["seconds"]), strict=True)),
        payload["fingerprint"],
        _draws(draws),
    )


def _draws(rows: list[list[Any]]) -> Draws:
    """Return what :meth:`Oracle.save` has written."""
    cases = tuple(numbered(number, *call) for number, (*call, _) in enumerate(rows))
    return Draws(cases, tuple(row[-1] for row in rows))
