"""Which lines of a passing candidate none of its cases has executed: its faults may be there.

They are told to whoever reviews it, and decide nothing. The code runs once more for it with lines
of ours behind its own, which note what statements are executed. It may forge that as it likes:
nothing but this list is taken from there.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from biomlbench.outcomes import Reason, Suite
from biomlbench.sandbox.codec import CodecError
from biomlbench.verify.edges import key_of
from biomlbench.verify.many_draws import packed
from biomlbench.verify.plan import PlannedCase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from biomlbench.sandbox import CaseResult
    from biomlbench.verify.oracle import Oracle

__all__ = ["TRACER", "traced", "unexecuted_lines"]

TOGETHER = 100
"""Calls that share a process."""
MOST_REFERENCE_S = 0.2
"""What the reference takes for them together; noting the statements may double that."""
_KEPT = 64
MOST_BYTES = 1_000_000
"""Of calls that share a process; a larger one is not traced."""
TRACING = "biomlbench_unexecuted_lines"
TRACER = f'''

def {TRACING}(*calls):
    import ast, linecache
    tree = ast.parse("".join(linecache.getlines(__file__)), __file__)
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    blocks = {{}}
    for function in ast.walk(tree):
        if not isinstance(function, functions) or function.name == "{TRACING}":
            continue
        for node in ast.walk(function):
            for name in ("body", "orelse", "finalbody"):
                if isinstance(block := getattr(node, name, None), list):
                    blocks[id(block)] = block
    left = {{}}
    for block in blocks.values():
        marked = []
        for one in block:
            is_constant = isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
            if not is_constant and not isinstance(one, (ast.Global, ast.Nonlocal)):
                left[one.lineno] = True
                (mark,) = ast.parse(f"{TRACING}_left[{{one.lineno}}] = False").body
                marked.append(ast.increment_lineno(mark, one.lineno - 1))
            marked.append(one)
        block[:] = marked
    # this very function stays, and what it holds is not noted
    globals()["{TRACING}_left"] = left
    exec(compile(tree, __file__, "exec"), globals())
    for name, args, kwargs in calls:
        try:
            globals()[name](*args, **kwargs)
        except Exception:
            pass
    return sorted(line for line, is_left in left.items() if is_left)
'''.encode()
"""What is written behind a candidate's code."""


@lru_cache(maxsize=_KEPT)
def traced(cases: tuple[PlannedCase, ...], oracle: Oracle) -> tuple[PlannedCase, ...]:
    """Return calls of the tracer with cases in processes that they share, once for all candidates.

    Parameters
    ----------
    cases : tuple of PlannedCase
    oracle : Oracle
        Says how long the reference takes for a case; it takes no time for a draw.
    """
    sizes = {case: len(key_of(case)) / MOST_BYTES for case in cases}
    shares = {
        case: max(size, oracle.seconds.get(case.id, 0.0) / MOST_REFERENCE_S, 1 / TOGETHER)
        for case, size in sizes.items()
        if size <= 1
    }
    named = {
        f"traced-{number}": tuple(
            (case.function, tuple(case.args), dict(case.kwargs)) for case in group
        )
        for number, group in enumerate(packed(shares))
    }
    return tuple(
        PlannedCase(name, Suite.ADVERSARIAL, TRACING, group, {}, name)
        for name, group in named.items()
    )


def unexecuted_lines(
    code: bytes,
    parts: Iterable[tuple[PlannedCase, ...]],
    run: Callable[[bytes, tuple[PlannedCase, ...]], Mapping[str, CaseResult]],
) -> list[int] | None:
    """Find the lines within functions on which statements begin that no call executes.

    Parameters
    ----------
    code : bytes
        Of the candidate.
    parts : iterable of tuple of PlannedCase
        Calls of :func:`traced`; those of a later part are made only where all before leave lines.
    run : callable
        Executes calls with some code.

    Returns
    -------
    list of int or None
        Numbers of lines, from 1; None where it is not known.
    """
    left: set[int] | None = None
    for calls in parts:
        if not calls or (left is not None and not left):
            continue
        for result in run(code + TRACER, calls).values():
            lines = _lines(result)
            if lines is None:
                return None
            left = lines if left is None else left & lines
    within = code.count(b"\n") + 1
    return None if left is None else sorted(line for line in left if line <= within)


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
