"""The model zoo and the tools of the preparers."""

from __future__ import annotations

import gzip
import struct

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from biomlbench.task import toolbox
from biomlbench.task.sources.archives import DataSourceError
from biomlbench.tasks import conformations, fitness
from biomlbench.zoo import Problem, entries, find_entry, fit_predict
from biomlbench.zoo.conformations import superpose
from biomlbench.zoo.models import KINDS
from biomlbench.zoo.pixels import pixel_features, pixel_problem
from biomlbench.zoo.problem import hashed_ngrams, martingale_residuals
from biomlbench.zoo.proteins import variant_features


@pytest.mark.parametrize("kind", KINDS)
def test_zoo_has_thirty_entries_that_can_be_built(kind):
    zoo = entries(kind)
    assert len(zoo) >= 30
    assert len({entry.name for entry in zoo}) == len(zoo)
    for entry in zoo:
        model = entry.make(3, regression=kind in ("regression", "multioutput"))
        assert hasattr(model, "fit")
        assert find_entry(kind, entry.name) is entry


def test_entries_with_random_numbers_take_the_seed():
    entry = find_entry("regression", "forest-leaf-5")
    assert entry.make(7, regression=True).random_state == 7


@pytest.mark.parametrize(("kind", "name"), [("binary", "logistic-1.0"), ("binary", "svm-rbf-1.0"),
                                            ("regression", "svr-1.0"), ("multioutput", "pls-2"),
                                            ("multiclass", "knn-5")])  # fmt: skip
def test_predictions_have_the_form_that_submit_wants(kind, name):
    x = np.random.default_rng(0).normal(size=(60, 4))
    y = {
        "binary": (x[:, 0] > 0).astype(int),
        "multiclass": np.where(x[:, 0] > 0, "a", "b"),
        "regression": x[:, 0],
        "multioutput": x[:, :3],
    }[kind]
    problem = Problem(kind, x, y, x[:10], pd.DataFrame)
    one, two = (fit_predict(problem, find_entry(kind, name), seed=1, share=0.8) for _ in "ab")
    assert np.array_equal(one, two)
    assert one.shape == ((10, 3) if kind == "multioutput" else (10,))
    if kind == "binary":
        assert ((one >= 0) & (one <= 1)).all()
        assert (np.corrcoef(one, x[:10, 0])[0, 1]) > 0.5


@pytest.mark.parametrize("kind", ["regression", "multioutput"])
@pytest.mark.parametrize("features", [1, 3, 8])
def test_entries_that_suit_a_narrow_task_can_be_fitted(kind, features):
    x = np.random.default_rng(0).normal(size=(60, features))
    y = x[:, 0] if kind == "regression" else np.stack([x[:, 0], -x[:, 0]], axis=1)
    problem = Problem(kind, x, y, x[:5], pd.DataFrame)
    suited = [entry for entry in entries(kind) if entry.suits(*x.shape)]
    left_out = {entry.name for entry in entries(kind)} - {entry.name for entry in suited}
    assert left_out == {f"pls-{n}" for n in (2, 4, 8) if n > features}
    for entry in suited:
        if entry.model in ("PLSRegression", "KNeighborsRegressor", "Ridge"):
            assert np.isfinite(fit_predict(problem, entry, seed=0)).all()


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40), st.randoms())
def test_hash_order_is_a_permutation_that_moves_with_its_keys(keys, random):
    keys = list(dict.fromkeys(keys))
    order = toolbox.hash_order(keys, "salt")
    assert sorted(order) == list(range(len(keys)))
    shuffled = keys[:]
    random.shuffle(shuffled)
    again = toolbox.hash_order(shuffled, "salt")
    assert [keys[i] for i in order] == [shuffled[i] for i in again]


def test_hash_order_never_changes():
    # the split of every task hangs on it
    assert toolbox.hash_order(range(8), "fixed").tolist() == FIXED_ORDER


# from the shell: printf 'fixed:%d' i | sha256sum, sorted
FIXED_ORDER = [3, 5, 7, 1, 2, 0, 4, 6]


@given(arrays(np.float64, st.integers(1, 20), elements=st.floats(allow_nan=False)))
def test_tables_keep_every_bit(tmp_path_factory, values):
    path = tmp_path_factory.getbasetemp() / "bits.csv"
    toolbox.write_csv(pd.DataFrame({"v": values}), path)
    assert np.array_equal(toolbox.read_csv(path)["v"].to_numpy(dtype=float), values)


def test_arrays_are_plain_and_have_equal_bytes(tmp_path):
    array = np.arange(12, dtype=np.int16).reshape(3, 4)
    toolbox.write_array(array, tmp_path / "a.npy")
    toolbox.write_array(np.asfortranarray(array), tmp_path / "b.npy")
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()
    assert np.array_equal(np.load(tmp_path / "a.npy", allow_pickle=False), array)


def test_answers_leave_the_public_tables(tmp_path):
    frame = pd.DataFrame({"id": ["a", "b", "c"], "x": [1, 2, 3], "y": [4.5, 5.5, 6.5]})
    public, private = tmp_path / "public", tmp_path / "private"
    toolbox.write_tables(public, private, frame[:1], frame[1:], ["y"], {"y": 0.0})
    assert list(toolbox.read_csv(public / "test.csv")) == ["id", "x"]
    assert toolbox.read_csv(private / "answers.csv")["y"].tolist() == [5.5, 6.5]
    assert toolbox.read_csv(public / "sample_submission.csv")["y"].tolist() == [0.0, 0.0]


def test_missing_extra_says_how_to_get_it():
    with pytest.raises(DataSourceError, match=r"pip install .*\[tasks\]'"):
        toolbox.require("no_such_module_anywhere")


