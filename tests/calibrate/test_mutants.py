import ast
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import biomlbench.verify
from biomlbench.calibrate import _slips
from biomlbench.calibrate.held_out import HELD_OUT as HELD_OUT_OPERATORS
from biomlbench.calibrate.mutants import (
    FAMILIES,
    HELD_OUT,
    INPUTS,
    SECOND_ORDER,
    TRAINING,
    candidates,
    choose,
    family_of,
)
from biomlbench.calibrate.operators import OPERATORS, RESERVE

TEMPLATE = Path(biomlbench.verify.__file__).parent / "template"
SOURCE = '''
"""Docstring."""
import numpy as np


def f(x, mask, eps=1e-8):
    """Docstring."""
    x = x - x.mean(axis=0)
    total = np.log(np.sum(np.where(mask, x, 0.0), axis=-1) / (x.std() + eps))
    for i in range(1, 3):
        if total[i] > 0 and i < 2:
            total[i] -= x[1:].max()
    return -np.sqrt(total)
'''


def _of(operator):
    return [m for m in candidates(SOURCE) if m.operator == operator]


@pytest.mark.parametrize("operator", sorted({**OPERATORS, **RESERVE}))
def test_each_operator_finds_its_slip_and_changes_something(operator):
    found = _of(operator)
    assert found
    for mutant in found:
        compile(mutant.source, mutant.name, "exec")
        changed = [line for line in mutant.diff.splitlines() if line[:1] in "+-"][2:]
        assert changed, mutant.name


@pytest.mark.parametrize(
    ("operator", "text"),
    [
        ("wrong-axis", "axis=1"),
        ("dropped-epsilon", "/ x.std())"),
        ("off-by-one", "x[2:]"),
        ("off-by-one", "range(1, 4)"),
        ("missing-mask", "np.sum(x, axis=-1)"),
        ("ddof", "x.std(ddof=1)"),
        ("log-base", "np.log2"),
        ("boundary", "total[i] >= 0"),
        ("swapped-operands", "x.mean(axis=0) - x"),
        ("missing-term", "np.log(np.sum(np.where(mask, x, 0.0), axis=-1))"),
        ("sign", "return np.sqrt(total)"),
        ("statement", "x -= x.mean(axis=0)"),
        ("loop", "break"),
        ("early-return", "return total"),
        ("result", "_mutant_float32("),
        ("downcast", "mask = _mutant_float32(mask)"),
    ],
)
def test_the_mutant_one_expects_is_there(operator, text):
    assert any(text in mutant.diff for mutant in _of(operator))


def test_candidates_are_the_same_every_time_and_distinct():
    first, second = candidates(SOURCE), candidates(SOURCE)
    assert first == second
    assert len({m.source for m in first}) == len({m.name for m in first}) == len(first)
    # one of each operator comes first
    assert len({m.operator for m in first[:12]}) == 12


def test_equivalent_looping_and_broken_mutants_are_set_aside(tmp_path):
    folder = tmp_path / "gc-content"
    shutil.copytree(TEMPLATE, folder)
    (entry,) = biomlbench.verify.load(folder).entry_points
    text = (folder / "reference.py").read_text()
    base = candidates(text)[0]
    from dataclasses import replace

    made = [
        replace(base, source=text),
        replace(base, source=f"def {entry}(*args, **kwargs):\n    while True: pass\n"),
        replace(base, source=f"def {entry}(*args, **kwargs):\n    raise ValueError\n"),
        replace(base, source=f"def {entry}(*args, **kwargs):\n    return 17.0\n"),
        replace(base, source=f"import os\ndef {entry}(*args, **kwargs):\n    os.abort()\n"),
    ]
    tried = choose(folder, {TRAINING: 10}, inputs=300, of=made)
    assert [m.status for m in tried] == ["equivalent", "hangs", "no_result", "live", "hangs"]
    assert tried[0].inputs == 300


def test_choosing_stops_when_there_are_enough():
    tried = choose(TEMPLATE, {TRAINING: 5, HELD_OUT: 2, SECOND_ORDER: 3}, inputs=200)
    live = Counter(m.family for m in tried if m.status == "live")
    assert live == {TRAINING: 5, HELD_OUT: 2, SECOND_ORDER: 3}
    assert [m.family for m in tried] == sorted((m.family for m in tried), key=FAMILIES.index)
    assert tried[-1].status == "live"
    assert INPUTS == 2000


def test_the_reserve_comes_last_and_each_helper_is_there():
    found = candidates(SOURCE)
    reserve = [m.operator in RESERVE for m in found]
    assert reserve == sorted(reserve)


