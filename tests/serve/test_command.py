"""`biomlbench serve` before it serves."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest
from click.testing import CliRunner

from biomlbench.serve import Settings
from tests.waiting import HANG_S


def serve(*arguments: str) -> subprocess.CompletedProcess[str]:
    call = [sys.executable, "-m", "biomlbench.cli", "serve", *arguments]
    return subprocess.run(call, capture_output=True, text=True, timeout=HANG_S)


def test_a_port_that_is_taken_is_named():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = serve("--port", str(port))
    assert done.returncode == 3
    assert f"port {port}" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_task_that_there_is_not_is_refused_at_once():
    done = serve("--port", "0", "--task", "no-such-task")
    assert done.returncode == 3
    assert "no-such-task" in done.stderr


def test_a_second_answer_on_a_connection_is_sent_at_once():
    from biomlbench.cli.serve import _listen

    with (
        _listen("127.0.0.1", 0) as listening,
        socket.create_connection(listening.getsockname()),
        listening.accept()[0] as answering,
    ):
        assert answering.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_missing_extra_is_named(monkeypatch):
    from biomlbench.cli.serve import command

    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = CliRunner().invoke(command, [])
    assert done.exit_code == 3
    assert "[serve]'" in done.output


@pytest.mark.parametrize("name", ["jobs", "timeout_s", "upload_s", "max_upload_mb"])
def test_settings_are_checked(name):
    with pytest.raises(ValueError, match=name):
        Settings(**{name: 0})
