"""Bars show on terminals and only there, and take nothing from what is printed."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import threading

import pytest

from biomlbench.export import export
from biomlbench.runtime import progress_bars
from biomlbench.runtime.progress_bars import bar, track
from tests.bars import recorded
from tests.report import fixtures

NESTED = """
import os
from biomlbench.runtime.progress_bars import bar, show_bars, track
if {announced}:
    show_bars()
if {forked} and (child := os.fork()):
    raise SystemExit(os.waitpid(child, 0)[1])
for letter in track("ab", "outer [bold]"):
    print("line", letter)
    with bar("inner", 5_000_000, unit="bytes") as inner:
        inner.advance(2_000_000)
        if {announced} and not {forked}:
            import biomlbench.runtime.progress_bars as module
            module._display.refresh()
print("end")
"""


def on_a_terminal(code):
    """Run code whose standard error is a terminal; return what went there, and to the pipe."""
    master, slave = pty.openpty()
    shown = []

    def read():
        while True:
            try:
                part = os.read(master, 4096)
            except OSError:  # the other end is closed
                return
            if not part:
                return
            shown.append(part)

    reader = threading.Thread(target=read)
    reader.start()
    done = subprocess.run(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=slave,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
        text=True,
    )
    os.close(slave)
    reader.join()
    os.close(master)
    assert done.returncode == 0, b"".join(shown).decode()
    return b"".join(shown).decode(), done.stdout


def test_nested_bars_on_a_terminal_and_lines_in_the_pipe():
    shown, printed = on_a_terminal(NESTED.format(announced=True, forked=False))
    assert printed == "line a\nline b\nend\n"
    assert "outer [bold]" in shown  # words are no markup
    assert "2.0 MB of 5.0 MB" in shown
    assert "1 of 2" in shown
    assert "line" not in shown


@pytest.mark.parametrize(("announced", "forked"), [(False, False), (True, True)])
def test_a_library_and_a_forked_child_are_silent_on_a_terminal(announced, forked):
    shown, printed = on_a_terminal(NESTED.format(announced=announced, forked=forked))
    assert shown == ""
    assert printed == "line a\nline b\nend\n"


def test_no_terminal_no_bar(capsys, monkeypatch):
    monkeypatch.setattr(progress_bars, "_announced_by", os.getpid())
    assert list(track(iter("abc"), "counting", 3)) == ["a", "b", "c"]
    with bar("reading") as reading:
        reading.expect(3)
        reading.reach(2)
        reading.advance()
    assert capsys.readouterr() == ("", "")


def test_the_display_is_given_back_after_an_error(capsys):
    def fail():
        with bar("first", 1, shown=True), bar("second", 1, shown=True):
            raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        fail()
    assert progress_bars._display is None
    with bar("third", 1, shown=True) as third:
        third.advance()
    assert "third" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("form", "words"), [("csv", "writing CSV"), ("json", "writing the reports")]
)
def test_an_export_moves_its_bar_to_the_end(form, words, tmp_path, monkeypatch):
    fixtures.write(tmp_path / "results", 30)
    came_to_its_end = recorded(monkeypatch)
    export(tmp_path / "results", form, tmp_path / "out")
    assert came_to_its_end(words)
