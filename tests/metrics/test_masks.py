"""Metrics of masks and instances against plain definitions, and run-length codes."""

import contextlib
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.spatial.distance import cdist

from biomlbench.metrics import MetricError, get_metric
from biomlbench.metrics.rle import rle_decode, rle_decode_instances, rle_encode, rle_image

fast = settings(max_examples=100, deadline=None)
dice, iou = get_metric("dice"), get_metric("iou")
hausdorff95, panoptic_quality = get_metric("hausdorff95"), get_metric("panoptic_quality")


@st.composite
def mask_pairs(draw, max_dims=3):
    shape = draw(array_shapes(min_dims=1, max_dims=max_dims, max_side=6))
    return tuple(draw(arrays(bool, shape)) for _ in range(2))


@fast
@given(mask_pairs())
def test_dice_and_iou_by_sets_of_pixels(pair):
    a, b = ({tuple(p) for p in np.argwhere(m)} for m in pair)
    expected = 2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0
    assert dice(*pair) == pytest.approx(expected, abs=1e-12)
    expected = len(a & b) / len(a | b) if a or b else 1.0
    assert iou(*pair) == pytest.approx(expected, abs=1e-12)
    for dtype in (np.uint8, float):
        assert dice(*(m.astype(dtype) for m in pair)) == dice(*pair)


def test_a_list_is_several_images_and_an_array_is_one():
    truth = np.array([[1, 1, 1, 1], [0, 0, 0, 1]])
    prediction = np.array([[1, 1, 1, 1], [0, 0, 1, 0]])
    assert dice(truth, prediction) == pytest.approx(2 * 4 / 10)
    assert dice(list(truth), list(prediction)) == pytest.approx((1 + 0) / 2)
    assert dice(list(truth), list(prediction), reduction="pooled") == dice(truth, prediction)
    ragged = np.empty(2, dtype=object)
    ragged[:] = [np.ones((2, 2)), np.ones(3)]
    assert dice(ragged, ragged) == 1.0
    assert len(set(dice.bootstrap(list(truth), list(prediction), n_resamples=50))) == 3


@pytest.mark.parametrize("value", [2, 255, -1, 0.5])
def test_masks_of_other_values_give_no_score(value):
    truth = np.array([[1, 0], [0, 1]])
    for metric in (dice, iou, hausdorff95):
        with pytest.raises(MetricError) as error:
            metric(truth, truth * value)
        assert error.value.reason == "non_binary_mask"


def surface_by_neighbours(mask):
    """Return the pixels of which a face neighbour is off, looked at one by one."""
    points = []
    for pixel in np.argwhere(mask):
        for axis in range(mask.ndim):
            for step in (-1, 1):
                other = pixel.copy()
                other[axis] += step
                inside = 0 <= other[axis] < mask.shape[axis]
                if not inside or not mask[tuple(other)]:
                    points.append(tuple(pixel))
    return np.array(sorted(set(points)), dtype=float)


@fast
@given(mask_pairs(), st.sampled_from([95.0, 50.0, 100.0]), st.sampled_from([1.0, 0.3, 2.5]))
def test_hausdorff_by_all_distances(pair, percentile, step):
    spacing = step * np.arange(1, pair[0].ndim + 1)
    score = hausdorff95(*pair, spacing=spacing, percentile=percentile)
    if not any(m.any() for m in pair):
        assert score == 0.0
    elif not all(m.any() for m in pair):
        assert score == pytest.approx(np.linalg.norm(spacing * pair[0].shape))
    else:
        distances = cdist(*(surface_by_neighbours(m) * spacing for m in pair))
        expected = max(
            np.percentile(distances.min(axis=1), percentile),
            np.percentile(distances.min(axis=0), percentile),
        )
        assert score == pytest.approx(expected, abs=1e-12)


@st.composite
def instance_pairs(draw):
    shape = draw(array_shapes(min_dims=1, max_dims=2, max_side=6))
    return tuple(draw(arrays(int, shape, elements=st.integers(0, 3))) for _ in range(2))


def panoptic_by_matching(truth, prediction):
    """Return the published formula, with instances as sets of pixels."""

    def instances(image):
        return [frozenset(map(tuple, np.argwhere(image == k))) for k in np.unique(image) if k]

    true, predicted = instances(truth), instances(prediction)
    overlaps = [len(t & p) / len(t | p) for t in true for p in predicted]
    matches = [overlap for overlap in overlaps if overlap > 0.5]
    total = (len(true) + len(predicted)) / 2
    return sum(matches) / total if total else 1.0


@fast
@given(instance_pairs())
def test_panoptic_quality_by_matching(pair):
    # Matches + half of the unmatched of either side is half of all instances.
    assert panoptic_quality(*pair) == pytest.approx(panoptic_by_matching(*pair), abs=1e-12)


