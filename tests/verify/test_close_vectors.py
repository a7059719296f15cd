"""Vectors that have another one near: those that comparing all with all finds."""

import numpy as np
import pytest

from biomlbench.verify import close_vectors
from biomlbench.verify.close_vectors import ROUGHLY, with_close_ones
from biomlbench.verify.fingerprints import DIRECTIONS


def unit(vectors):
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1.0)


def spread(rng, n):
    return rng.normal(size=(n, DIRECTIONS))


def around_one(rng, n):
    return 10 * unit(rng.normal(size=(1, DIRECTIONS))) + unit(spread(rng, n))


def few_directions(rng, n):
    return rng.normal(size=(n, 3)) @ rng.normal(size=(3, DIRECTIONS))


def with_copies(rng, n):
    vectors = spread(rng, n)
    copied = rng.integers(n, size=(2, n // 4))
    nudged = vectors[copied[0]] + rng.choice([0.0, 0.01, 0.05, 0.3], size=(n // 4, 1)) * spread(
        rng, n // 4
    )
    vectors[copied[1]] = nudged
    return vectors


def all_equal(rng, n):
    return np.repeat(rng.normal(size=(1, DIRECTIONS)), n, axis=0)


def some_missing(rng, n):
    vectors = with_copies(rng, n)
    vectors[rng.random(n) < 0.5] = 0.0
    return vectors


SHAPES = [spread, around_one, few_directions, with_copies, all_equal, some_missing]


@pytest.mark.parametrize("least", [0.3, 0.8, 0.9995])
@pytest.mark.parametrize("make", SHAPES, ids=lambda make: make.__name__)
@pytest.mark.parametrize("n", [2, 700])
def test_all_that_have_a_close_one_are_found_and_no_others(n, make, least, monkeypatch):
    # Several blocks in both directions, and one that ends before its width.
    monkeypatch.setattr(close_vectors, "_BLOCK", 64)
    monkeypatch.setattr(close_vectors, "_MOST", 150)
    vectors = unit(make(np.random.default_rng(n), n))
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1.0)
    nearest = cosines.max(axis=1)
    found = with_close_ones(vectors, least)
    assert found[nearest >= least].all()
    # Single precision may let some pass that are all but there.
    assert not found[nearest < least - 2 * ROUGHLY].any()


@pytest.mark.parametrize("length", [*close_vectors._LENGTHS, DIRECTIONS])
def test_bounds_are_never_below_the_cosines(length):
    vectors = unit(with_copies(np.random.default_rng(length), 400))
    turned = vectors @ close_vectors._principal_axes(vectors)
    short = close_vectors._shortened(turned, length)
    assert short.shape == (400, length)
    assert (short @ short.T >= vectors @ vectors.T - ROUGHLY / 2).all()


def test_few_numbers_tell_apart_what_is_far_apart():
    rng = np.random.default_rng(1)
    vectors = unit(spread(rng, 2000))
    turned = vectors @ close_vectors._principal_axes(vectors)
    assert close_vectors._best_length(turned, 0.9995) < DIRECTIONS / 4


def test_nothing_is_close_to_vectors_that_are_alone_or_not_there():
    assert with_close_ones(np.zeros((0, DIRECTIONS)), 0.8).tolist() == []
    assert with_close_ones(np.zeros((3, DIRECTIONS)), 0.8).tolist() == [False] * 3
    one = np.zeros((3, DIRECTIONS))
    one[1, 0] = 1.0
    assert with_close_ones(one, 0.8).tolist() == [False] * 3