@given(st.integers(2, 30).flatmap(lambda n: st.tuples(
    arrays(np.float64, n, elements=st.floats(0.1, 100)),
    arrays(np.int64, n, elements=st.integers(0, 1)))))  # fmt: skip
def test_martingale_residuals_sum_to_nothing(data):
    time, event = data
    residuals = martingale_residuals(time, event)
    assert residuals.sum() == pytest.approx(0, abs=1e-9)
    assert (residuals <= 1).all()


def test_ngrams_count_what_is_there():
    one = hashed_ngrams(["CC"], width=4096, longest=2)
    assert np.expm1(one).sum() == pytest.approx(3)  # C twice, CC once


@settings(max_examples=25, deadline=None)
@given(arrays(np.float64, (9, 3), elements=st.floats(-20, 20)), st.floats(0, 6.2))
def test_superposition_undoes_a_motion(points, angle):
    turn = np.array(
        [[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]]
    )
    moved = points @ turn + [5.0, -3.0, 1.0]
    assert superpose(moved, points) == pytest.approx(points, abs=1e-6)


def test_perfect_pixels_give_the_mask_back():
    from biomlbench.metrics.rle import rle_decode

    masks = np.zeros((2, 8, 6), dtype=bool)
    masks[0, 2:5, 1:4] = masks[1, :3, 2:] = True
    features = pixel_features(masks * 100)
    problem = pixel_problem(features, masks, features, pd.Series(["p", "q"]))
    table = problem.submit(masks.reshape(-1).astype(float))
    assert table["id"].tolist() == ["p", "q"]
    for code, mask in zip(table["rle"], masks, strict=True):
        assert np.array_equal(rle_decode(code, (8, 6)), mask)


def test_variant_features_tell_charge_and_position():
    table = pd.DataFrame({"mutations": ["K5E", "A4A", None]})
    rows = variant_features(table, range(4, 7))
    assert rows[0, :3].tolist() == [0, 1, 0]
    assert rows[0, -2] == -2.0  # from +1 to -1
    assert rows[1, -4:-1].tolist() == [0, 0, 0]
    assert not rows[2].any()


def test_wild_type_and_mutations():
    assert fitness.wild_type_of(["MKA", "MRA", "MKA"]) == "MKA"
    assert fitness.mutations_of("MKA", "MKA") == ""
    assert fitness.mutations_of("MRV", "MKA", first=290) == "K291R:A292V"


def _record(data):
    return struct.pack("<i", len(data)) + data + struct.pack("<i", len(data))


@pytest.mark.parametrize("with_cell", [False, True])
def test_trajectories_are_read_back(tmp_path, with_cell):
    frames = np.random.default_rng(1).normal(size=(3, 5, 3)).astype("<f4")
    data = _record(b"CORD" + bytes(80)) + _record(b"title") + _record(struct.pack("<i", 5))
    for frame in frames:
        data += _record(bytes(48)) if with_cell else b""
        data += b"".join(_record(frame[:, axis].tobytes()) for axis in range(3))
    path = tmp_path / "t.dcd"
    path.write_bytes(data)
    assert np.array_equal(conformations.read_dcd(path), frames)
    path.write_bytes(data[:-10])
    with pytest.raises(ValueError, match="not a complete"):
        conformations.read_dcd(path)


def test_alpha_carbons_of_a_chain(tmp_path):
    line = "ATOM      1  CA {}GLY A   7      11.104   6.134  -6.504  1.00  0.00           C\n"
    path = tmp_path / "a.pdb.gz"
    with gzip.open(path, "wt") as handle:
        handle.write(line.format("A") + line.format("B") + line.replace(" CA ", " CB ").format(" "))
    points, names = conformations.alpha_carbons_of_pdb(path)
    assert points.tolist() == [[11.104, 6.134, -6.504]]
    assert names == ["GLY"]


def test_noise_is_reproducible_and_nearly_normal():
    noise = np.array([conformations.hash_noise(str(i), 2.0) for i in range(4000)])
    assert conformations.hash_noise("0", 2.0) == noise[0]
    assert abs(noise.mean()) < 0.1
    assert noise.std() == pytest.approx(2.0, rel=0.05)


def test_coordinates_become_structures_that_match_themselves(tmp_path):
    from biomlbench.metrics import get_metric

    points = np.cumsum(np.random.default_rng(2).normal(size=(30, 3)) * 2.2, axis=0)
    (tmp_path / "public").mkdir()
    conformations.write_answers({"t": points}, tmp_path / "public", tmp_path / "private")
    answers = toolbox.read_csv(tmp_path / "private" / "answers.csv")
    true, predicted = conformations.structures(answers, answers)
    assert get_metric("tm_score")(true, predicted) == pytest.approx(1)
    moved = answers.assign(x=answers["y"], y=-answers["x"], z=answers["z"] + 9)
    true, predicted = conformations.structures(moved, answers)
    assert get_metric("rmsd")(true, predicted) == pytest.approx(0, abs=1e-6)


def test_nifti_images_are_read(tmp_path):
    voxels = np.arange(24, dtype="<i2").reshape(2, 3, 4)
    header = bytearray(352)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, 3, 2, 3, 4, 1, 1, 1, 1)
    struct.pack_into("<h", header, 70, 4)
    struct.pack_into("<f", header, 108, 352.0)
    path = tmp_path / "v.nii.gz"
    path.write_bytes(gzip.compress(bytes(header) + voxels.tobytes(order="F")))
    assert np.array_equal(toolbox.read_nifti(path), voxels)
    path.write_bytes(gzip.compress(bytes(400)))
    with pytest.raises(ValueError, match="NIfTI"):
        toolbox.read_nifti(path)
