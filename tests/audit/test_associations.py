"""How far orders, values and arithmetic tell answers: what is planted is found, chance is not."""

from __future__ import annotations

import hashlib
import zlib

import numpy as np
import pandas as pd
import pytest

from biomlbench.audit import audit_task
from biomlbench.audit.detectors._computed import computed_from, known_within, shifted_from
from biomlbench.audit.detectors._derived import as_dates
from biomlbench.audit.detectors._hashes import hashed_from
from biomlbench.audit.detectors._levels import UNLIKELY, strength
from biomlbench.audit.detectors._order import followed, neighbours_alike
from biomlbench.audit.detectors.split import STRONG
from tests.audit.zoo import by_number

ROWS = np.arange(300.0)


def told(place, truth):
    found = followed(place, truth)
    return found.chance < UNLIKELY and found.strength >= STRONG


def random(*seed):
    return np.random.default_rng([41, *seed])


def test_sorted_answers_follow_their_order():
    numbers = np.sort(random(1).normal(size=300))
    classes = np.repeat(["x", "y", "z"], 100)
    two = np.repeat(["x", "y"], 150)
    for truth in (numbers, numbers[::-1], classes, two, np.repeat([0.0, 1.0], 150)):
        assert told(ROWS, truth)
        turned = random(2).permutation(300)
        assert told(ROWS[turned], truth[turned])
        assert not told(ROWS, truth[turned])


def test_a_trend_within_noise_is_found():
    assert told(ROWS, ROWS / 100 + random(3).normal(size=300))
    late = random(4).random(300) < ROWS / 300
    assert told(ROWS, np.where(late, "late", "early"))


@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_rows_that_are_like_their_neighbours_follow_no_order(kind):
    found = 0
    for seed in range(200):
        rng = random(5, seed)
        if kind == "numbers":
            truth = np.cumsum(rng.normal(size=300)) * 0.02 + rng.normal(0, 0.01, 300)
            truth -= np.linspace(truth[0], truth[-1], 300)  # a walk that ends where it began
        else:
            truth = np.repeat(rng.permutation(np.arange(50) % 2), 6)
            assert neighbours_alike(ROWS, truth).strength > STRONG
        found += told(ROWS, truth)
    assert found <= 2


def test_few_blocks_of_classes_are_an_order():
    assert told(ROWS, np.repeat(["x", "y", "x", "y"], 75))
    assert not told(ROWS, np.repeat(random(6).permutation(["x", "y"] * 15), 10))


def test_strength_is_none_by_chance_and_whole_where_values_are_of_one_class():
    rng = random(7)
    truth = rng.choice(["a", "b", "c"], 600)
    codes = np.array([f"{one}{rng.integers(5)}" for one in truth])
    assert strength(codes, truth) == 1.0
    assert strength(rng.permutation(codes), truth) == 0.0
    assert strength(np.arange(600), truth) == 0.0  # each value in one row
    numbers = rng.normal(size=600)
    assert strength(np.digitize(numbers, [-1, 0, 1]), numbers) > 0.7
    assert strength(rng.integers(0, 4, 600), numbers) == 0.0


def columns(seed):
    rng = random(8, seed)
    return {name: rng.normal(size=300) for name in "abcd"}


def test_arithmetic_is_found_and_noise_is_not():
    numbers = columns(0)
    a, b, c, d = numbers.values()
    assert computed_from(numbers, np.exp(a)) == "a"
    assert computed_from(numbers, a * b) == "a * b"
    assert computed_from(numbers, 2 * a - b + 0.5 * c) == "a weighted sum of a, b, c"
    assert computed_from(numbers, a + b + c + 0.01 * random(9).normal(size=300)) == ""
    assert computed_from({"a": a * 1e300, "b": np.sign(b) * 1e308}, d) == ""


def test_answers_in_other_rows_are_found():
    numbers = columns(1)
    day = random(10).permutation(300).astype(float)
    truth = random(11).normal(size=300)
    inverse = np.argsort(day)
    lag = np.empty(300)
    lag[inverse[1:]], lag[inverse[0]] = truth[inverse[:-1]], 0.0
    total = np.empty(300)
    total[inverse] = np.cumsum(np.abs(truth[inverse]))
    assert "lag of the row 1 after it by day" in shifted_from(
        {**numbers, "day": day, "lag": lag}, {}, truth
    )
    said = shifted_from({**numbers, "day": day, "total": total}, {}, np.abs(truth))
    assert said.startswith("total and that of the row 1 before it by")
    assert shifted_from({**numbers, "day": day}, {}, truth) == ""


def test_offsets_and_bounds_of_sites_are_found():
    numbers = columns(2)
    site = random(12).integers(0, 10, 300)
    truth = random(13).normal(size=300)
    raw = truth + random(14).normal(0, 9, 10)[site]
    groups = {"site": site.astype(str)}
    assert known_within({**numbers, "raw": raw}, groups, truth) == "raw within each site"
    two = (random(15).random(300) < 0.4).astype(float)
    rate = random(16).normal(size=10)[site] - two / 50
    assert known_within({**numbers, "rate": rate}, groups, two) == "rate within each site"
    for values in (truth, two):
        assert known_within(numbers, groups, values) == ""


@pytest.mark.parametrize("name", ["md5", "sha256", "crc32"])
def test_hashes_of_id_and_class_are_found(name):
    ids = np.array([f"r{row}" for row in range(60)])
    truth = np.array(["benign", "malignant"])[random(17).integers(0, 2, 60)]

    def digest(text):
        if name == "crc32":
            return f"{zlib.crc32(text.encode()):08x}"
        return hashlib.new(name, text.encode()).hexdigest()[:12]

    texts = np.array([digest(f"{one}|{key}") for key, one in zip(ids, truth, strict=True)])
    assert hashed_from(texts, ids, truth) == f"{name} of answer and id with '|' between them"
    assert hashed_from(texts, ids, truth[::-1]) == ""
    assert hashed_from(np.array(["deadbeef"] * 60), ids, truth) == ""


def test_dates_within_texts_are_read():
    texts = np.array(["P20170412-k3f", "P2017-04-13-x", "Q2017.04.14"])
    assert np.diff(as_dates(texts, within=True)).tolist() == [86400, 86400]
    assert as_dates(texts) is None
    assert as_dates(np.array(["P123456789", "none"]), within=True) is None


def test_odd_values_end_no_detector(tmp_path):
    def odd(t, rng):
        y = t["y"].to_numpy(copy=True)
        y[::17] = np.nan
        return t.assign(
            y=y,
            huge=rng.choice([-1e308, 1e308], len(t)) * rng.random(len(t)),
            inf=np.where(rng.random(len(t)) < 0.1, np.inf, rng.normal(size=len(t))),
            blank=np.nan,
            text=["\ud7ff\u202e,\"' "[row % 5 :] for row in range(len(t))],
            when=pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 9, len(t)), "D"),
        )

    task = by_number(odd).by(
        """
        def grade(submission, answers):
            s = checked(submission, answers)
            return float(np.sqrt(np.nanmean((s["y"] - answers["y"].to_numpy()) ** 2)))
        """
    )
    audit = audit_task(task.write(tmp_path))
    assert audit.tried > 10
    assert not [text for text in audit.skipped if "raised" in text]
