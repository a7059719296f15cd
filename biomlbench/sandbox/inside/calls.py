"""One call of a candidate's function, or several in one process, and what became of arguments.

A report goes with every result: a digest of each argument as it is after the call. The side
that asked knows what it sent and compares. In place of the digest of an argument in which a part
of the result lies is :data:`LIES_IN_IT`: whoever changes such a result changes the argument. A
candidate can forge its report, and gains nothing: whoever can hide that an argument was changed
could have copied it.
"""

from __future__ import annotations

import hashlib
import struct
import sys

from .arrays import CodecError
from .decoder import decode
from .encoder import encode
from .shared_memory import owner

# Spelt out because nothing here may import what a case does not need; checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from biomlbench.contracts.mappings import Arguments

__all__ = [
    "DIGEST_BYTES",
    "LIES_IN_IT",
    "SEQUENCE",
    "MissingFunctionError",
    "digests",
    "overwrite",
    "pack",
    "run",
    "unpack",
]

SEQUENCE = "+sequence"
"""In place of a function's name: the request is several calls. No function can be called so."""
DIGEST_BYTES = 16
LIES_IN_IT = b"\xff" * DIGEST_BYTES
"""In place of an argument's digest: a part of the result is the argument, or lies in its memory."""
WATCHED = 4
"""So many of the last results must stay as their caller has left them, where objects are reused."""
MOST_WATCHED_BYTES = 1 << 23
MOST_WORK = 10_000
"""After so many steps it is not asked further whether two arrays have a number in common."""
MARKS = 100
"""So many numbers one after the other are written into results; each fits into a byte."""
OVERWRITTEN = "overwritten"
"""What a list or a dict that was returned holds after its caller has changed it."""
_COUNT = struct.Struct("<H")


class MissingFunctionError(LookupError):
    """The candidate does not define a function that is to be called."""


def digests(args: tuple[Any, ...], kwargs: Arguments) -> list[bytes]:
    """Return one digest for each argument, and the memory in which it is a view included."""
    return [_digest(value) for value in (*args, *kwargs.values())]


def _digest(value: Any) -> bytes:
    try:
        data = encode(value, layouts=True) + _around(value)
    except (CodecError, RecursionError):
        # only something put in by the call is no plain data
        return bytes(DIGEST_BYTES)
    return hashlib.blake2b(data, digest_size=DIGEST_BYTES).digest()


def _around(value: Any) -> bytes:
    """Return the memory of which arrays of a value are views: what lies between their elements."""
    views = [one for one in _arrays(_changeable(value, set())) if _is_array(one.base)]
    return b"".join(owner(one).tobytes("A") for one in views if not one.dtype.hasobject)


def pack(report: list[bytes], payload: bytes) -> bytes:
    """Put a report before a payload."""
    return b"".join((_COUNT.pack(len(report)), *report, payload))


def unpack(data: bytes) -> tuple[list[bytes], bytes]:
    """Cut a report and a payload apart; the bytes may be anybody's.

    Raises
    ------
    CodecError
        If there is no report.
    """
    if len(data) < _COUNT.size:
        raise CodecError("the result has no report")
    end = _COUNT.size + DIGEST_BYTES * _COUNT.unpack_from(data)[0]
    if len(data) < end:
        raise CodecError("the result ends inside its report")
    places = range(_COUNT.size, end, DIGEST_BYTES)
    return [bytes(data[place : place + DIGEST_BYTES]) for place in places], data[end:]


def run(lookup: Callable[[str], Any], function: str, request: bytes) -> tuple[list[bytes], bytes]:
    """Make the calls of one request.

    Parameters
    ----------
    lookup : callable
        Function's name to the candidate's function.
    function : str
        Name of the function, or :data:`SEQUENCE`.
    request : bytes
        Encoded ``(args, kwargs)``; for a sequence ``[reuse, [[function, request], ...]]``.

    Returns
    -------
    report : list of bytes
        Digests of the arguments after each call, or :data:`LIES_IN_IT`; without `reuse`, digests
        once more for all calls after the last.
    payload : bytes
        The encoded result. For a sequence a list of two lists: each call's encoded result, and
        what it had become by the end of the sequence, None where it stayed. With `reuse` its
        caller has changed it, and it is looked at after each of the next :data:`WATCHED` calls,
        and after the last one.

    Raises
    ------
    MissingFunctionError
    CodecError
        If a result is no plain data.
    """
    if function != SEQUENCE:
        args, kwargs = decode(request, layouts=True)
        value = _target(lookup, function)(*args, **kwargs)
        payload = encode(value)
        return _reported(value, args, kwargs)[0], payload
    reuse, calls = decode(request)
    report: list[bytes] = []
    results: list[bytes] = []
    held: list[tuple[Any, tuple[Any, ...], Arguments]] = []
    watched: list[tuple[int, Any, Any]] = []
    room = MOST_WATCHED_BYTES
    changed: dict[int, bytes] = {}
    pool: dict[Any, Any] = {}
    for name, one in calls:
        args, kwargs = decode(one, layouts=True)
        if reuse:
            args = tuple(_refilled(pool, place, value) for place, value in enumerate(args))
            kwargs = {key: _refilled(pool, key, value) for key, value in kwargs.items()}
        value = _target(lookup, name)(*args, **kwargs)
        results.append(encode(value))
        of_call, own = _reported(value, args, kwargs)
        report += of_call
        if reuse:
            _note_changes(watched[-WATCHED:], changed)
            parts = [value, *_arrays(_changeable(value, set()))]
            overwrite(value, len(results))
            if own:
                watched.append((len(results) - 1, parts, _contents(parts)))
                room -= len(results[-1])
                if room < 0:  # large ones are not kept to the end
                    del watched[:-WATCHED]
        else:
            # keeping arguments and results alive keeps their addresses from being used again
            held.append((value, args, kwargs))
    _note_changes(watched, changed)
    for number, (value, args, kwargs) in enumerate(held):
        report += digests(args, kwargs)
        if (later := encode(value)) != results[number]:
            changed[number] = later
    return report, encode([results, [changed.get(number) for number in range(len(results))]])


