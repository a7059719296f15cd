"""Candidates that are wrong for every card: they do nothing, guess, echo or cheat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from biomlbench.verify.card import Card
    from biomlbench.verify.oracle import Oracle
    from biomlbench.verify.plan import Plan

__all__ = ["NAMES", "remedy", "source", "write"]

NAMES = ("no-op", "zero", "constant", "echo", "memorised", "always-equal")

_DRAWS = (
    "declare under `generate` of verifier.yaml what ordinary inputs are drawn from: some of the "
    "draws share all but one argument or element"
)
# What a card lacks that one of them passes; with other results than the visible ones any is caught.
_REMEDIES = {
    "memorised": "add hidden cases whose results are no visible ones, or declare `generate`",
    "changes-arguments": "add cases whose arrays or lists hold several values",
    "remembers-by-size": _DRAWS,
    "keeps-first-call": _DRAWS,
    "returns-one-buffer": _DRAWS,
    "reads-memory-order": "add cases with matrices whose rows and columns differ",
    "takes-one-memory-for-one-array": "add cases whose arguments are different parts of one array",
}
_USUAL = (
    "let a check compare the results with the reference's, on hidden cases whose results differ"
)

_ALWAYS_EQUAL = '''
class Equal(float):
    """Claims to be equal to, and to be close to, everything."""

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __lt__ = __gt__ = __ne__
    __le__ = __ge__ = __eq__
    __hash__ = None

    def __sub__(self, other):
        return 0.0

    __rsub__ = __add__ = __radd__ = __mul__ = __abs__ = __sub__

    def __array__(self, *args, **kwargs):
        import sys

        frame = sys._getframe()
        while frame:
            for value in list(frame.f_locals.values()):
                if type(value).__name__ == "ndarray":
                    return value
            frame = frame.f_back
        raise TypeError
'''


def remedy(name: str) -> str:
    """Return what a card needs to catch a stock candidate, of this module or of `impure`.

    Examples
    --------
    >>> remedy("memorised")
    'add hidden cases whose results are no visible ones, or declare `generate`'
    """
    return _REMEDIES.get(name, _USUAL)


def source(name: str, card: Card, plan: Plan, oracle: Oracle) -> str:
    """Return the Python source of a stock candidate for a card.

    Parameters
    ----------
    name : str
        One of :data:`NAMES`. ``constant`` returns what is right for one visible case, and
        ``memorised`` what is right for each visible case, and the last of it otherwise.
    card : Card
    plan : Plan
    oracle : Oracle

    Returns
    -------
    str

    Raises
    ------
    KeyError
        If there is no such stock candidate.
    """
    parts = ["import numpy as np\n", _ALWAYS_EQUAL if name == "always-equal" else ""]
    for function in card.entry_points:
        visible = [case for case in plan.suite("visible") if case.function == function]
        answers = [_literal(oracle.values[case.id]) for case in visible] or ["0.0"]
        body = {
            "no-op": "    return None",
            "zero": "    return 0.0",
            "constant": f"    return {answers[0]}",
            "echo": "    return args[0] if args else next(iter(kwargs.values()))",
            "always-equal": "    return Equal()",
            "memorised": _lookup(visible, answers),
        }[name]
        parts.append(f"\ndef {function}(*args, **kwargs):\n{body}\n")
    return "\n".join(parts)


def _lookup(visible: list[Any], answers: list[str]) -> str:
    lines = [
        f"    if repr(args) == {repr(tuple(case.args))!r}:\n        return {answer}"
        for case, answer in zip(visible, answers, strict=False)
    ]
    return "\n".join([*lines, f"    return {answers[-1]}"])


def _literal(value: Any) -> str:
    """Write a value as a Python expression that only needs `np`."""
    if isinstance(value, np.ndarray):
        items = _literal(value.ravel().tolist())
        return f"np.array({items}, dtype={str(value.dtype)!r}).reshape({value.shape})"
    if isinstance(value, np.generic):
        return _literal(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return f"float('{value}')"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(k)}: {_literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple):
        return "(" + "".join(f"{_literal(item)}, " for item in value) + ")"
    if isinstance(value, list):
        return "[" + ", ".join(_literal(item) for item in value) + "]"
    return repr(value)


def write(folder: Path, card: Card, plan: Plan, oracle: Oracle) -> dict[str, Path]:
    """Write all stock candidates of a card into a folder, and return their files by name."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for name in NAMES:
        path = folder / f"{name.replace('-', '_')}.py"
        path.write_text(source(name, card, plan, oracle), encoding="utf-8")
        found[name] = path
    return found
