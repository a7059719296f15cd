"""Medals to the letter of the rules, on every board size and on real boards."""

import csv
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biomlbench.errors import LeaderboardError
from biomlbench.scoring.medals import (
    leaderboard_position,
    medal_note,
    medal_probabilities,
    medal_ranks,
    rank_score,
    read_leaderboard,
    thresholds,
)

SIZES = (*range(1, 13), 99, 100, 249, 250, 999, 1000)
BOARDS = {
    "bms-molecular-translation": "minimize",
    "histopathologic-cancer-detection": "maximize",
    "osic-pulmonary-fibrosis-progression": "maximize",
    "rsna-2022-cervical-spine-fracture-detection": "minimize",
    "siim-isic-melanoma-classification": "maximize",
    "ventilator-pressure-prediction": "minimize",
}
KEYS = {
    *("gold_medal", "silver_medal", "bronze_medal", "above_median"),
    *("gold_threshold", "silver_threshold", "bronze_threshold", "median_threshold"),
    *("leaderboard_percentile", "leaderboard_size"),
}


def by_the_rules(n):
    """The page's table, read out in exact fractions: last rank of gold, silver, bronze."""
    if n < 100:
        shares = [Fraction(10, 100) * n, Fraction(20, 100) * n, Fraction(40, 100) * n]
    elif n < 250:
        shares = [Fraction(10), Fraction(20, 100) * n, Fraction(40, 100) * n]
    elif n < 1000:
        shares = [10 + Fraction(2, 1000) * n, Fraction(50), Fraction(100)]
    else:
        shares = [10 + Fraction(2, 1000) * n, Fraction(5, 100) * n, Fraction(10, 100) * n]
    return tuple(max(1, math.floor(share)) for share in shares)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_every_board_size(n, direction):
    """Rank by rank: with all scores different, exactly the ranks of the rules earn a medal."""
    scores = np.arange(n, dtype=float)
    best_first = scores[::-1] if direction == "maximize" else scores
    gold, silver, bronze = by_the_rules(n)
    for rank, score in enumerate(best_first, 1):
        ranking = rank_score(score, scores, direction)
        expected = [rank <= gold, gold < rank <= silver, max(gold, silver) < rank <= bronze]
        got = [ranking["gold_medal"], ranking["silver_medal"], ranking["bronze_medal"]]
        assert got == expected, rank
        assert ranking["leaderboard_percentile"] == pytest.approx(100 * (n - rank) / n)
        assert leaderboard_position(score, scores, direction) == rank


def test_ranks_follow_the_rules():
    assert [medal_ranks(n) for n in range(1, 5000)] == [by_the_rules(n) for n in range(1, 5000)]


def test_literal_sizes():
    assert [medal_ranks(n) for n in (1, 4, 5, 9, 10, 11, 12)] == [
        *((1, 1, 1), (1, 1, 1), (1, 1, 2), (1, 1, 3), (1, 2, 4), (1, 2, 4), (1, 2, 4)),
    ]
    assert medal_ranks(99) == (9, 19, 39)
    assert medal_ranks(100) == (10, 20, 40)
    assert medal_ranks(249) == (10, 49, 99)
    assert medal_ranks(250) == (10, 50, 100)
    assert medal_ranks(999) == (11, 50, 100)
    assert medal_ranks(1000) == (12, 50, 100)


@pytest.mark.parametrize(("name", "direction"), BOARDS.items())
def test_kaggle_boards_against_a_plain_reading(shared, name, direction):
    path = shared / "data" / "leaderboards_kaggle" / f"{name}.csv"
    with path.open() as file:
        scores = [float(row["score"]) for row in csv.DictReader(file)]
    best_first = sorted(scores, reverse=direction == "maximize")
    gold, silver, bronze = (best_first[rank - 1] for rank in by_the_rules(len(scores)))
    ranking = rank_score(None, read_leaderboard(path, direction), direction)
    assert ranking["gold_threshold"] == gold
    assert ranking["silver_threshold"] == silver
    assert ranking["bronze_threshold"] == bronze
    assert ranking["median_threshold"] == float(np.median(scores))
    assert ranking["leaderboard_size"] == len(scores)
    other = "minimize" if direction == "maximize" else "maximize"
    with pytest.raises(LeaderboardError, match="worst score to the best"):
        read_leaderboard(path, other)


def test_the_ten_keys_and_plain_types():
    ranking = rank_score(np.float64(0.75), [0.9, 0.8, 0.7], "maximize")
    assert set(ranking) == KEYS
    assert {type(value) for value in ranking.values()} <= {bool, float, int}
    assert set(rank_score(None, [0.9], "maximize")) == KEYS


def test_a_tie_with_the_threshold_earns_the_medal():
    board = [1.0] * 5 + [0.5] * 15  # 20 teams: gold for 2, silver for 4, bronze for 8
    assert rank_score(1.0, board, "maximize")["gold_medal"]
    assert rank_score(0.5, board, "maximize")["bronze_medal"]
    assert rank_score(np.nextafter(1.0, 0), board, "maximize")["bronze_medal"]
    assert not rank_score(np.nextafter(0.5, 0), board, "maximize")["bronze_medal"]
    assert medal_note(board, "maximize") == "silver is out of reach: its threshold is that of gold"


def test_median_and_percentile_are_strict():
    ranking = rank_score(2.0, [1.0, 2.0, 3.0], "maximize")
    assert not ranking["above_median"]
    assert ranking["leaderboard_percentile"] == pytest.approx(100 / 3)
    assert rank_score(1.9, [1.0, 2.0, 3.0], "minimize")["above_median"]


