"""A server on loopback with a toy task and three versions of a problem card."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import requests

import biomlbench.verify
from biomlbench.serve import Settings
from biomlbench.stages import Context
from biomlbench.stages.prepare import compute
from tests.waiting import HANG_S, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = Path(biomlbench.verify.__file__).parent / "template"
TASK = "toy/line"
VERSIONS = ("v1", "shadow", "v2")


@pytest.fixture(scope="session", autouse=True)
def extra() -> None:
    for name in ("uvicorn", "starlette", "python_multipart"):
        pytest.importorskip(name, reason="the extra `serve` is not installed")


@pytest.fixture(scope="session")
def home(tmp_path_factory) -> Path:
    """Folder with `tasks` and their prepared `data`; `toy/unprepared` has none."""
    path = tmp_path_factory.mktemp("served")
    toys = ROOT / "tests/workflow/toy/toy"
    for name in ("line", "unprepared"):
        shutil.copytree(toys / "line", path / "tasks/toy" / name)
    ignore = shutil.ignore_patterns("__pycache__")
    for version in VERSIONS:
        folder = path / f"tasks/kernels/gc-{version}"
        shutil.copytree(TEMPLATE, folder, ignore=ignore)
        config = folder / "config.yaml"
        config.write_text(config.read_text().replace("version: v2", f"version: {version}"))
    # A v1 card as it is before its migration.
    (path / "tasks/kernels/gc-v1/verifier.yaml").unlink()
    shutil.copytree(path / "tasks/kernels/gc-v2", path / "tasks/kernels/gc-unprepared")
    for task in (TASK, *(f"kernels/gc-{version}" for version in VERSIONS)):
        compute(task, context_of(path))
    return path


def context_of(home: Path) -> Context:
    return Context(data_dir=str(home / "data"), tasks_dirs=(str(home / "tasks"),))


@pytest.fixture(scope="session")
def url(home, tmp_path_factory):
    """Address of `biomlbench serve`, started as an operator starts it."""
    call = [sys.executable, "-m", "biomlbench.cli", "serve", "--port", "0", "--jobs", "2"]
    call += ["--data-dir", home / "data", "--tasks-dir", home / "tasks", "--max-upload-mb", "2"]
    log = tmp_path_factory.mktemp("log") / "stderr"
    with log.open("w") as errors:
        server = subprocess.Popen(
            call, stdout=subprocess.PIPE, stderr=errors, text=True,
            env={**os.environ, "TASK_ID": TASK, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        line = server.stdout.readline()
        assert line.startswith("Serving on http://127.0.0.1:"), log.read_text()
        address = line.split()[2]
        wait_for(address, lambda: server.poll() is None)
        yield address
        server.terminate()
        server.wait(HANG_S)


def wait_for(address: str, is_alive: Callable[[], bool]) -> None:
    def answers() -> bool:
        assert is_alive(), "the server has ended"
        with contextlib.suppress(requests.ConnectionError):
            requests.get(f"{address}/health", timeout=HANG_S)
            return True
        return False

    wait_until(answers, "the server")


@contextlib.contextmanager
def serving(settings: Settings):
    """Serve from a thread of this process, so that a test can reach inside."""
    import uvicorn

    from biomlbench.serve.app import create_app
    from biomlbench.serve.http import BoundedProtocol

    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(create_app(settings), http=BoundedProtocol, log_config=None)
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    try:
        wait_for(address, thread.is_alive)
        yield address
    finally:
        server.should_exit = True
        thread.join(HANG_S)


@pytest.fixture
def settings(home) -> Settings:
    return Settings(context=context_of(home), task_id=TASK)


def predictions(rows: int = 30) -> str:
    return "id,y\n" + "".join(f"r{i:02d},{2 * i / 10 + 1}\n" for i in range(rows))


def post(url: str, path: str, content: bytes | str, name: str, **fields: str):
    files = {"file": (name, content, "application/octet-stream")}
    return requests.post(f"{url}/{path}", files=files, data=fields, timeout=HANG_S)
