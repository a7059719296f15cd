"""What a metric's options may be, as the signature of its function declares it."""

from __future__ import annotations

import typing
from collections.abc import Callable, Sequence
from types import NoneType, UnionType
from typing import Any, Literal, Union

__all__ = ["allowed_instead"]


def allowed_instead(function: Callable[..., Any], option: str, value: object) -> str:
    """Return what an option may be, in words, if a value is none of that; else nothing.

    Parameters
    ----------
    function : callable
        Its annotations say it: ``Literal``, ``float``, ``str``, ``Sequence``, ``None``, and unions
        of them. Of any others nothing is known.
    option : str
    value : object

    Examples
    --------
    >>> def score(y_true, y_pred, average: Literal["macro", "micro"] = "macro"): ...
    >>> allowed_instead(score, "average", "makro"), allowed_instead(score, "average", "micro")
    ('macro or micro', '')
    """
    try:
        hints = _parts(_hint(function, option))
    except (NameError, KeyError):
        return ""
    known = [_told(hint, value) for hint in hints]
    if any(fits for fits, _ in known):
        return ""
    return " or ".join(words for _, words in known)


def _hint(function: Callable[..., Any], option: str) -> Any:
    hint = function.__annotations__[option]
    if not isinstance(hint, str):
        return hint
    names = getattr(function, "__globals__", {})
    return eval(hint, {"Sequence": Sequence, **names})  # noqa: S307 - the function's own source


def _parts(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) in (Union, UnionType) else (hint,)


def _told(hint: Any, value: object) -> tuple[bool, str]:
    """Tell whether a value is of a type, and what the type is called."""
    origin = typing.get_origin(hint) or hint
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    match origin:
        case _ if origin is Literal:
            values = typing.get_args(hint)
            fits = any(value == one and type(value) is type(one) for one in values)
            return fits, " or ".join(map(str, values))
        case _ if origin is float:
            return is_number, "a number"
        case _ if origin is str:
            return isinstance(value, str), "text"
        case _ if origin is NoneType or origin is None:
            return value is None, "null"
        case _ if origin is Sequence:
            return hasattr(value, "__len__") and not isinstance(value, (str, bytes)), "a list"
    return True, ""
