"""What `biomlbench verify` prints beside the checks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

from biomlbench.cli import verify
from biomlbench.contracts import from_rows
from biomlbench.stages.outputs import case_row
from tests.waiting import wait_until

NOTE = "no call executes lines {} of the code; read them first"


@pytest.mark.parametrize(
    ("lines", "told"),
    [(None, ""), ([], ""), ([7], "7"), ([3, 5, 6, 7, 9], "3, 5 to 7, 9")],
)
def test_lines_that_no_call_executes_are_named(lines, told, tmp_path, monkeypatch):
    path = tmp_path / "candidate.py"
    path.write_text("x = 1\n")
    check = {"task_id": "t", "run_id": "r", "check": "one", "outcome": "passed", "verdict": "pass"}
    ids = {"task_id": "t", "run_id": "r"}
    case = case_row(
        case_id="a", suite="hidden", repeat=0, status="ok", message="", unexecuted_lines=lines
    )
    tables = {"execute": from_rows("execute", [ids | case])}
    monkeypatch.setattr(verify, "stage_tables", lambda *_: tables | {"verify": Rows([check])})
    monkeypatch.setattr(verify, "finish", lambda *_: None)
    done = CliRunner().invoke(verify.command, [str(path), "kabsch-rmsd"], catch_exceptions=False)
    assert "verdict: pass" in done.output
    assert (NOTE.format(told) in done.output) is bool(told)
    assert ("no call executes" in done.output) is bool(told)


class Rows(list):
    """A table's rows, as far as the command looks at them."""

    def to_pylist(self):
        return [dict.fromkeys(verify.PRINTED, "") | {"verdict_reasons": []} | row for row in self]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_command_that_is_ended_leaves_no_folder_behind(number, tmp_path):
    code, temporary = tmp_path / "code.py", tmp_path / "temporary"
    code.write_text("def kabsch_rmsd(mobile, target):\n    while True: pass\n")
    temporary.mkdir()
    call = [sys.executable, "-m", "biomlbench.cli", "verify", str(code), "kabsch-rmsd"]
    env = {**os.environ, "TMPDIR": str(temporary)}
    process = subprocess.Popen(call, env=env, cwd=tmp_path, stderr=subprocess.DEVNULL)
    wait_until(lambda: list(temporary.glob("biomlbench-*/validate.parquet")), by=process)
    process.send_signal(number)
    # CPython ends by the signal itself where a KeyboardInterrupt left the exec of a text.
    assert process.wait() in (128 + number, 1, -number)
    assert not list(temporary.iterdir())