def test_panoptic_quality_does_not_see_the_numbers_of_instances():
    truth = np.array([[1, 1, 0, 2, 2], [3, 0, 0, 2, 2]])
    renamed = np.array([[9, 9, 0, 4, 4], [1, 0, 0, 4, 4]])
    assert panoptic_quality(truth, renamed) == 1.0
    assert panoptic_quality([truth, truth], [renamed, 0 * truth]) == pytest.approx(3 / 4.5)
    assert panoptic_quality([truth, truth], [renamed, 0 * truth], reduction="mean") == 0.5


def test_many_predicted_instances_cost_no_memory():
    truth = np.repeat(np.arange(200), 500).reshape(200, 500)
    prediction = np.arange(truth.size).reshape(truth.shape)
    assert panoptic_quality(truth, prediction) == 0.0


@fast
@given(
    array_shapes(min_dims=1, max_dims=3, max_side=8).flatmap(lambda s: arrays(bool, s)),
    st.sampled_from("CF"),
    st.sampled_from([0, 1]),
)
def test_run_lengths_round_trip(mask, order, start):
    code = rle_encode(mask, order=order, start=start)
    decoded = rle_decode(code, mask.shape, order=order, start=start)
    np.testing.assert_array_equal(decoded, mask)
    assert decoded.dtype == bool


def test_run_lengths_by_hand():
    assert rle_decode("1 1 3 2", (2, 2)).tolist() == [[True, True], [False, True]]
    assert rle_decode("1 1 3 2", (2, 2), order="C").tolist() == [[True, False], [True, True]]
    assert not rle_decode("", (2, 2)).any()
    assert rle_decode("  1 4  ", (2, 2)).all()
    # Runs that touch are one run.
    assert rle_decode("1 2 3 2", (4,)).all()


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("1", "left over"),
        ("1 1 2", "left over"),
        ("0 1", "starts before pixel 1"),
        ("1 0", "length 0"),
        ("1 5", "beyond the mask"),
        ("5 1", "beyond the mask"),
        ("3 1 1 1", "run 2 .* before the end"),
        ("1 2 2 1", "run 2 .* before the end"),
        ("-1 2", "digits"),
        ("1 2.0", "digits"),
        ("1e1 2", "digits"),
        ("1_0 2", "digits"),
        ("１ ２", "digits"),
        ("1\n2", "digits"),
        ("nan", "digits"),
        ("99999999999999999999 1", "too long|larger"),
        ("1 99999", "larger"),
        ("1 1 " * 1000, "too long"),
        (None, "text"),
        (float("nan"), "text"),
        (12, "text"),
    ],
)
def test_malformed_run_lengths_are_refused(code, message):
    with pytest.raises(MetricError, match=message) as error:
        rle_decode(code, (2, 2))
    assert (error.value.reason, error.value.fault) == ("malformed_rle", "submission")


@fast
@given(st.text(alphabet="0123456789 -.e\n", max_size=40))
def test_any_text_decodes_or_is_refused(code):
    with contextlib.suppress(MetricError):
        mask = rle_decode(code, (4, 5))
        assert mask.sum() == sum(int(n) for n in code.split()[1::2])


def test_hostile_codes_are_refused_quickly():
    started = time.process_time()
    for code in ("1 " * 5_000_000, "9" * 10_000_000, " " * 10_000_000):
        with pytest.raises(MetricError):
            rle_decode(code, (512, 512))
    assert time.process_time() - started < 2.0


def test_encoding_takes_binary_masks_only():
    with pytest.raises(MetricError, match="0 and 1"):
        rle_encode(np.array([[0, 255]]))


def test_instances_must_not_overlap():
    assert rle_decode_instances(["1 2", "", "4 1"], (2, 2)).tolist() == [[1, 0], [1, 2]]
    with pytest.raises(MetricError, match="instance 2 overlaps"):
        rle_decode_instances(["1 2", "2 2"], (2, 2))


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40), st.sampled_from("CF"))
def test_instances_are_decoded_as_their_masks_are(pixels, order):
    image = np.array(pixels)[None]
    codes = [rle_encode(image == number, order=order) for number in (1, 2, 3)]
    found = rle_decode_instances(["", *codes, " "], image.shape, order=order)
    for code, number in zip(codes, (1, 2, 3), strict=True):
        there = np.unique(found[image == number])
        assert len(there) == bool(code)
        assert 0 not in there
    assert not found[image == 0].any()


def test_codes_without_pixels_cost_nothing():
    found = rle_image(";" * 1_000_000, (1000, 1000), "instance_mask")
    assert not found.any()