def _note_changes(watched: list[tuple[int, Any, Any]], changed: dict[int, bytes]) -> None:
    """Note which results are not as their caller has left them, and what each has become."""
    for number, parts, left in watched:
        if number not in changed and _contents(parts) != left:
            changed[number] = encode(parts)


def _contents(value: Any) -> Any:
    """Return what is equal as long as nothing in a result is changed in place."""
    if type(value) in (list, tuple):
        return [_contents(item) for item in value]
    if type(value) is dict:
        return [*value, *map(_contents, value.values())]
    if type(value).__name__ == "ndarray":
        return value.tobytes() if value.nbytes <= MOST_WATCHED_BYTES else None
    return value


def _reported(value: Any, args: tuple[Any, ...], kwargs: Arguments) -> tuple[list[bytes], bool]:
    """Return the report on a call, and whether nothing of its result lies in an argument."""
    parts = _changeable(value, set())
    lies = [bool(parts) and _share_parts(parts, one) for one in (*args, *kwargs.values())]
    found = digests(args, kwargs)
    return [
        LIES_IN_IT if one else digest for one, digest in zip(lies, found, strict=True)
    ], not any(lies)


def _share_parts(parts: list[Any], given: Any) -> bool:
    """Say whether anything of a result that can be changed is an argument's, or lies in it.

    A view that is read-only does so, too: the argument shows through it, and it can be unlocked.
    What lies between the elements of an argument that is a view is its caller's as well.
    """
    others = _changeable(given, set())
    # an array is held against others by its memory, so that one without any number lies nowhere
    known = {id(other) for other in others if not _is_array(other)}
    return any(id(part) in known for part in parts) or any(
        _overlap(one, owner(other)) for one in _arrays(parts) for other in _arrays(others)
    )


def _overlap(one: Any, other: Any) -> bool:
    numpy = sys.modules["numpy"]
    if not numpy.may_share_memory(one, other):
        return False
    try:
        return bool(numpy.shares_memory(one, other, max_work=MOST_WORK))
    except RuntimeError:  # NumPy's TooHardError
        return True


def _is_array(value: Any) -> bool:
    return type(value).__name__ == "ndarray"


def _arrays(parts: list[Any]) -> list[Any]:
    return [part for part in parts if _is_array(part)]


def _changeable(value: Any, seen: set[int]) -> list[Any]:
    """Return the lists, dicts and arrays that a value is or holds, at any depth, each once."""
    if type(value).__name__ == "ndarray":
        return [value]
    if type(value) not in (dict, list, tuple) or id(value) in seen:
        return []
    seen.add(id(value))
    parts = [] if type(value) is tuple else [value]
    for item in value.values() if type(value) is dict else value:
        parts += _changeable(item, seen)
    return parts


def overwrite(value: Any, number: int = 0) -> None:
    """Change a result as its caller may, so that one that was kept for a later call shows.

    Parameters
    ----------
    value : object
        Every element of it is another one afterwards.
    number : int
        Of the call: what two calls return in one object differs as well.
    """
    if type(value) is tuple:
        for item in value:
            overwrite(item, number)
    elif type(value) in (dict, list):
        for item in value.values() if type(value) is dict else value:
            overwrite(item, number)
        value.clear()
        # what was empty is kept for no call either
        if type(value) is dict:
            value[OVERWRITTEN] = number
        else:
            value += [OVERWRITTEN, number]
    elif type(value).__name__ == "ndarray" and value.flags.writeable:
        if value.dtype.kind in "iufc":
            mark = 1 + number % MARKS
            # what was kept of a special case may be nothing but the mark
            value[...] = (value != mark) * mark
        else:
            value[...] = value == 0 if value.dtype.kind == "b" else 0


def _target(lookup: Callable[[str], Any], name: str) -> Any:
    found = lookup(name)
    if not callable(found):
        raise MissingFunctionError(name)
    return found


def _refilled(pool: dict[Any, Any], place: Any, value: Any) -> Any:
    """Put a value into the object that an earlier call got at this place, if it fits in."""
    if type(value) is list:
        old = pool.setdefault((place, list), value)
        old[:] = value
        return old
    if type(value).__name__ != "ndarray" or not value.flags.writeable:
        return value
    old = pool.setdefault((place, value.dtype.str, value.shape, value.strides), value)
    if old is not value:
        old[...] = value
    return old
