"""Near duplicates of test rows in the training data, and what all writings of a text share."""

from __future__ import annotations

import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomlbench.audit.detectors import twins
from biomlbench.audit.detectors._canonical import (
    folded,
    parts,
    reverse_complement,
    strands,
    word_parts,
)
from biomlbench.audit.detectors._near_rows import near_rows
from biomlbench.audit.detectors._near_texts import near_texts
from biomlbench.audit.detectors._smiles import composition, molecule
from biomlbench.audit.subject import Subject
from tests.audit import zoo

NAME = "near-duplicates-across-split"
SYMBOLS = ("C", "N", "O", "S", "Cl", "[13C]", "[N+]", "[O-]")
BONDS = {1: "", 2: "=", 3: "#"}


def found_in(task, tmp_path):
    subject = Subject(task.write(tmp_path))
    found = list(twins.find(subject))
    assert subject.faults == []
    return found


@st.composite
def graphs(draw):
    """Atoms and bonds of a connected molecule with a few rings."""
    symbols = draw(st.lists(st.sampled_from(SYMBOLS), min_size=2, max_size=12))
    order = st.sampled_from(sorted(BONDS))
    bonds = {(draw(st.integers(0, i - 1)), i): draw(order) for i in range(1, len(symbols))}
    for one, other in draw(
        st.lists(st.tuples(*[st.integers(0, len(symbols) - 1)] * 2), max_size=3)
    ):
        if one < other:
            bonds.setdefault((one, other), draw(order))
    return symbols, bonds


def written(symbols, bonds, seed):
    """Return a SMILES that begins at some atom and goes on in some order."""
    rng = random.Random(seed)
    near = {atom: [] for atom in range(len(symbols))}
    for one, other in bonds:
        near[one].append(other)
        near[other].append(one)
    for others in near.values():
        rng.shuffle(others)
    start = rng.randrange(len(symbols))
    children, closures, seen = {}, {}, set()

    def walk(atom, parent):
        seen.add(atom)
        children[atom] = []
        for other in near[atom]:
            if other == parent:
                continue
            if other in seen:
                closures.setdefault(frozenset((atom, other)), len(closures) + rng.choice([1, 12]))
            else:
                children[atom].append(other)
                walk(other, atom)

    def bond(one, other):
        return BONDS[bonds[min(one, other), max(one, other)]]

    def text(atom):
        rings = [(number, pair) for pair, number in closures.items() if atom in pair]
        marks = "".join(
            bond(*pair) + (f"%{number:02d}" if number > 9 else str(number))
            for number, pair in rings
        )
        branches = [bond(atom, other) + text(other) for other in children[atom]]
        return (
            symbols[atom]
            + marks
            + "".join(f"({one})" for one in branches[:-1])
            + "".join(branches[-1:])
        )

    walk(start, None)
    numbers = list(closures.values())
    closures = {pair: i + (11 if numbers[i] > 9 else 1) for i, pair in enumerate(closures)}
    return text(start)


@given(graphs(), st.integers(0, 2**32), st.integers(0, 2**32))
def test_all_writings_of_a_molecule_have_one_form(graph, one, other):
    first, second = written(*graph, one), written(*graph, other)
    assert molecule(first) == molecule(second) is not None
    assert composition(first) == composition(second)


@given(graphs(), st.data())
def test_another_atom_or_bond_is_another_molecule(graph, data):
    symbols, bonds = graph
    form = molecule(written(symbols, bonds, 0))
    atom = data.draw(st.integers(0, len(symbols) - 1))
    other = data.draw(st.sampled_from([one for one in SYMBOLS if one != symbols[atom]]))
    changed = [*symbols[:atom], other, *symbols[atom + 1 :]]
    assert molecule(written(changed, bonds, 1)) != form
    pair = data.draw(st.sampled_from(sorted(bonds)))
    assert molecule(written(symbols, bonds | {pair: bonds[pair] % 3 + 1}, 1)) != form


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("c1ccccc1-c1ccccc1", "c1ccc(cc1)c1ccccc1"),
        ("N[C@@H](C)C(=O)O", "OC(=O)[C@H](N)C"),
        ("F/C=C/F", "FC=CF"),
        ("CCO.[Na+].[Cl-]", "[Cl-].OCC.[Na+]"),
        ("C%12CCCCC%12", "C1CCCCC1"),
        ("[H]OCC", "CCO"),
        ("C=1CCCCC1", "C1CCCCC=1"),
        ("[Fe++]", "[Fe+2]"),
    ],
)
def test_the_same_molecule(one, other):
    assert molecule(one) == molecule(other) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C1CCC2CCCCC2C1", "C1CCC(C1)C1CCCC1"),  # all atoms of one have like ones in the other
        ("c1ccccc1", "C1CCCCC1"),
        ("[13CH4]", "C"),
        ("CC[O-]", "CCO"),
        ("CCO", "CCO.O"),
    ],
)
def test_other_molecules(one, other):
    assert None is not molecule(one) != molecule(other) is not None


@pytest.mark.parametrize(
    "text",
    ["", "C(", "C)", "C1CC", "C==C", "=C", "C=", "C.", "spoon", "MKV", "[Xx", "C11", "C12CC12"],
)
def test_no_molecule(text):
    assert molecule(text) is None


