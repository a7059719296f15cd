"""What `biomlbench verify` prints beside the checks."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from biomlbench.cli import verify
from biomlbench.contracts import from_rows
from biomlbench.stages.outputs import case_row

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
