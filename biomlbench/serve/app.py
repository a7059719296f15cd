"""The web side: routes, errors as JSON, and how many requests are worked on at one time."""

from __future__ import annotations

import asyncio
import logging
import secrets
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from biomlbench.outcomes import Reason, sentence
from biomlbench.serve.answers import Error, Health, as_json
from biomlbench.serve.names import Screen
from biomlbench.serve.openapi import description
from biomlbench.serve.page import CONTENT_SECURITY_POLICY, render
from biomlbench.serve.refusal import Refusal
from biomlbench.serve.service import Service, WorkFault
from biomlbench.serve.uploads import Arrivals, upload
from biomlbench.submission.submitted_file import MAX_CODE_BYTES, quote

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from starlette.requests import Request

    from biomlbench.serve.settings import Settings
    from biomlbench.serve.uploads import Received

__all__ = ["create_app"]

_MIB = 1 << 20
_RETRY_AFTER_S = 10
_MOST_SHOWN = 200
_GRACE_S = 30.0
"""Seconds beside the candidate's own: loading the card, starting the sandbox, judging."""

log = logging.getLogger(__name__)


def create_app(settings: Settings) -> Starlette:
    """Return the ASGI application of a server.

    Parameters
    ----------
    settings : Settings

    Returns
    -------
    Starlette
    """
    return _Server(settings).app


class _Server:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.service = Service(settings)
        self.screen = Screen(settings)
        self.openapi = description(settings)
        self.busy = 0
        self.arrivals = Arrivals()
        # Threads that wait for worker processes.
        self.pools = {
            name: ThreadPoolExecutor(settings.jobs, f"biomlbench-{name}")
            for name in ("validate", "evaluate")
        }
        self.app = Starlette(
            routes=[
                Route("/health", self.health, methods=["GET"]),
                Route("/validate", self.validate, methods=["POST"]),
                Route("/evaluate", self.evaluate, methods=["POST"]),
                Route("/openapi.json", self.description, methods=["GET"]),
                Route("/docs", self.page, methods=["GET"]),
            ],
            # Starlette's types know no handler of one exception only.
            exception_handlers={
                Refusal: self.refused,  # type: ignore[dict-item]
                HTTPException: self.no_such_page,  # type: ignore[dict-item]
                Exception: self.failed,
            },
            lifespan=self.lifespan,
        )
        self.app.router.redirect_slashes = False

    @asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        self.pools["validate"].submit(self.service.warm)
        yield
        for pool in self.pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
        self.service.close()

    async def health(self, _request: Request) -> Response:
        return _json(Health(status="running"))

    async def description(self, _request: Request) -> Response:
        return _json(self.openapi)

    async def page(self, _request: Request) -> Response:
        headers = {"content-security-policy": CONTENT_SECURITY_POLICY}
        return HTMLResponse(render(self.openapi), headers=headers)

    async def validate(self, request: Request) -> Response:
        limit = self.settings.max_upload_mb * _MIB
        return await self.answer(request, "validate", self.service.validate, limit)

    async def evaluate(self, request: Request) -> Response:
        return await self.answer(request, "evaluate", self.service.evaluate, MAX_CODE_BYTES)

    async def answer(
        self, request: Request, pool: str, work: Callable[..., Any], max_bytes: int
    ) -> Response:
        # A client takes up a place only once it has sent all: those that never do keep nobody out.
        async with upload(request, max_bytes, self.settings.upload_s, self.arrivals) as received:
            if self.busy >= self.settings.jobs + self.settings.waiting:
                raise Refusal(503, "Too many requests at once.", "Try again in a while.")
            with self.counted():
                try:
                    kind = request.headers["content-type"]
                    result = await self.run(pool, received, work, kind, max_bytes)
                except Refusal:
                    raise
                except Exception as error:
                    return self.at_fault(error)
        return _response(result)

    @contextmanager
    def counted(self) -> Iterator[None]:
        self.busy += 1
        try:
            yield
        finally:
            self.busy -= 1

    async def run(
        self, pool: str, received: Received, work: Callable[..., bytes], *args: Any
    ) -> bytes:
        """Run blocking work in a pool's thread; do not wait for ever."""
        received.job = self.pools[pool].submit(work, received.body, *args)
        future = asyncio.wrap_future(received.job)
        # The candidate's own time, and as much again for the requests before this one.
        longest = 2 * self.settings.timeout_s + _GRACE_S
        done, _ = await asyncio.wait({future}, timeout=longest)
        if not done:
            # What runs ends by its own limits; what has not begun never will.
            raise Refusal(503, "The server is too busy.", "Try again in a while.")
        return future.result()

    async def refused(self, _request: Request, error: Refusal) -> Response:
        headers = {"retry-after": str(_RETRY_AFTER_S)} if error.status == 503 else None
        body = Error(error=self.screen.text(error.error), details=self.screen.text(error.details))
        return _json(body, error.status, headers)

    async def no_such_page(self, request: Request, error: HTTPException) -> Response:
        known = ", ".join(sorted(self.openapi["paths"]))
        asked = f"{request.method} {quote(request.url.path, _MOST_SHOWN)}"
        details = f"{asked} is not answered. There are: {known}."
        return _json(Error(error=error.detail, details=details), error.status_code, error.headers)

    async def failed(self, _request: Request, error: Exception) -> Response:
        return self.at_fault(error)

    def at_fault(self, error: Exception) -> Response:
        """Answer that the server, its task or its machine is at fault: no path, no traceback."""
        incident = secrets.token_hex(4)
        log.error("incident %s", incident, exc_info=error)
        reason = getattr(error, "reason", None)
        name = error.name if isinstance(error, WorkFault) else type(error).__name__
        what = f"{reason}: {sentence(reason)}" if reason else name
        details = f"{what} The server's log says more under incident {incident}."
        if reason == Reason.NOT_PREPARED:
            return _json(Error(error="The task is not prepared.", details=details), 503)
        return _json(Error(error="An unexpected error occurred.", details=details), 500)


def _json(body: Any, status: int = 200, headers: Any = None) -> Response:
    return _response(as_json(body), status, headers)


def _response(text: bytes, status: int = 200, headers: Any = None) -> Response:
    headers = {**(headers or {}), "x-content-type-options": "nosniff"}
    return Response(text, status, headers, media_type="application/json")
