"""Measures how soon a server answers beside hostile uploads: a quiet server and each load in turn.

    python -m tools.server_load [SECONDS]

Six clients send uploads one after the other, while one asks for ``/health`` every 10 ms and one
has an honest solution of a problem card evaluated. Clients and server share the machine.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import requests

import biomlbench.verify
from biomlbench.stages import Context
from biomlbench.stages.prepare import compute

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[1]
CARD = "kernels/gc"
TASK = "toy/line"
CLIENTS = 6
HEAD = b"POST /validate HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n"
BEGIN = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'


def whole(content: bytes) -> Iterator[bytes]:
    """Yield a request with a declared length."""
    body = BEGIN + content + b"\r\n--b--\r\n"
    yield HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body


def chunked(size: int) -> Iterator[bytes]:
    """Yield a request in chunks of a size; it has no end."""
    yield HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(BEGIN) + BEGIN + b"\r\n"
    yield from itertools.repeat((b"%x\r\n" % size + b"x" * size + b"\r\n") * (65536 // size))


LOADS: dict[str, Callable[[], Iterator[bytes]]] = {
    "90 MB of text": lambda: whole(b"x" * 90_000_000),
    "90 MB of returns": lambda: whole(b"\r" * 90_000_000),
    "88 MB of beginnings of boundaries": lambda: whole(b"\r\n--" * 22_000_000),
    "chunks of 64 bytes": lambda: chunked(64),
    "chunks of 1 byte": lambda: chunked(1),
}


def send(address: tuple[str, int], load: Callable[[], Iterator[bytes]]) -> None:
    """Send a load again and again, at a lower priority than the server's."""
    os.nice(5)
    while True:
        with contextlib.suppress(OSError), socket.create_connection(address) as client:
            for part in load():
                client.sendall(part)
            client.recv(4096)


@contextlib.contextmanager
def loaded(url: str, load: Callable[[], Iterator[bytes]] | None) -> Iterator[None]:
    """Have clients send a load, each from a process of its own."""
    place = urlsplit(url)
    children = []
    for _ in range(CLIENTS if load else 0):
        child = os.fork()
        if not child:
            send((place.hostname, place.port), load)
        children.append(child)
    try:
        yield
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


@contextlib.contextmanager
def server(home: Path) -> Iterator[str]:
    """Serve a toy task and a problem card; yield the address."""
    shutil.copytree(ROOT / "tests/workflow/toy/toy/line", home / "tasks" / TASK)
    template = Path(biomlbench.verify.__file__).parent / "template"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(template, home / "tasks" / CARD, ignore=ignored)
    places = Context(data_dir=str(home / "data"), tasks_dirs=(str(home / "tasks"),))
    for task in (TASK, CARD):
        compute(task, places)
    call = [sys.executable, "-m", "biomlbench.cli", "serve", "--port", "0", "--jobs", "2"]
    call += ["--task", TASK, "--data-dir", str(home / "data"), "--tasks-dir", str(home / "tasks")]
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[2]
        process.terminate()


def ask(call: Callable[[], requests.Response], end: float, pause: float) -> list[float]:
    """Return how long each answer took, milliseconds, until a moment."""
    waits = []
    while time.monotonic() < end:
        start = time.monotonic()
        answer = call()
        waits.append(1000 * (time.monotonic() - start))
        assert answer.status_code == 200, answer.text
        time.sleep(pause)
    return waits


def measure(url: str, code: bytes, seconds: float) -> str:
    """Return medians and largest values of both kinds of answers."""
    end = time.monotonic() + seconds
    found: dict[str, list[float]] = {}

    def evaluate() -> requests.Response:
        form = {"file": ("a.py", code)}
        return requests.post(f"{url}/evaluate", files=form, data={"task_id": CARD}, timeout=300)

    def health() -> requests.Response:
        return requests.get(f"{url}/health", timeout=300)

    threads = [
        threading.Thread(target=lambda n=n, c=c, p=p: found.update({n: ask(c, end, p)}))
        for n, c, p in (("/health", health, 0.01), ("/evaluate", evaluate, 0.0))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return " ".join(
        f"| {statistics.median(found[name]):.0f} | {max(found[name]):.0f} | {len(found[name])}"
        for name in ("/health", "/evaluate")
    )


def main(seconds: float = 12.0) -> int:
    """Print a table in Markdown."""
    print("| beside | `/health`: median, ms | longest | asked | `/evaluate`: median, ms "
          "| longest | asked |\n" + "| --- " * 7 + "|")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder, server(Path(folder)) as url:
        code = (Path(folder) / "tasks" / CARD / "reference.py").read_bytes()
        measure(url, code, 2.0)  # the first answers start workers
        for name, load in {"nothing": None, **LOADS}.items():
            with loaded(url, load):
                print(f"| {name} {measure(url, code, seconds)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(float, sys.argv[1:])))
