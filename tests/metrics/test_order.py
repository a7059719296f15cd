"""Sorting by steps first gives the order that sorting by value gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomlbench.metrics._order import Ties, ascending

SIZE = 5000


def uniform(rng: np.random.Generator) -> np.ndarray:
    return rng.random(SIZE)


def tied(rng: np.random.Generator) -> np.ndarray:
    return np.round(rng.random(SIZE), 2)


def skewed(rng: np.random.Generator) -> np.ndarray:
    return np.exp(40 * rng.normal(size=SIZE))


def subnormal(rng: np.random.Generator) -> np.ndarray:
    return rng.integers(0, 9, SIZE) * 5e-324


def widest(rng: np.random.Generator) -> np.ndarray:
    return rng.choice([-np.finfo(float).max, -0.0, 0.0, 1.0, np.finfo(float).max], SIZE)


def infinite(rng: np.random.Generator) -> np.ndarray:
    return np.where(rng.random(SIZE) < 0.1, np.inf, rng.normal(size=SIZE))


def neighbours(rng: np.random.Generator) -> np.ndarray:
    return 1 + rng.integers(0, 50, SIZE) * np.finfo(float).eps


def constant(rng: np.random.Generator) -> np.ndarray:
    return np.full(SIZE, 0.5)


def whole(rng: np.random.Generator) -> np.ndarray:
    return rng.integers(-(2**62), 2**62, SIZE)


DRAWS = (uniform, tied, skewed, subnormal, widest, infinite, neighbours, constant, whole)


@pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: draw.__name__)
@given(seed=st.integers(0, 2**32 - 1))
def test_order_is_that_of_a_stable_sort(draw, seed: int) -> None:
    values = draw(np.random.default_rng(seed))
    expected = np.argsort(values, kind="stable")

    assert (values[ascending(values)] == values[expected]).all()
    assert (ascending(values, stable=True) == expected).all()


def test_ties_of_many_values_are_grouped() -> None:
    values = tied(np.random.default_rng(1))
    ties = Ties.of(values)
    distinct, group = np.unique(values, return_inverse=True)
    assert (values[ties.order[ties.starts]] == distinct).all()
    assert (ties.group == group).all()
