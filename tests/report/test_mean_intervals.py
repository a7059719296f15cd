"""Intervals of means over tasks: laws, the known special case, and simulated coverage."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from biomlbench.summary.mean_intervals import best_shares, mean_interval
from tools import interval_coverage

shares = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@pytest.mark.parametrize(("ones", "n"), [(0, 4), (1, 6), (5, 12), (24, 24), (30, 100)])
def test_zeros_and_ones_give_clopper_and_pearson(ones, n):
    found = mean_interval(np.repeat([1.0, 0.0], [ones, n - ones]))
    exact = binomtest(ones, n).proportion_ci(0.95, "exact")
    assert found == pytest.approx((exact.low, exact.high), abs=0.008)


@given(shares)
def test_an_interval_holds_the_mean_and_stays_within_the_bounds(values):
    low, high = mean_interval(np.array(values))
    assert 0 <= low <= np.mean(values) + 1e-12
    assert np.mean(values) - 1e-12 <= high <= 1


@given(shares, st.randoms())
def test_the_order_of_tasks_changes_nothing(values, random):
    shuffled = random.sample(values, len(values))
    assert mean_interval(np.array(values)) == mean_interval(np.array(shuffled))


@given(shares)
def test_a_mirrored_measure_has_the_mirrored_interval(values):
    low, high = mean_interval(np.array(values))
    mirrored = mean_interval(1 - np.array(values))
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=0.03)


def test_a_task_without_a_value_counts_in_nothing():
    assert mean_interval(np.array([0.2, np.nan, 0.4])) == mean_interval(np.array([0.2, 0.4]))
    assert all(map(math.isnan, mean_interval(np.array([np.nan]))))
    with pytest.raises(ValueError, match="outside"):
        mean_interval(np.array([40.0]))


def test_the_best_is_shared_by_ties():
    assert best_shares(np.array([[0.1, 0.1, 0.0]] * 3)).tolist() == [0.5, 0.5, 0.0]


@pytest.mark.parametrize("scenario", interval_coverage.SCENARIOS)
def test_intervals_cover_what_they_say(scenario):
    """Four tasks are where mean and standard errors fail; here 95 % is a lower bound."""
    row = interval_coverage.coverage(scenario, tasks=4, replicates=2, n=200)
    assert row.mean >= 0.95 - 2 * (0.95 * 0.05 / 200) ** 0.5
    assert row.difference >= 0.95 - 2 * (0.95 * 0.05 / 200) ** 0.5
    assert row.places >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize(("tasks", "n"), [(6, 600), (24, 150), (100, 100)])
@pytest.mark.parametrize("scenario", interval_coverage.SCENARIOS)
def test_intervals_of_more_tasks_cover_what_they_say(scenario, tasks, n):
    row = interval_coverage.coverage(scenario, tasks, replicates=3, n=n)
    assert row.mean >= 0.95 - 3 * (0.95 * 0.05 / n) ** 0.5
    assert row.difference >= 0.95 - 3 * (0.95 * 0.05 / n) ** 0.5
    assert row.places >= 0.9
