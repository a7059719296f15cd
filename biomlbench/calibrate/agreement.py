"""Does a mutant ever differ from the reference? Run as a process: it may have to be ended."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import signal
import sys
import time
import warnings
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from biomlbench.contracts.mappings import Arguments
from biomlbench.sandbox.codec import CodecError, decode, encode
from biomlbench.sandbox.inside.calls import digests, overwrite
from biomlbench.verify import card as cards
from biomlbench.verify import space as spaces
from biomlbench.verify.alternates import with_layout
from biomlbench.verify.compare import Tolerance, difference
from biomlbench.verify.library import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from biomlbench.verify.card import Card

__all__ = ["AGREES", "Form", "compare", "forms", "generated"]

AGREES = Tolerance(atol=1e-12, rtol=1e-9, scale_rtol=1e-9)
"""A smaller difference is one of rounding: no verifier with sense would tell the two apart."""
_MEMORY = 4 << 30
_LEAST_S, _FACTOR = 0.5, 30.0
"""A call may take this long, or so many times the reference's slowest call."""
_PATIENCE = 40
"""Inputs to be tried on a mutant that has only raised so far."""
_JITTER = 0.05
_AGAIN = 50
"""Inputs that are tried once more after all others."""
_LAID_OUT = 4
"""Of so many drawn inputs one has its arrays lying otherwise in memory."""

Call = tuple[str, tuple[Any, ...], Arguments]


