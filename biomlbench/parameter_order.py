"""Whether the names of a function's parameters fit the order in which it is called."""

from __future__ import annotations

import inspect
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["TABLES", "contradiction", "parameter_names"]

TABLES = ("submission", "answers")
"""What functions of a task that take two tables are called with, in this order."""

_PREDICTIONS = frozenset(
    (
        *("submission", "submissions", "submitted", "sub", "subm", "pred", "preds", "predicted"),
        *("prediction", "predictions", "yhat", "hat"),
    )
)
_TRUTH = frozenset(
    (
        *("answer", "answers", "truth", "true", "gt", "gold", "actual", "actuals", "solution"),
        "expected",
    )
)
#: Words of names that tell what a parameter is meant to be, by what the documentation calls it.
_WORDS = {
    "submission": _PREDICTIONS,
    "answers": _TRUTH,
    "y_pred": _PREDICTIONS,
    "y_true": _TRUTH,
}


def parameter_names(function: Callable[..., Any]) -> list[str]:
    """Return the names of the parameters that arguments go to by position; none if unknown."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [one.name for one in parameters if one.kind in by_position]


def contradiction(names: Sequence[str], called: Sequence[str]) -> str:
    """Say that parameters are in another order than the arguments; empty where nothing tells so.

    Parameters
    ----------
    names : sequence of str
        Of the parameters, see :func:`parameter_names`.
    called : sequence of str
        What the documentation calls the arguments, in their order.

    Examples
    --------
    >>> contradiction(["answers", "submission"], ["submission", "answers"])
    'its parameters are (answers, submission), and it is called with (submission, answers)'
    >>> contradiction(["s", "a"], ["submission", "answers"])
    ''
    """
    called = tuple(called)
    meant = {own: _meant(name, called) for name, own in zip(names, called, strict=False)}
    # Two names that both mean one argument tell nothing.
    if all(one in ("", own) or meant.get(one) == one for own, one in meant.items()):
        return ""
    shown = ", ".join(names[: len(called)])
    return f"its parameters are ({shown}), and it is called with ({', '.join(called)})"


@lru_cache(maxsize=1024)
def _meant(name: str, called: tuple[str, ...]) -> str:
    """Return which argument a parameter is named for; empty where it may be several, or none."""
    words = set(re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()))
    found = [one for one in called if words & _WORDS.get(one, frozenset((one,)))]
    return found[0] if len(found) == 1 else ""
