"""The reference with side effects: right values, and wrong for every card all the same.

What they do, no author has to write down: a card gets the ones that its arguments and results
leave room for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomlbench.verify.shared_memory import overlapping

if TYPE_CHECKING:
    from pathlib import Path

    from biomlbench.verify.card import Card
    from biomlbench.verify.oracle import Oracle
    from biomlbench.verify.plan import Plan

__all__ = ["NAMES", "fitting", "source", "write"]

_CHANGES_ARGUMENTS = """
def _impure(function):
    def call(*args, **kwargs):
        result = _copy.deepcopy(function(*args, **kwargs))
        for value in (*args, *kwargs.values()):
            if isinstance(value, list):
                value.append(0)
            elif isinstance(value, _np.ndarray) and value.size and value.flags.writeable:
                value.fill(value.flat[-1])
        return result
    return call
"""
_REMEMBERS = """
def _impure(function):
    known = {}
    def call(*args, **kwargs):
        key = tuple(map(_key, (*args, *kwargs.values())))
        if key not in known:
            known[key] = function(*args, **kwargs)
        return known[key]
    return call

def _key(value):
    if isinstance(value, _np.ndarray):
        return value.shape
    if isinstance(value, (str, list)):
        return len(value), repr(value[:3]), repr(value[-3:])
    return value
"""
_KEEPS_FIRST = """
def _impure(function):
    first = []
    def call(*args, **kwargs):
        first.append((args, kwargs))
        return function(*first[0][0], **first[0][1])
    return call
"""
_RETURNS_BUFFER = """
def _impure(function):
    buffers = {}
    def call(*args, **kwargs):
        result = function(*args, **kwargs)
        if isinstance(result, dict):
            kept = buffers.setdefault("dict", {})
            kept.clear()
            kept.update(result)
            return kept
        if not isinstance(result, _np.ndarray):
            return result
        kept = buffers.setdefault((result.shape, result.dtype.str), result)
        kept[...] = result
        return kept
    return call
"""
_READS_MEMORY = """
def _impure(function):
    def call(*args, **kwargs):
        return function(*map(_read, args), **{k: _read(v) for k, v in kwargs.items()})
    return call

def _read(value):
    if not isinstance(value, _np.ndarray):
        return value
    return _np.frombuffer(value.tobytes("A"), value.dtype).reshape(value.shape).copy()
"""
_TAKES_FOR_ONE = """
def _impure(function):
    def call(*args, **kwargs):
        seen = []
        def first_of(value):
            for other in seen:
                if other.shape == value.shape and _np.may_share_memory(other, value):
                    return other
            seen.append(value)
            return value
        def read(value):
            return first_of(value) if isinstance(value, _np.ndarray) else value
        return function(*map(read, args), **{k: read(v) for k, v in kwargs.items()})
    return call
"""
_BODIES = {
    "changes-arguments": _CHANGES_ARGUMENTS,
    "remembers-by-size": _REMEMBERS,
    "keeps-first-call": _KEEPS_FIRST,
    "returns-one-buffer": _RETURNS_BUFFER,
    "reads-memory-order": _READS_MEMORY,
    "takes-one-memory-for-one-array": _TAKES_FOR_ONE,
}
NAMES = tuple(_BODIES)


def fitting(plan: Plan, oracle: Oracle) -> tuple[str, ...]:
    """Return which of :data:`NAMES` a card's arguments and results leave room for.

    Parameters
    ----------
    plan : Plan
    oracle : Oracle

    Returns
    -------
    tuple of str
    """
    inputs = [value for case in plan.calls for value in plan.inputs[case.id].values()]
    arrays = [value for value in inputs if isinstance(value, np.ndarray)]
    results = [oracle.values[case.id] for case in plan.calls]
    room = {
        "changes-arguments": bool(arrays) or any(isinstance(v, list) for v in inputs),
        "remembers-by-size": any(isinstance(v, (np.ndarray, str)) for v in inputs),
        "keeps-first-call": True,
        "returns-one-buffer": any(isinstance(value, (np.ndarray, dict)) for value in results),
        "reads-memory-order": any(_has_order(array) for array in arrays),
        "takes-one-memory-for-one-array": any(
            any(overlapping(plan.inputs[case.id]).values()) for case in plan.calls
        ),
    }
    return tuple(name for name in NAMES if room[name])


def _has_order(array: np.ndarray) -> bool:
    axes = sum(size > 1 for size in array.shape)
    return axes > 1 and array.size > 0 and bool((array != array.flat[0]).any())


def source(name: str, card: Card) -> str:
    """Return the Python source of the reference with a side effect.

    Raises
    ------
    KeyError
        If there is no such side effect.
    """
    reference = (card.folder / "reference.py").read_text(encoding="utf-8")
    wrapped = "\n".join(f"{function} = _impure({function})" for function in card.entry_points)
    head = "import copy as _copy\n\nimport numpy as _np\n"
    return f"{reference}\n{head}{_BODIES[name]}\n{wrapped}\n"


def write(folder: Path, card: Card, plan: Plan, oracle: Oracle) -> dict[str, Path]:
    """Write what fits a card into a folder, and return the files by name."""
    found = {}
    for name in fitting(plan, oracle):
        path = folder / f"{name.replace('-', '_')}.py"
        path.write_text(source(name, card), encoding="utf-8")
        found[name] = path
    return found
