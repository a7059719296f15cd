"""Reading of a request's form, with limits on its bytes, its parts and its time."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from biomlbench.serve.refusal import Refusal
from biomlbench.submission.reading import quote

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import BinaryIO

    from starlette.types import Message, Receive

__all__ = ["MAX_ARRIVALS", "MAX_TASK_ID", "Arrivals", "Upload", "discard", "upload"]

MAX_TASK_ID = 200
"""Longest task id that is looked up, characters."""
_FIELDS = ("file", "task_id")
_MAX_FIELDS = 8
_MAX_FIELD_BYTES = 16 * 1024
# Boundaries, headers of parts and the other fields, beside the file itself.
_OVERHEAD = 64 * 1024
_LINGER_S = 5.0
MAX_ARRIVALS = 256
"""Most uploads under way at one time."""


class Upload(NamedTuple):
    """A request's file, its name as the client says, and the task it names."""

    file: BinaryIO
    filename: str
    task_id: str | None


class Arrivals:
    """The uploads under way, at most so many; the oldest gives way to a new one.

    Honest uploads are short, so that those that hold out for long are the ones to end.

    Parameters
    ----------
    most : int
    """

    def __init__(self, most: int = MAX_ARRIVALS) -> None:
        self._most = most
        self._under_way: dict[asyncio.Timeout, None] = {}

    @asynccontextmanager
    async def within(self, seconds: float) -> AsyncIterator[None]:
        """Raise TimeoutError after so many seconds, or when newer uploads need the place."""
        now = asyncio.get_running_loop().time()
        async with asyncio.timeout(seconds) as deadline:
            while len(self._under_way) >= self._most:
                oldest = next(iter(self._under_way))
                del self._under_way[oldest]
                if not oldest.expired():
                    oldest.reschedule(now)
            self._under_way[deadline] = None
            try:
                yield
            finally:
                self._under_way.pop(deadline, None)


class _TooLargeError(Exception):
    """The body is longer than allowed."""


@asynccontextmanager
async def upload(
    request: Request, max_bytes: int, seconds: float, arrivals: Arrivals
) -> AsyncIterator[Upload]:
    """Read a multipart form with a file; what it was spooled to is gone afterwards.

    Parameters
    ----------
    request : Request
    max_bytes : int
        Largest file.
    seconds : float
        Longest time for the whole body.
    arrivals : Arrivals
        The uploads under way.

    Yields
    ------
    Upload

    Raises
    ------
    Refusal
        408, 413 or 415; 400 for a form that is broken or has no file.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != (
        "multipart/form-data"
    ):
        await discard(request.receive)
        raise Refusal(
            415,
            "Not a multipart form.",
            "Send the submission as the field `file` of a multipart/form-data request.",
        )
    limit = max_bytes + _OVERHEAD
    try:
        _check_declared(request, limit)
        limited = Request(request.scope, _limited(request.receive, limit))
        async with arrivals.within(seconds):
            form = await limited.form(
                max_files=1, max_fields=_MAX_FIELDS, max_part_size=_MAX_FIELD_BYTES
            )
    except _TooLargeError:
        await discard(request.receive)
        raise Refusal(
            413, "The request is too large.", f"At most {max_bytes} bytes are accepted here."
        ) from None
    except TimeoutError:
        raise Refusal(
            408, "The request took too long.", f"It must arrive within {seconds:g} seconds."
        ) from None
    except ClientDisconnect:
        raise Refusal(400, "The request was cut off.", "Send it again.") from None
    except HTTPException as error:
        raise Refusal(400, "The form cannot be read.", str(error.detail)) from None
    except (ValueError, LookupError):
        # What a form parser makes of odd boundaries and character sets.
        raise Refusal(400, "The form cannot be read.", "It is not valid multipart data.") from None
    try:
        _check_known(form)
        file = _only(form.getlist("file"), "file")
        task_id = _only(form.getlist("task_id") or [""], "task_id")
        if not isinstance(file, UploadFile):
            raise Refusal(400, "There is no file.", "The field `file` must carry a file name.")
        if isinstance(task_id, UploadFile) or len(task_id) > MAX_TASK_ID:
            raise Refusal(
                400,
                "The task id is no task id.",
                f"`task_id` is text of at most {MAX_TASK_ID} characters.",
            )
        yield Upload(file.file, file.filename or "", task_id.strip() or None)
    finally:
        await form.close()


def _only(values: list[UploadFile | str], name: str) -> UploadFile | str:
    if len(values) != 1:
        problem = "is missing" if not values else "is given more than once"
        raise Refusal(400, "The form is incomplete.", f"The field `{name}` {problem}.")
    return values[0]


def _check_known(form: FormData) -> None:
    # A misspelt `task_id` must not be answered for another task.
    if unknown := sorted(set(form) - set(_FIELDS)):
        raise Refusal(
            400,
            "There is no such field.",
            f"{quote(unknown[0])} is not known; the fields are {' and '.join(_FIELDS)}.",
        )


def _check_declared(request: Request, limit: int) -> None:
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limit:
        raise _TooLargeError


def _limited(receive: Receive, limit: int) -> Receive:
    left = limit

    async def read() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise _TooLargeError
        return message

    return read


async def discard(receive: Receive) -> None:
    """Read on for a while, keeping nothing: most clients read no answer before they have sent.

    Parameters
    ----------
    receive : callable
        Of the request.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(_LINGER_S):
            while (await receive()).get("more_body"):
                pass
