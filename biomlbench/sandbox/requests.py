"""What is sent into the sandbox for one case, and what must come back of it unchanged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from biomlbench.sandbox import codec
from biomlbench.sandbox.inside import calls

if TYPE_CHECKING:
    from typing import Any, Protocol

    from biomlbench.contracts.mappings import Arguments

    class Callable(Protocol):
        """A case of any layer."""

        @property
        def function(self) -> str: ...
        @property
        def args(self) -> tuple[Any, ...]: ...
        @property
        def kwargs(self) -> Arguments: ...


__all__ = ["Sent", "prepare"]


@dataclass(frozen=True)
class Sent:
    """One request.

    Parameters
    ----------
    function : str
    body : bytes
        The encoded arguments, or calls.
    names : tuple of str
        Of the arguments, in the order of the report.
    digests : tuple of bytes
        What the report says where no argument was changed.
    """

    function: str
    body: bytes
    names: tuple[str, ...]
    digests: tuple[bytes, ...]

    def changed(self, report: list[bytes]) -> str:
        """Say which argument a report shows to be changed, or returned; empty if none."""
        if len(report) != len(self.digests):
            return "the report is about other arguments"
        for name, sent, back in zip(self.names, self.digests, report, strict=True):
            if back == calls.LIES_IN_IT:
                return f"{name} is returned, or a part of the result lies in its memory"
            if sent != back:
                return f"{name} was changed in place"
        return ""


def prepare(case: Callable) -> Sent:
    """Encode a case.

    Parameters
    ----------
    case : object
        With ``function``, ``args`` and ``kwargs``. For :data:`~.inside.calls.SEQUENCE` the
        arguments are ``(reuse, ((function, args, kwargs), ...))``.

    Returns
    -------
    Sent
    """
    if case.function != calls.SEQUENCE:
        return _one(case.function, tuple(case.args), dict(case.kwargs), shared=True)
    reuse, steps = case.args
    parts = [_one(name, tuple(args), dict(kwargs)) for name, args, kwargs in steps]
    body = codec.encode([bool(reuse), [[part.function, part.body] for part in parts]])
    names = [
        f"{name} of call {number}" for number, part in enumerate(parts, 1) for name in part.names
    ]
    digests = [digest for part in parts for digest in part.digests]
    # without reuse everything is looked at once more after the last call
    times = 1 if reuse else 2
    return Sent(case.function, body, tuple(names * times), tuple(digests * times))


def _one(function: str, args: tuple[Any, ...], kwargs: Arguments, *, shared: bool = False) -> Sent:
    # in a sequence objects are used again one by one, so none may lie in another
    body = codec.encode((args, kwargs), layouts=True, shared=shared)
    # what arrives may be of a plainer type than what was sent
    arrived = codec.decode(body, layouts=True)
    names = (*(f"argument {place}" for place in range(1, len(args) + 1)), *kwargs)
    return Sent(function, body, tuple(names), tuple(calls.digests(*arrived)))
