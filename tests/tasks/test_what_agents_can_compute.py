"""What an agent gets of a built-in task tells no answer, even to who has the preparers' code."""

from __future__ import annotations

import ast
import runpy
import struct
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import biomlbench
from biomlbench.registry import Registry
from biomlbench.task import toolbox
from biomlbench.tasks import blood_brain, cells, conformations, distances

PACKAGE = Path(biomlbench.__file__).parent
PREPARERS = sorted(
    [*PACKAGE.glob("tasks/*.py"), *PACKAGE.glob("tasks/*/*/prepare.py"),
     *PACKAGE.glob("templates/*/prepare.py")])  # fmt: skip
#: What hash orders go by, where the salt is in the code: what the public tables tell themselves,
#: names of targets and barcodes of cells, which say nothing about them.
PUBLISHED = ("frame['smiles']", "own['sequence']", "chains", "cells.index")


def _preparer(name):
    folder = Registry().get_task(name).folder
    return runpy.run_path(str(folder / "prepare.py"))["prepare"]


def _orders(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "hash_order":
            keys, salt = node.args
            yield ast.unparse(keys), {n.id for n in ast.walk(salt) if isinstance(n, ast.Name)}


def test_orders_that_the_code_tells_go_by_what_is_published():
    orders = [(path.name, *found) for path in PREPARERS for found in _orders(path)]
    assert len(orders) > 5
    assert [o for o in orders if "key" not in o[2] and o[1] not in PUBLISHED] == []


@given(st.lists(st.floats(-9, 9), min_size=2, max_size=20), st.data())
def test_a_key_hangs_on_every_value_and_on_the_salt(values, data):
    frame = pd.DataFrame({"y": values})
    place = data.draw(st.integers(0, len(values) - 1))
    other = frame.assign(y=[v + (i == place) for i, v in enumerate(values)])
    key = toolbox.data_key("salt", frame)
    assert key == toolbox.data_key("salt", frame.copy())
    assert len({key, toolbox.data_key("salt", other), toolbox.data_key("salts", frame)}) == 3


def test_a_key_of_files_tells_where_one_ends(tmp_path):
    keys = set()
    for number, parts in enumerate(((b"ab", b"c"), (b"a", b"bc"), (b"abc",))):
        paths = [tmp_path / f"{number}-{i}" for i in range(len(parts))]
        for path, part in zip(paths, parts, strict=True):
            path.write_bytes(part)
        keys.add(toolbox.data_key("salt", *paths))
    assert len(keys) == 3


@given(st.lists(st.sampled_from("abc"), min_size=3, max_size=60), st.floats(0.1, 0.9), st.text(),
       st.booleans())  # fmt: skip
def test_rows_are_split_and_numbered(labels, share, key, in_classes):
    frame = pd.DataFrame({"x": range(len(labels)), "y": labels})
    within = "y" if in_classes else None
    train, test = toolbox.split_rows(frame, share, key, "row_{:03d}", within)
    whole = pd.concat([test, train])
    assert list(whole) == ["id", "x", "y"]
    assert whole["id"].tolist() == [f"row_{i:03d}" for i in range(len(labels))]
    assert [labels[i] for i in whole["x"]] == whole["y"].tolist()
    assert sorted(whole["x"]) == list(range(len(labels)))
    counts = Counter(labels) if in_classes else {None: len(labels)}
    assert len(test) == sum(round(share * count) for count in counts.values())


def test_an_id_tells_neither_the_class_nor_the_place_in_the_raw_table():
    # the rarer class at the end of the raw table, as sorted tables have it
    labels = ["a"] * 40 + ["b"] * 20
    places, classes = np.zeros((2, 400, 24)), []
    for i in range(400):
        frame = pd.DataFrame({"x": range(60), "y": labels})
        _, test = toolbox.split_rows(frame, 0.4, f"key {i}", "{}", within="y")
        places[0, i], places[1, i] = test["x"], test["y"] == "b"
        classes.append(test["y"].tolist())
    # every place in the order of ids has, over many keys, the mean of all: five standard errors
    for values in places:
        error = values.std() / len(values) ** 0.5
        assert np.abs(values.mean(axis=0) - values.mean()).max() < 5 * error
    assert {Counter(one)["b"] for one in classes} == {8}


@pytest.mark.parametrize("task", ["breast-cancer-wisconsin", "diabetes-progression"])
def test_split_and_order_hang_on_the_hidden_answers(task, tmp_path, monkeypatch):
    import sklearn.datasets

    name = {"b": "load_breast_cancer", "d": "load_diabetes"}[task[0]]
    load = getattr(sklearn.datasets, name)
    data = load(as_frame=True, **({} if task[0] == "b" else {"scaled": False}))
    tables = []
    for change in (0, 1):
        data.target.iloc[0] = data.target.iloc[0] * (1 - change) + change * 7.0
        monkeypatch.setattr(sklearn.datasets, name, lambda **_: data)
        public, private = tmp_path / f"public{change}", tmp_path / f"private{change}"
        _preparer(f"clinical/{task}")(tmp_path, public, private)
        tables.append(toolbox.read_csv(public / "test.csv"))
    assert not tables[0].equals(tables[1])


def _record(data):
    return struct.pack("<i", len(data)) + data + struct.pack("<i", len(data))


def _write_simulation(path, frames):
    data = (
        _record(b"CORD" + bytes(80)) + _record(b"t") + _record(struct.pack("<i", frames.shape[1]))
    )
    for frame in frames.astype("<f4"):
        data += b"".join(_record(frame[:, axis].tobytes()) for axis in range(3))
    path.write_bytes(data)


@pytest.fixture
def kinase(tmp_path):
    """Return a folder of raw data of 60 and 12 frames of a chain of random walks."""
    raw, residues = tmp_path / "raw", max(max(pair) for pair in distances.PAIRS)
    raw.mkdir()
    atoms = "\n".join(f"{i} P {i} GLY CA" for i in range(1, residues + 1))
    for name in ("adk.psf", "adk_closed_NAMD.psf"):
        (raw / name).write_text(f"PSF\n{residues} !NATOM\n{atoms}\n")
    steps = np.random.default_rng(3).normal(size=(72, residues, 3))
    frames = np.cumsum(2.2 * steps, axis=1)
    _write_simulation(raw / "adk_dims.dcd", frames[:60])
    _write_simulation(raw / "adk_gbis_tmd-fast1_NAMD.dcd", frames[60:])
    return raw


def _prepared(raw, name, out):
    public, private = out / name / "public", out / name / "private"
    public.mkdir(parents=True)
    _preparer(name)(raw, public, private)
    return public, private


def test_frames_that_a_task_asks_for_are_in_no_public_file(kinase, tmp_path):
    names = ("kinase-from-distances", "kinase-other-simulation")
    folders = [_prepared(kinase, f"structure-prediction/{name}", tmp_path) for name in names]
    given_, asked = (
        {tuple(row) for folders_ in folders
         for row in toolbox.read_csv(folders_[side] / file)[["x", "y", "z"]].to_numpy().tolist()}
        for side, file in ((0, "train_coordinates.csv"), (1, "answers.csv"))
    )  # fmt: skip
    assert len(asked) > 1000
    assert len(given_) > 1000
    assert not given_ & asked


def test_the_error_of_distances_cannot_be_subtracted(kinase, tmp_path):
    public, _ = _prepared(kinase, "structure-prediction/kinase-from-distances", tmp_path)
    table = toolbox.read_csv(public / "train.csv")
    points = toolbox.read_csv(public / "train_coordinates.csv")[["x", "y", "z"]].to_numpy()
    points = points.reshape(len(table), -1, 3)
    errors, guesses = [], []
    for a, b in distances.PAIRS:
        true = np.linalg.norm(points[:, a - 1] - points[:, b - 1], axis=1)
        errors += (table[f"d_{a}_{b}"] - true).tolist()
        guesses += [conformations.hash_noise(f"train:{i}:{a}:{b}", 1.0) for i in range(len(table))]
    assert np.std(errors) == pytest.approx(1.0, rel=0.2)
    assert abs(np.corrcoef(errors, guesses)[0, 1]) < 0.35


def test_tasks_on_the_same_cells_give_the_same_genes():
    genes = ["CD3D", "NKG7", "GZMB", "KLRB1", "MS4A1"]
    assert cells.plain_genes(pd.DataFrame(columns=genes)) == ["CD3D", "MS4A1"]


def test_molecules_of_two_tasks_are_on_the_same_side(tmp_path):
    count = 300
    passes = pd.DataFrame({
        "SMILES": [f"C{i}" for i in range(count)],
        "Inchi": [f"InChI={i}" for i in range(count)],
        "BBB+/BBB-": ["BBB+", "BBB-", "BBB+"] * (count // 3),
    })  # fmt: skip
    # written in another way, as the second table does
    ratio = pd.DataFrame({
        "SMILES": [f"N{i}" for i in range(0, count, 2)],
        "Inchi": [f"InChI={i}" for i in range(0, count, 2)],
        "logBB": np.arange(count // 2) / 100,
    })  # fmt: skip
    raw = tmp_path / "raw"
    raw.mkdir()
    passes.to_csv(raw / "B3DB_classification.tsv", sep="\t", index=False)
    ratio.to_csv(raw / "B3DB_regression.tsv", sep="\t", index=False)
    sides = []
    for name in ("blood-brain-barrier", "brain-blood-ratio"):
        public, _ = _prepared(raw, f"drug-discovery/{name}", tmp_path)
        sides.append([
            {smiles[1:] for smiles in toolbox.read_csv(public / file)["smiles"]}
            for file in ("train.csv", "test.csv")
        ])  # fmt: skip
    (train, test), (other_train, other_test) = sides
    assert len(test) == round(blood_brain.TEST_SHARE * count)
    assert other_test
    assert other_test <= test
    assert other_train <= train
