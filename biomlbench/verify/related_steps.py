"""Floats that differ by their last digits: next to one another far from 0, or nearly equal.

Code that goes over to a narrower type, to whole numbers or to differences from a constant takes
them for equal, or puts them in another order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomlbench.verify.edge_numbers import LARGEST_STATED, holds
from biomlbench.verify.related_arrays import is_array_of_doubles, one_of

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.declarations import ArgumentSpec
    from biomlbench.verify.edge_sources import Source

__all__ = ["STEP_RELATIONS"]

OFFSETS = (2.0**53, 2.0**63, 2.0**64, 1e15, 1e16, 1e18, 1e300)
"""Where whole numbers are not all doubles any more, integers of 64 bits end, or nothing is left of
what is added."""
WIDEST_STEP = 3
"""Steps are of so many powers of two of the smallest possible one at most."""
MOST_STEPS = (3, 8, 200)
"""Numbers lie within so many steps."""
PARTS = (1e-6, 1e-7, 3e-8, 1e-8, 1e-9, 1e-10)
"""By so much of themselves do numbers differ that are nearly equal."""
FEW_STEPS = 4
BASES = (1.0, 3.0, 25.0, 1e3, 1e6, 1e8)


def _steps_far_off(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let numbers of an array be far from 0 and a few of the smallest steps apart, or equal."""
    name = one_of(values, rng, is_array_of_doubles)
    if name is None:
        return {}
    value, spec = values[name], source.arguments.get(name, {})
    most = 1e308 if spec.get("any_magnitude") else LARGEST_STATED
    signed = [sign * far for far in OFFSETS for sign in (1, -1) if far <= most]
    fit = [far for far in signed if holds(spec, far)]
    if not fit:
        return {}
    offset = float(rng.choice(fit))
    # between a power of two and what is above it steps have one size
    step = np.spacing(abs(offset)) * 2.0 ** rng.integers(0, WIDEST_STEP, endpoint=True)
    steps = rng.integers(0, int(rng.choice(MOST_STEPS)), value.shape, endpoint=True)
    made = offset + np.copysign(step, offset) * steps
    return {name: np.where(np.isnan(value), value, made)}


def _nearly_equal(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let floats of an array be one number but for a small part of it, the same few parts."""
    name = one_of(values, rng, is_array_of_doubles)
    if name is None:
        return {}
    value, spec = values[name], source.arguments.get(name, {})
    bases = [base for base in (*BASES, *_some_of(value, rng)) if _takes(spec, base)]
    if not bases:
        return {}
    steps = rng.integers(0, FEW_STEPS, value.shape, endpoint=True)
    made = float(rng.choice(bases)) * (1 - float(rng.choice(PARTS)) * steps)
    if rng.random() < 0.5:
        made = np.where(rng.random(value.shape) < 0.5, made, value)
    return {name: np.where(np.isnan(value), value, made)}


def _some_of(value: np.ndarray, rng: np.random.Generator) -> list[float]:
    number = float(rng.choice(value.ravel()))
    return [number] if np.isfinite(number) and number != 0 else []


def _takes(spec: ArgumentSpec, base: float) -> bool:
    return holds(spec, base) and holds(spec, base * (1 - PARTS[0] * FEW_STEPS))


STEP_RELATIONS = (_steps_far_off, _nearly_equal)
"""As :data:`biomlbench.verify.related_arrays.ARRAY_RELATIONS`."""
