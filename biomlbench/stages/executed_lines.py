"""Which lines of a passing candidate none of its cases has executed: its faults may be there.

They are told to whoever reviews it, and decide nothing. The code runs once more for it with lines
of ours behind its own, which it may forge as it likes: nothing but this list is taken from there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biomlbench.outcomes import Reason
from biomlbench.sandbox.codec import CodecError
from biomlbench.verify.edges import key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from biomlbench.sandbox import Case, CaseResult
    from biomlbench.verify.oracle import Oracle
    from biomlbench.verify.plan import PlannedCase

__all__ = ["TRACER", "unexecuted_lines"]

TOGETHER = 100
"""Calls that share a process."""
MOST_REFERENCE_S = 0.05
"""What the reference takes for them together: code of many steps is ten times as slow traced."""
MOST_BYTES = 1_000_000
"""Of calls that share a process; a larger one is not traced."""
TRACING = "biomlbench_unexecuted_lines"
TRACER = f'''

def {TRACING}(*calls):
    import linecache, sys
    left, found = {{}}, [compile("".join(linecache.getlines(__file__)), __file__, "exec")]
    for code in found:
        found += [one for one in code.co_consts if type(one) is type(code)]
        if code.co_flags & 1 and code.co_name != "{TRACING}":  # of a function, not of a class
            lines = {{line for _, _, line in code.co_lines() if line}} - {{code.co_firstlineno}}
            left.setdefault((code.co_name, code.co_firstlineno), set()).update(lines)

    def trace(frame, event, argument):
        code = frame.f_code
        rest = left.get((code.co_name, code.co_firstlineno))
        if not rest or code.co_filename != __file__:
            return None
        if event == "line":
            rest.discard(frame.f_lineno)
        return trace

    for name, args, kwargs in calls:
        sys.settrace(trace)
        try:
            globals()[name](*args, **kwargs)
        except Exception:
            pass
        finally:
            sys.settrace(None)
    return sorted(set().union(*left.values()))
'''.encode()
"""What is written behind a candidate's code."""


def unexecuted_lines(
    code: bytes,
    oracle: Oracle,
    parts: Iterable[Sequence[PlannedCase]],
    run: Callable[[bytes, list[Case]], Mapping[str, CaseResult]],
) -> list[int] | None:
    """Find the lines within functions that no call executes.

    Parameters
    ----------
    code : bytes
        Of the candidate.
    oracle : Oracle
        Says how long the reference takes for a case.
    parts : iterable of sequence of PlannedCase
        Calls; those of a later part are made only where all before leave lines.
    run : callable
        Executes calls with some code.

    Returns
    -------
    list of int or None
        Numbers of lines, from 1; None where it is not known.
    """
    from biomlbench.sandbox import Case

    left: set[int] | None = None
    for cases in parts:
        if left is not None and not left:
            break
        called = [
            Case(f"traced-{number}", TRACING, tuple(group), {}, hash_seed=0)
            for number, group in enumerate(_groups(cases, oracle))
        ]
        for result in run(code + TRACER, called).values():
            lines = _lines(result)
            if lines is None:
                return None
            left = lines if left is None else left & lines
    within = code.count(b"\n") + 1
    return None if left is None else sorted(line for line in left if line <= within)


def _groups(cases: Iterable[PlannedCase], oracle: Oracle) -> Iterator[list[Any]]:
    group: list[Any] = []
    filled = 0.0
    for case in cases:
        size = len(key_of(case)) / MOST_BYTES
        # a draw has no time of its own
        slow = oracle.seconds.get(case.id, 0.0) / MOST_REFERENCE_S
        share = max(size, slow, 1 / TOGETHER)
        if size > 1:
            continue
        if group and filled + share > 1:
            yield group
            group, filled = [], 0.0
        group.append((case.function, tuple(case.args), dict(case.kwargs)))
        filled += share
    if group:
        yield group


def _lines(result: CaseResult) -> set[int] | None:
    """Return what the sandbox sent, which may be anything, if it is numbers of lines."""
    from biomlbench.sandbox.codec import decode

    if result.status not in (Reason.OK, Reason.INPUT_MODIFIED) or result.payload is None:
        return None
    try:
        value = decode(result.payload)
    except CodecError:
        return None
    if type(value) is not list or not all(type(one) is int and 0 < one < 2**31 for one in value):
        return None
    return set(value)
