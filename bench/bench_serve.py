"""How long others wait for the server while it works on hostile uploads, and while it is quiet.

``/health`` is asked every 20 ms and an honest card is evaluated again and again, first beside
nothing, then beside senders that upload one hostile file after another.
"""

from __future__ import annotations

import gzip
import statistics
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import requests

from bench.bench_workflow import make_benchmark
from bench.rows import against_target
from bench.scratch import kept_folder
from biomlbench.stages import Context
from biomlbench.stages.prepare import compute

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CARD = "kernels/dice-coefficient"
TABLE = "bench/task-0"
HEALTH_MS, BESIDE = 100.0, 3.0
"""Two senders and an honest client share two cores, so that a client gets a third of them."""
SENDERS = 2
HOSTILE = {
    "f-strings.py": ("evaluate", b"x = " + b"f'{" * 300_000),
    "brackets.py": ("evaluate", b"(" * 1_000_000),
    "many-columns.csv": ("validate", b"," * 1_500_000 + b"\n"),
    "quotes.csv": ("validate", b'id,y\n"' + b'"",' * 500_000),
    "number.csv": ("validate", b"id,y\n" + b"r00," + b"9" * 1_500_000 + b"\n"),
    "rows.csv.gz": ("validate", gzip.compress(b"id,y\n" + b"r00,1\n" * 20_000_000, 1)),
    "broken.parquet": ("validate", b"PAR1" + b"\xff" * 1_000_000 + b"PAR1"),
    "form.csv": ("validate", b"\r\n--" * 400_000),
}


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Start a server for a card and a table task as an operator does."""
    make_benchmark(folder, 0)
    context = Context(data_dir=str(folder / "data"), tasks_dirs=(str(folder / "tasks"),))
    for task in (CARD, TABLE):
        compute(task, context)
    call = [sys.executable, "-m", "biomlbench.cli", "serve", "--port", "0", "--jobs", "2"]
    call += ["--data-dir", str(folder / "data"), "--tasks-dir", str(folder / "tasks")]
    with subprocess.Popen(
        call, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            if server.stdout is None or not (line := server.stdout.readline()):
                raise RuntimeError("the server did not start")
            yield line.split()[2]
        finally:
            server.terminate()


def send(url: str, path: str, content: bytes, name: str) -> int:
    """Upload one file; return the status of the answer."""
    task = CARD if path == "evaluate" else TABLE
    form = {"task_id": task}
    return requests.post(
        f"{url}/{path}", data=form, files={"file": (name, content)}, timeout=300
    ).status_code


def waits(ask: Callable[[], int], seconds: float, pause: float) -> list[float]:
    """Ask again and again for so many seconds; return how long each took, in ms."""
    found = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        start = time.monotonic()
        status = ask()
        found.append((time.monotonic() - start) * 1000)
        if status != 200:
            raise RuntimeError(f"an honest request got {status}")
        time.sleep(pause)
    return found


def both(url: str, honest: bytes, seconds: float) -> tuple[list[float], list[float]]:
    """Return the waits for /health and for an honest evaluation, asked side by side."""
    evaluated: list[float] = []
    client = threading.Thread(
        target=lambda: evaluated.extend(
            waits(lambda: send(url, "evaluate", honest, "solution.py"), seconds, 0.0)
        )
    )
    client.start()
    health = waits(lambda: requests.get(f"{url}/health", timeout=300).status_code, seconds, 0.02)
    client.join()
    return health, evaluated


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Measure the quiet server, then the one under attack.

    Parameters
    ----------
    quick : bool
        Three seconds each in place of forty.

    Returns
    -------
    list of dict
        ``figure``, ``ours``, ``peer`` (target or quiet server), ``ratio``, ``target`` and ``ok``.
    """
    seconds = 3.0 if quick else 40.0
    with kept_folder() as name, serving(Path(name)) as url:
        card = Context(data_dir=str(Path(name) / "data"), tasks_dirs=()).task(CARD)
        honest = min((card.folder / "solutions/right").glob("*.py")).read_bytes()
        send(url, "evaluate", honest, "solution.py")
        _, quiet = both(url, honest, seconds)
        stop = threading.Event()
        statuses: dict[str, set[int]] = {file: set() for file in HOSTILE}

        def attack() -> None:
            while not stop.is_set():
                for file, (path, content) in HOSTILE.items():
                    statuses[file].add(send(url, path, content, file))

        senders = [threading.Thread(target=attack) for _ in range(SENDERS)]
        for sender in senders:
            sender.start()
        health, beside = both(url, honest, seconds)
        stop.set()
        for sender in senders:
            sender.join()
    faults = {file: found for file, found in statuses.items() if max(found) >= 500}
    if faults:
        raise RuntimeError(f"the server failed on {faults}")
    ratio = statistics.median(beside) / statistics.median(quiet)
    print(
        f"/health beside hostile uploads: {len(health)} answers, median "
        f"{statistics.median(health):.1f} ms",
        flush=True,
    )
    return [
        against_target("server: /health beside hostile uploads, longest wait, ms", max(health),
                       HEALTH_MS, timed=True),
        {
            "figure": f"server: an honest evaluation beside {SENDERS} hostile senders, ms",
            "ours": statistics.median(beside),
            "peer": statistics.median(quiet),
            "ratio": ratio,
            "target": f"<= {BESIDE}",
            "ok": ratio <= BESIDE,
        },
    ]  # fmt: skip