@pytest.mark.parametrize("score", [None, float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_no_finite_score_no_medal(score, direction):
    ranking = rank_score(score, [0.5], direction)
    assert not any(ranking[f"{medal}_medal"] for medal in ("gold", "silver", "bronze"))
    assert not ranking["above_median"]
    assert ranking["leaderboard_percentile"] is None
    assert ranking["gold_threshold"] == 0.5


@pytest.mark.parametrize("bad", [[], [float("nan")], [1.0, float("inf")], ["a"]])
def test_boards_that_cannot_be_ranked_against_are_refused(bad):
    with pytest.raises(LeaderboardError):
        rank_score(0.5, bad, "maximize")


def test_a_frame_without_scores_is_refused_and_an_unknown_direction_too():
    with pytest.raises(LeaderboardError, match="no column `score`"):
        rank_score(0.5, pd.DataFrame({"points": [1]}), "maximize")
    with pytest.raises(ValueError, match="maximize"):
        rank_score(0.5, [1.0], "up")


scores_lists = st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 2)), min_size=1, max_size=300)


@settings(deadline=None)
@given(scores_lists, st.floats(-1e6, 1e6), st.randoms())
def test_laws(scores, score, random):
    """Order does not matter; mirroring mirrors; better is never worse; medals are exclusive."""
    shuffled = list(scores)
    random.shuffle(shuffled)
    ranking = rank_score(score, scores, "maximize")
    assert rank_score(score, shuffled, "maximize") == ranking
    assert rank_score(score, pd.DataFrame({"score": shuffled}), "maximize") == ranking
    mirrored = rank_score(-score, [-x for x in scores], "minimize")
    for key in KEYS:
        sign = -1 if key.endswith("threshold") else 1
        assert mirrored[key] == sign * ranking[key]
    assert sum(ranking[f"{medal}_medal"] for medal in ("gold", "silver", "bronze")) <= 1
    level = [ranking[f"{medal}_medal"] for medal in ("bronze", "silver", "gold")]
    better = rank_score(score + 1.0, scores, "maximize")
    better_level = [better[f"{medal}_medal"] for medal in ("bronze", "silver", "gold")]
    place = level.index(True) if any(level) else -1
    assert (better_level.index(True) if any(better_level) else -1) >= place
    assert better["leaderboard_percentile"] >= ranking["leaderboard_percentile"]
    limits = thresholds(scores, "maximize")
    assert limits.gold >= limits.silver >= limits.bronze


def test_notes_on_small_boards():
    assert medal_note([1.0], "maximize").startswith("silver is out of reach")
    assert "bronze is out of reach: its threshold is that of gold" in medal_note([1.0], "maximize")
    assert medal_note([3, 2, 1, 0, -1], "maximize").endswith("gold")
    assert medal_note(range(10), "maximize") == ""


def test_probabilities():
    board = [float(x) for x in range(1, 11)]  # gold 10, silver 9, bronze 7, median 5.5
    sure = medal_probabilities(np.full(201, 9.5), board, "maximize")
    assert sure == (0.0, 1.0, 0.0, 1.0, False)
    half = medal_probabilities(np.linspace(8, 10, 201), board, "maximize")
    assert half.p_silver + half.p_bronze + half.p_gold == pytest.approx(1.0)
    assert half.p_silver == pytest.approx(0.5, abs=0.01)
    assert half.p_gold == pytest.approx(0.0, abs=0.005)
    assert half.on_boundary
    inside = medal_probabilities(np.linspace(7.1, 8.9, 201), board, "maximize")
    assert inside.p_bronze == 1.0
    assert not inside.on_boundary
    mirrored = medal_probabilities(-np.linspace(8, 10, 201), [-x for x in board], "minimize")
    assert mirrored == half


def test_probabilities_of_a_score_that_comes_in_steps():
    """Half of the mass sits on the gold threshold itself: a tie earns the medal."""
    quantiles = [9.0] * 100 + [10.0] * 101
    found = medal_probabilities(quantiles, range(1, 11), "maximize")
    assert found.p_gold == pytest.approx(0.5, abs=0.01)


def test_probabilities_need_a_distribution():
    with pytest.raises(ValueError, match="at least two quantiles, all of them finite"):
        medal_probabilities([1.0], [1.0], "maximize")
    with pytest.raises(ValueError, match="at least two quantiles, all of them finite"):
        medal_probabilities([1.0, float("nan")], [1.0], "maximize")


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
@pytest.mark.parametrize("scale", [1e-9, 0.2, 1e9])
def test_last_digits_of_resamples_decide_no_medal(direction, scale):
    """A constant error is the same in each resample, but for the order in which it is summed."""
    step = 1 if direction == "maximize" else -1
    board = [scale * (1 + step * 0.1 * place) for place in range(10)]
    limits = thresholds(board, direction)
    for limit, medal in zip(limits, ("gold", "silver", "bronze"), strict=False):
        noise = np.resize([-2, -1, 0, 1, 2], 201) * np.spacing(limit)
        found = medal_probabilities(limit + noise, board, direction)
        assert getattr(found, f"p_{medal}") == 1.0
        assert not found.on_boundary
        assert medal_probabilities(limit + noise, board, direction, (limit, limit)) == found
    median = limits.median + np.resize([-1, 0, 1], 201) * np.spacing(limits.median)
    assert medal_probabilities(median, board, direction).p_above_median == 0
    worse = limits.gold - step * 1e-9 * scale
    assert medal_probabilities(np.full(201, worse), board, direction).p_gold == 0
