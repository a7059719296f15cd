"""The table of benchmarks: a broken or missed one fails the run and loses no other's figures."""

from __future__ import annotations

import csv
import sys
from types import ModuleType

import pytest

from bench import __main__ as bench
from bench.history import read
from bench.rows import against_target


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
