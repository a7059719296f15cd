"""Looks up the properties, transforms and relations that a card names, with their options."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

from biomlbench.parameter_order import contradiction
from biomlbench.verify import properties, relations, transforms
from biomlbench.verify.cases import Finding

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from biomlbench.contracts.mappings import Arguments

__all__ = ["UNSAID", "Library", "LibraryError", "as_finding", "canonical", "summary"]


UNSAID = "the invariant does not hold"
"""What is said of a finding that does not say itself what is wrong."""


class LibraryError(ValueError):
    """A check names something that does not exist, or gives it options that it does not take."""


def as_finding(result: Any) -> Finding:
    """Turn what a property or relation returned into a finding.

    Parameters
    ----------
    result : Finding, bool, None or str
        None and True stand for all well; False or a sentence for a violation.

    Raises
    ------
    TypeError
        For anything else.
    """
    if isinstance(result, Finding):
        return result
    if result is None or result is True:
        return Finding(True)
    if result is False:
        return Finding(False, UNSAID)
    if isinstance(result, str):
        return Finding(False, result)
    if type(result).__name__ == "bool" or type(result).__name__ == "bool_":
        return Finding(bool(result), "" if result else UNSAID)
    raise TypeError(f"a property returns a Finding, bool, None or str, not {type(result).__name__}")


def named(value: Any) -> tuple[str, Arguments]:
    """Split ``name`` or ``{name: ..., option: ...}`` into name and options."""
    if isinstance(value, str):
        return value, {}
    options = dict(value)
    return options.pop("name"), options


class Library:
    """The ready functions, and in front of them those of a card's `properties.py`.

    Parameters
    ----------
    own : module or None
        The card's `properties.py`.
    reference : callable or None
        The reference solution as a function of the inputs by name.
    """

    def __init__(
        self,
        own: ModuleType | None = None,
        reference: Callable[[Arguments], Any] | None = None,
    ) -> None:
        self._own = own
        self._reference = reference

    def property(self, value: Any) -> Callable[..., Any]:
        """Return the property with its options bound: a function of (inputs, output)."""
        return self._bound(value, properties, "property", ("inputs", "output"))

    def transform(self, value: Any) -> Callable[..., Any]:
        """Return the transform with its options bound: a function of (inputs, rng)."""
        return self._bound(value, transforms, "transform", ("inputs", "rng"))

    def relation(self, value: Any) -> Callable[..., Any]:
        """Return the relation with its options bound: a function of (base, variants, info)."""
        return self._bound(value, relations, "relation", ("base", "variants", "info"))

    def own(self, name: str) -> Callable[..., Any]:
        """Return a function of the card's `properties.py`."""
        function = getattr(self._own, name, None)
        if not callable(function):
            raise LibraryError(f"properties.py defines no function `{name}`")
        result: Callable[..., Any] = function
        return result

    def _bound(
        self, value: Any, ready: ModuleType, what: str, called: tuple[str, ...]
    ) -> Callable[..., Any]:
        name, options = named(value)
        function = getattr(self._own, name, None)
        if function is None and name in ready.__all__:
            function = getattr(ready, name)
        if not callable(function):
            raise LibraryError(
                f"there is no {what} `{name}`; ready ones are {', '.join(ready.__all__)}, "
                "or define it in properties.py"
            )
        signature = _signature(function)
        if "reference" in signature.parameters:
            options["reference"] = self._reference
        try:
            signature.bind(*[None] * len(called), **options)
        except TypeError as error:
            raise LibraryError(f"{what} `{name}`: {error}") from None
        if told := contradiction(list(signature.parameters), called):
            raise LibraryError(f"{what} `{name}`: {told}; write them in this order")
        return functools.partial(function, **options) if options else function


# Asked for by each case of each check, and slow.
@functools.lru_cache(maxsize=1024)
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def canonical(check: Any, library: Library, unit: Any = None) -> Callable[[Any], Any]:
    """Return the function that brings an output into its canonical form.

    Parameters
    ----------
    check : Check
    library : Library
    unit : Unit, optional
        What the check looks at; a function with a parameter `inputs` gets those of it, first.
    """
    name = check.options.get("canonical")
    function = library.own(name) if name else _identity
    if unit is not None and "inputs" in _signature(function).parameters:
        return functools.partial(function, unit.inputs)
    return function


def _identity(value: Any) -> Any:
    return value


def summary(function: Callable[..., Any]) -> str:
    """Return the first line of a function's docstring, or its name."""
    inner = getattr(function, "func", function)
    text = (inner.__doc__ or inner.__name__).strip().splitlines()[0]
    return text.rstrip(".")
