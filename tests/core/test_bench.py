"""The table of benchmarks: a broken or missed one fails the run and loses no other's figures."""

from __future__ import annotations

import csv
import sys
from types import ModuleType

import pytest

from bench import __main__ as bench
from bench.history import read
from bench.rows import against_target, at_speed


@pytest.fixture
def modules(monkeypatch):
    def add(name, run):
        module = ModuleType(f"bench.bench_{name}")
        module.run = run
        monkeypatch.setitem(sys.modules, f"bench.bench_{name}", module)

    add("met", lambda quick: [against_target("fast enough, s", 1.0, 2.0)])
    add("missed", lambda quick: [against_target("too slow, s", 3.0, 2.0)])
    add("broken", lambda quick: 1 / 0)


def test_a_broken_benchmark_loses_no_other(modules, tmp_path):
    table = tmp_path / "bench.csv"
    assert bench.main(["broken", "met", "--out", str(table)]) == 1
    with table.open(newline="") as file:
        rows = {row["figure"]: row["ok"] for row in csv.DictReader(file)}
    assert rows == {"bench_broken broke: division by zero": "False", "fast enough, s": "True"}
    assert list(read(table)) == ["fast enough, s"]
    assert table.with_suffix(".svg").stat().st_size > 0


@pytest.mark.parametrize(("name", "code"), [("met", 0), ("missed", 1)])
def test_a_missed_target_ends_with_1(modules, tmp_path, name, code):
    assert bench.main([name, "--out", str(tmp_path / "bench.csv")]) == code


def test_targets_in_seconds_are_for_a_machine_of_speed_1():
    timed = against_target("work, s", 3.0, 2.0, timed=True)
    memory = against_target("memory, GB", 3.0, 2.0)
    slow = {row["figure"]: at_speed(row, 0.5) for row in (timed, memory)}
    assert (slow["work, s"]["ratio"], slow["work, s"]["ok"]) == (0.75, True)
    assert (slow["memory, GB"]["ratio"], slow["memory, GB"]["ok"]) == (1.5, False)
    assert at_speed(timed, 1.0)["ok"] is False
    assert at_speed(against_target("work, s", 1.0, 2.0, timed=True), 4.0)["ok"] is False
    assert at_speed(against_target("work, s", 1.0, 2.0, timed=True, also=False), 1.0)["ok"] is False


def test_a_table_that_was_begun_with_fewer_columns_goes_on(modules, tmp_path):
    table = tmp_path / "bench.csv"
    table.write_text("commit,sizes,figure,ratio\nold,full,before,2.0\n")
    bench.main(["met", "--out", str(table)])
    with table.open(newline="") as file:
        before, row = csv.DictReader(file)
    assert (before["commit"], before["figure"], before["speed"]) == ("old", "before", "")
    assert float(row["speed"]) > 0
    assert list(read(table)) == ["before", "fast enough, s"]