@given(st.text("ACGTRYKMBDHVSWN", min_size=1))
def test_the_reverse_complement_of_the_reverse_complement(text):
    other = reverse_complement(folded(text))
    assert reverse_complement(other) == folded(text)
    assert strands(text) == strands(other) == strands(text.replace("T", "U"))
    assert parts(text).tolist() == parts(other).tolist()


def test_parts():
    text = "MKVLAAGIVGLCAKEWQRSTYNDPHF" * 2
    assert len(np.intersect1d(parts(text), parts(text[1:]))) == len(parts(text[1:]))
    assert len(parts("MKVLAAGIVGLCAKEWQRSTYND")) == 0
    assert len(word_parts("one two three four")) == 2
    assert len(word_parts("one two")) == len(word_parts("")) == 0


TWINS = [name for name, (expected, _) in zoo.FLAWED.items() if expected == NAME]
WITHOUT = (
    *("replicates_on_each_side_alone", "questionnaires_of_five_answers"),
    *("homologous_families_on_both_sides", "analogues_of_one_scaffold"),
    *("slow_series_that_the_test_continues", "few_values_of_few_features", "two_keys_are_read"),
    *("strong_feature", "sequences_of_their_own", "several_outputs", "survival_times"),
)


@pytest.mark.parametrize("name", TWINS)
def test_twins_are_found(name, tmp_path):
    (found,) = found_in(zoo.FLAWED[name][1](), tmp_path)
    assert found.name == NAME
    assert found.severity == ("severe" if "windows" in name or "sequences" in name else "moderate")
    assert "33%" in found.what or "50%" in found.what


@pytest.mark.parametrize("name", WITHOUT)
def test_no_twins_in_a_sound_task(name, tmp_path):
    assert found_in(zoo.SOUND[name](), tmp_path) == []


def test_rows_that_are_equal_are_no_twins(tmp_path):
    assert found_in(zoo.with_twins(lambda rows, _: rows), tmp_path) == []


def test_twins_of_other_labels_are_none(tmp_path):
    def changed(rows, rng):
        names = [name for name in rows if name not in ("id", "y")]
        rows[names] += rng.normal(size=(len(rows), len(names))) / 1000
        return rows.assign(y=rng.permutation(rows["y"]))

    assert found_in(zoo.with_twins(changed), tmp_path) == []


def test_few_twins_are_a_minor_fault(tmp_path):
    task = zoo.test_rows_are_training_rows_measured_again()
    rng = np.random.default_rng(0)
    names = [name for name in task.public["test"] if name != "id"]
    key = task.answers.sort_values("id").reset_index(drop=True)
    test = task.public["test"].sort_values("id").reset_index(drop=True)
    known = near_rows(test[names].astype(str), task.public["train"][names].astype(str), rng)
    kept = np.flatnonzero(known.rows >= 0)[12:]
    test.loc[kept, names] = rng.normal(size=(len(kept), len(names))).round(4)
    task.public["test"], task.answers = test, key
    task.public["sample_submission"] = key[["id"]].assign(y=0.0)
    (found,) = found_in(task, tmp_path)
    assert found.severity == "minor"
    assert found.what.startswith("8% of the rows")


def test_blanks_are_equal_to_blanks_alone():
    rng = np.random.default_rng(1)
    train = pd.DataFrame(rng.normal(size=(200, 8)).round(4), columns=list("abcdefgh"))
    train = train.mask(rng.random(train.shape) < 0.2).assign(kind=rng.choice(list("xyz"), 200))
    test = train.head(60).copy()
    test["a"] += 0.001
    test = pd.concat([test, test.assign(b=0.1, c=""), test.assign(kind="w", b=0.1)])
    found = near_rows(test.astype(object), train.astype(object), rng)
    changed = test["a"].notna().to_numpy()[:60]
    assert (found.rows[:60] >= 0).tolist() == changed.tolist()
    assert (found.rows[60:] >= 0).sum() <= 2 * 30
    assert found.among == 0


def test_molecules_are_found_among_many_by_their_letters():
    rng = np.random.default_rng(2)
    pairs = zoo.molecules(rng, 400)
    known = np.array([ahead for ahead, _ in pairs], object)
    asked = np.array([back for _, back in pairs[:50]], object)
    found = near_texts(asked, known, rng)
    other = np.array([ahead != back and back not in set(known) for ahead, back in pairs[:50]])
    assert found.rows.tolist() == np.where(other, np.arange(50), -1).tolist()
    assert found.among == 0


def test_notes_of_which_a_word_is_another():
    rng = np.random.default_rng(3)
    words = np.array([f"word{i}" for i in range(500)])
    known = np.array([" ".join(rng.choice(words, 30)) for _ in range(100)], object)
    asked = np.array([" ".join([*text.split()[:-1], "new"]) for text in known[:20]], object)
    found = near_texts(asked, known, rng)
    assert found.rows.tolist() == list(range(20))
    assert found.among == 0


def test_long_texts_are_sampled(monkeypatch):
    monkeypatch.setattr("biomlbench.audit.detectors._near_texts.MAX_CHARACTERS", 1000)
    rng = np.random.default_rng(4)
    known = np.array(["".join(rng.choice(list("ACGT"), 100)) for _ in range(50)], object)
    found = near_texts(known, known, rng)
    assert len(found.asked) == len(found.rows) == 9
    assert (found.rows == -1).all()