def _names(source):
    return {n.id for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Name)}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_mutant_carries_what_it_calls_and_nothing_else(family):
    for mutant in candidates(SOURCE, family):
        carried = {n.name for n in ast.parse(mutant.source).body if "_mutant_" in ast.unparse(n)}
        carried = {name for name in carried if name.startswith("_mutant_")}
        called = {n for n in _names(mutant.source) if n.startswith("_mutant_")}
        assert carried == called, mutant.name


@pytest.mark.parametrize(
    ("helper", "want"),
    [
        ("larger", [3.003, 1.001, 2.002]), ("shifted", [3.001, 1.001, 2.001]),
        ("clipped", [1, 1, 1]), ("sorted", [1, 2, 3]), ("last_lost", [3, 1, 0]),
        ("first_only", [3, 3, 3]), ("negated", [-3, -1, -2]), ("reversed", [2, 1, 3]),
    ],
)  # fmt: skip
def test_helpers_keep_the_form(helper, want):
    change = getattr(_slips, f"_mutant_{helper}")
    got = change(np.array([3.0, 1.0, 2.0]))
    assert got.dtype == float
    assert got == pytest.approx(want)
    assert set(change({"a": np.array([3.0, 1.0, 2.0]), "b": "text"})) == {"a", "b"}


def test_what_the_task_leaves_free_makes_no_mutant():
    from biomlbench.calibrate.agreement import Form

    free = Form(abs)
    assert free.equal(np.array([1.0, -2.0]), np.array([-1.0, 2.0]))
    assert not Form(lambda value: value).equal(np.array([1.0]), np.array([-1.0]))
    assert not free.equal("text", np.array([1.0]))
    assert Form(lambda value: value, unordered=True).equal([1, 2], [2, 1])


OTHERS = '''
from __future__ import annotations

import math
import re


def best(rows, text, size):
    """Docstring."""
    found = {}
    for i, line in enumerate(text.split("\\n")):
        if line is None:
            continue
        key = line.strip().upper()
        found[key] = found.get(key, 0) + len(set(re.findall("a", key)))
    while size > 1:
        size = size // 2
    if size == 3:
        raise ValueError("size")
    total = math.fsum(rows) / (size % 5) + math.hypot(1, 2)
    return max(found, key=found.get), sorted(found, reverse=True)[::2], total
'''


@pytest.mark.parametrize("operator", sorted(HELD_OUT_OPERATORS))
def test_each_operator_held_out_finds_its_slip(operator):
    found = [m for m in candidates(OTHERS, HELD_OUT) if m.operator == operator]
    assert found
    for mutant in found:
        # a future import stays the first statement, and what a wrapper is called by exists by then
        exec(compile(mutant.source, mutant.name, "exec"), {})
        assert family_of(operator) == mutant.family == HELD_OUT


def test_no_operator_is_of_two_families():
    assert not HELD_OUT_OPERATORS.keys() & {*OPERATORS, *RESERVE}


def test_mutants_with_two_changes_have_one_of_each_of_two_operators():
    first = {m.source for m in candidates(SOURCE)}
    found = candidates(SOURCE, SECOND_ORDER)
    pairs = {tuple(part.split(":")[0] for part in m.note.split("; ")) for m in found}
    assert len(pairs) > 20
    assert all(a != b and {a, b} <= OPERATORS.keys() for a, b in pairs)
    assert not first & {m.source for m in found}
    assert {m.family for m in found} == {SECOND_ORDER}


SLIPS = {
    "one_object": "live", "one_buffer": "live", "sorting": "live", "adding": "live",
    "memory": "live", "upper": "equivalent",
}  # fmt: skip


def test_what_a_slip_does_to_later_calls_and_to_arguments_counts(tmp_path):
    """Each of these returns the right result of a first call with arrays row after row."""
    folder = tmp_path / "kabsch-rmsd"
    card = Path(biomlbench.__file__).parent / "tasks" / "kernels" / "pca-scores"
    shutil.copytree(card, folder)
    (entry,) = biomlbench.verify.load(folder).entry_points
    found = candidates((folder / "reference.py").read_text(), HELD_OUT)
    made = [m for m in found if any(f"@_mutant_{slip}_calls" in m.diff for slip in SLIPS)]
    made = [m for m in made if m.note.startswith(f"{entry}:")]
    tried = choose(folder, {HELD_OUT: 10}, inputs=200, of=made)
    got = {s: m.status for m in tried for s in SLIPS if f"@_mutant_{s}_calls" in m.diff}
    assert got == SLIPS