def generated(card: Card, count: int) -> Iterator[Call]:
    """Yield calls: the card's own cases, then draws from its input spaces.

    Parameters
    ----------
    card : Card
    count : int
        All in all. A card without spaces gets its cases with all floating-point numbers
        changed by up to five percent.
    """
    planned = [(case.function, case.args, case.kwargs) for case in card.plan().calls]
    yield from planned[:count]
    declared = card.spaces
    for number in range(count - len(planned)):
        rng = np.random.default_rng([_seed(card.name), number])
        if not declared:
            function, args, kwargs = planned[number % len(planned)]
            yield function, *_jittered((args, kwargs), rng)
            continue
        space = declared[number % len(declared)]
        function = card.function_of(space)
        inputs = spaces.draw(space, spaces.Source(rng), card.build_of(space))
        args, kwargs = card.unbind(function, inputs)
        if card.layouts and number % _LAID_OUT == 0:
            layout = card.layouts[number // _LAID_OUT % len(card.layouts)]
            args, kwargs = with_layout(args, layout), with_layout(kwargs, layout)
        yield function, args, kwargs


def _seed(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def _jittered(value: Any, rng: np.random.Generator) -> Any:
    if isinstance(value, dict):
        return {key: _jittered(item, rng) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_jittered(item, rng) for item in value)
    if isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f"):
        factor: Any = 1 + _JITTER * rng.uniform(-1, 1, np.shape(value))
        if isinstance(value, float):
            return value * float(factor)
        return value * (float(factor) if value.ndim == 0 else factor.astype(value.dtype))
    return value


class _Overdue(Exception):  # noqa: N818
    pass


def _overdue(*_: Any) -> None:
    raise _Overdue


class _Result(NamedTuple):
    """What a call returned: as it was then, and the object, which a later call may change."""

    value: Any
    held: Any
    encoded: bytes
    kept_arguments: bool


def _call(function: Any, args: Any, kwargs: Any) -> _Result:
    given, given_by_name = decode(encode((args, kwargs), layouts=True), layouts=True)
    before = digests(given, given_by_name)
    with np.errstate(all="ignore"):
        held = function(*given, **given_by_name)
        encoded = encode(held)
    return _Result(decode(encoded), held, encoded, digests(given, given_by_name) == before)


class Form(NamedTuple):
    """What of a function's output counts: its canonical form, and whether items have an order."""

    canonical: Callable[[Any], Any]
    unordered: bool = False

    def equal(self, got: Any, want: Any) -> bool:
        """Tell whether two outputs are the same but for rounding."""
        try:
            got = self.canonical(got)
        except KeyboardInterrupt:
            raise
        except BaseException:
            # of a shape that has no canonical form
            return False
        want = self.canonical(want)
        return difference(got, want, AGREES, unordered=self.unordered).kind == "none"


def forms(card: Card) -> dict[str, Form]:
    """Return what of each entry point's output counts, going by the checks against the oracle.

    Where the task leaves a sign or an order free, its checks say so, and a mutant that differs
    in nothing else is no wrong work.
    """
    found = {}
    for function in card.entry_points:
        oracle = [
            check
            for check in card.checks
            if check.decides and check.against_oracle and check.function in (None, function)
        ]
        named = next((check for check in oracle if "canonical" in check.options), None)
        found[function] = Form(
            canonical(named, card.library) if named else _as_it_is,
            bool(oracle) and all(check.options.get("unordered") for check in oracle),
        )
    return found


def _as_it_is(value: Any) -> Any:
    return value


def compare(
    source: str, expected: list[tuple[Call, Any]], limit_s: float, counts: Mapping[str, Form]
) -> tuple[str, int]:
    """Compare a mutant with the reference, call by call, up to the first difference.

    Parameters
    ----------
    source : str
    expected : list
        Calls, each with what the reference returned.
    limit_s : float
        For one call.
    counts : mapping
        Function to what of its output counts.

    Returns
    -------
    status : str
        One of :data:`biomlbench.calibrate.mutants.STATUSES`.
    count : int
        Calls made.
    """
    module = ModuleType("mutant")
    raised = 0
    earlier: _Result | None = None
    signal.signal(signal.SIGALRM, _overdue)
    # once more at the end: what was kept of a call may have been changed by its caller since
    for number, ((function, args, kwargs), want) in enumerate([*expected, *expected[:_AGAIN]]):
        count = min(number + 1, len(expected))
        signal.setitimer(signal.ITIMER_REAL, limit_s)
        try:
            if number == 0:
                exec(compile(source, "mutant", "exec"), module.__dict__)  # noqa: S102
            got = _call(getattr(module, function), args, kwargs)
        except _Overdue:
            return "hangs", count
        except KeyboardInterrupt:
            raise
        except BaseException:
            if number >= len(expected):
                return "live", count
            raised += 1
            if raised > _PATIENCE:
                return "no_result", count
            continue
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if raised or not got.kept_arguments or not counts[function].equal(got.value, want):
            return "live", count
        if earlier is not None:
            if encode(earlier.held) != earlier.encoded:
                return "live", count
            overwrite(earlier.held)
        earlier = got
    return ("no_result" if raised == len(expected) else "live" if raised else "equivalent"), len(
        expected
    )


def _in_child(*question: Any, limit_s: float) -> tuple[str, int]:
    """Compare in a forked process, whose end it is when a mutant breaks a limit."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        answer = ("hangs", 0)
        try:
            os.close(reader)
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
            # the alarm interrupts Python code; this ends a mutant that is stuck in compiled code
            cpu = int(120 + limit_s * 2)
            resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
            answer = compare(*question)
        finally:
            os.write(writer, json.dumps(answer).encode())
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    if not said:
        return "hangs", 0
    kind, number = json.loads(said)
    return kind, number


def main(question: str, answer: str) -> None:
    """Read a job, try its mutants in turn, and write their statuses.

    Parameters
    ----------
    question, answer : str
        Paths of JSON files.
    """
    job = json.loads(Path(question).read_text(encoding="utf-8"))
    card = cards.load(job["folder"])
    expected, slowest = [], 0.0
    warnings.simplefilter("ignore")
    for function, args, kwargs in generated(card, job["inputs"]):
        start = time.perf_counter()
        try:
            value = _call(card.reference[function], args, kwargs).value
        except (CodecError, ArithmeticError, ValueError, LookupError, TypeError):
            # not in the reference's domain, so nothing can be learnt from it
            continue
        slowest = max(slowest, time.perf_counter() - start)
        expected.append(((function, args, kwargs), value))
    limit_s = max(_LEAST_S, _FACTOR * slowest)
    counts = forms(card)
    answers: list[list[tuple[str, int]]] = []
    for group in job["groups"]:
        found: list[tuple[str, int]] = []
        live = 0
        for source in group["sources"]:
            if live >= group["wanted"]:
                break
            found.append(_in_child(source, expected, limit_s, counts, limit_s=limit_s))
            live += found[-1][0] == "live"
        answers.append(found)
    Path(answer).write_text(json.dumps(answers), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
