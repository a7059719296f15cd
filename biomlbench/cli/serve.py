"""Serve the evaluator over HTTP."""

from __future__ import annotations

import ipaddress
import logging
import socket
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from biomlbench.cli._common import Trouble, data_options, echo, provider_option

if TYPE_CHECKING:
    from biomlbench.stages import Context

_BACKLOG = 128


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
# Where clients of BioML-bench's grading server look for it.
@click.option("--port", default=5000, show_default=True, help="Port; 0 for any that is free.")
@click.option("--task", "task_id", envvar="TASK_ID", help="Task of a request that names none.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Sandboxes at one time. [default: one a CPU]",
)
@click.option(
    "--max-upload-mb",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="Largest submission, in MiB.",
)
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=0, min_open=True),
    default=120.0,
    show_default=True,
    help="Seconds for all cases of one candidate together.",
)
@provider_option(unsafe=False)
@data_options
def command(
    host: str,
    port: int,
    *,
    context: Context,
    provider: str,
    jobs: int | None,
    **options: Any,
) -> None:
    """Serve the evaluator: POST /validate, POST /evaluate, GET /health; the page is /docs.

    There is no log-in: only this machine can reach it unless --host says otherwise.

    \b
    Example:
      TASK_ID=breast-cancer-wisconsin biomlbench serve
      curl -F file=@my.csv http://127.0.0.1:5000/validate
    """  # noqa: D301
    try:
        import uvicorn

        from biomlbench.serve.app import create_app
        from biomlbench.serve.http import BoundedProtocol
    except ModuleNotFoundError as error:
        from biomlbench.runtime.files import install_command

        raise Trouble(f"{error.name} is not installed; {install_command('serve')}") from None
    from biomlbench.serve import Settings

    if jobs:
        options["jobs"] = jobs
    try:
        settings = Settings(context=replace(context, provider=provider), **options)
    except ValueError as error:  # NaN lies in every range
        raise click.UsageError(str(error)) from None
    if settings.task_id:
        # A server for a task that there is not is of no use: say so now.
        context.task(settings.task_id)
    app = create_app(settings)
    listening = _listen(host, port)
    address = f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"
    if not _is_loopback(listening):
        echo("Warning: other machines can reach this; there is no log-in.", fg="yellow")
    echo(f"Serving on {address} (Ctrl-C ends it); how to use it: {address}/docs")
    verbose = logging.getLogger().isEnabledFor(logging.INFO)
    config = uvicorn.Config(
        app,
        http=BoundedProtocol,
        ws="none",
        log_config=None,
        access_log=verbose,
        server_header=False,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=10,
    )
    uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, *_, address = found[0]
        listening = socket.create_server(address[:2], family=family, backlog=_BACKLOG)
        # Connections inherit it. Else a second answer on one waits 40 ms for the client's kernel;
        # asyncio does it only for sockets that name their protocol, which these do not.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Trouble(f"cannot listen on {host} port {port}: {reason}") from None


def _is_loopback(listening: socket.socket) -> bool:
    return ipaddress.ip_address(listening.getsockname()[0]).is_loopback
