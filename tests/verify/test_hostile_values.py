"""No output makes the judging fail, or look like the fault of anybody but its author."""

from __future__ import annotations

import itertools
import resource
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import biomlbench
from biomlbench.contracts import read_table, write_table
from biomlbench.sandbox import codec
from biomlbench.verify import card
from biomlbench.verify.compare import difference
from biomlbench.verify.written import show
from tests.fuzzing import TIMES
from tests.verify.hostile_values import Judged, decodes, frames, payloads

CARDS = sorted(
    path.parent for path in Path(biomlbench.__file__).parent.glob("tasks/*/*/verifier.yaml")
)
QUICK = ("pca-scores", "kaplan-meier")


def cards(wanted):
    return [
        Judged(card.load(folder)) for folder in CARDS if wanted is None or folder.name in wanted
    ]


def book_all(judged, values, path=None):
    """Book every value on one of the cards; return how often each verdict came."""
    verdicts = dict.fromkeys(("pass", "partial", "fail"), 0)
    turns = zip(values, itertools.cycle(judged), strict=False)
    while part := [one.book(payload) for payload, one in itertools.islice(turns, 100)]:
        for verdict, _ in part:
            verdicts[verdict] += 1
        if path is not None:
            table = pa.concat_tables([made for _, made in part])
            write_table("verify", table, path)
            assert read_table("verify", path).num_rows == table.num_rows
    return verdicts


def test_odd_values_are_booked_on_the_candidate(template_card, tmp_path):
    judged = [Judged(template_card), *cards(QUICK)]
    verdicts = book_all(judged, payloads(300, seed=1), tmp_path / "verify.parquet")
    assert verdicts["fail"] > 250
    assert verdicts["pass"] == 0


def test_frames_are_booked_on_the_candidate(template_card):
    judged = [Judged(template_card)]
    data = [frame for frame in frames(1_000, seed=2) if decodes(frame)]
    assert 50 < len(data) < 1_000
    assert book_all(judged, data)["pass"] == 0


@pytest.mark.slow
def test_many_odd_values_on_every_card(template_card, tmp_path):
    judged = [Judged(template_card), *cards(None)]
    count = 1_000 * TIMES
    verdicts = book_all(judged, payloads(count, seed=3), tmp_path / "verify.parquet")
    assert sum(verdicts.values()) == count
    assert verdicts["pass"] == 0


def memory_kib(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(f"{name}:")))


@pytest.mark.slow
def test_many_frames(template_card):
    judged = [Judged(template_card), *cards(QUICK)]
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak of what was done before
    before = memory_kib("VmRSS")  # and what other tests have left
    count = 10_000 * TIMES
    good = (frame for frame in frames(count, seed=4) if decodes(frame))
    verdicts = book_all(judged, good)
    assert sum(verdicts.values()) > count // 10
    assert verdicts["pass"] == 0
    assert memory_kib("VmHWM") - before < 1 << 19


def test_the_right_output_still_passes(template_card):
    judged = Judged(template_card)
    right = codec.encode(judged.oracle.values[judged.target])
    assert judged.book(right)[0] in ("pass", "partial")


@pytest.mark.parametrize(
    "value",
    [
        1 << 79_999,
        {"a": [1 << 79_999]},
        np.array([1 << 79_999, None], dtype=object),
        np.array("x" * 1_000_000),
        ["x" * 1_000_000] * 50,
        [[[]] * 10] * 10_000,
        np.zeros((1,) * 32),
        np.array([1], dtype="m8"),
        set(range(100_000)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_value_can_be_shown_in_a_line(value):
    start = time.process_time()
    assert len(show(value)) <= 300
    assert time.process_time() - start < 1


def test_what_is_shown_of_an_ordinary_value_is_its_repr():
    for value in (1, -2.5, "a", b"b", [1, (2,), {}], {"k": {3}}, frozenset({1}), set(), None):
        assert show(value) == repr(value)


def test_a_list_of_texts_is_not_made_as_wide_as_its_longest():
    long = ["x" * 4_000_000, *"abcdefgh" * 500]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert difference(long, [0.5] * len(long)).kind == "structure"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (np.array(["2020"], dtype="M8[Y]"), np.array([1.0])),
        (np.array([None, []], dtype=object), np.array([1.0, 2.0])),
        (np.array([1, 2], dtype="m8"), np.array([1, 2])),
        (np.array(["a", "b"]), np.array([1, 2])),
    ],
)
def test_values_that_cannot_be_compared_differ(got, expected):
    for one, other in itertools.permutations((got, expected)):
        assert difference(one, other).kind in ("structure", "value")
