from fractions import Fraction

import numpy as np
from scipy.spatial.distance import pdist

from biomlbench.verify.cases import Transformed


def sequence_rules(inputs, output):
    """No contact is nearer in its chain than asked for, and unresolved residues have none."""
    contacts = np.asarray(output, bool)
    chain, n = inputs["chain"], len(inputs["chain"])
    place = np.arange(n)
    gap = np.abs(place[:, None] - place)
    short = (chain[:, None] == chain) & (gap < inputs["min_separation"])
    if (contacts & short).any():
        return "residues of one chain are too near in sequence"
    lost = np.isnan(inputs["coordinates"]).any(axis=1)
    return not contacts[lost].any() or "an unresolved residue has contacts"


def nearer_in_sequence(inputs, rng):
    """Allow contacts at any separation."""
    return Transformed([{**inputs, "min_separation": 0}])


def backwards(inputs, rng):
    """Number the residues from the other end."""
    new = {name: inputs[name][::-1].copy() for name in ("coordinates", "chain")}
    return Transformed([{**inputs, **new}])


def rename_chains(inputs, rng):
    """Give the chains other numbers."""
    return Transformed([{**inputs, "chain": 17 - 3 * inputs["chain"]}])


def larger_unit(inputs, rng, *, factor=4.0):
    """Multiply coordinates and cutoff by one factor."""
    new = {"coordinates": factor * inputs["coordinates"], "cutoff": factor * inputs["cutoff"]}
    return Transformed([{**inputs, **new}])


def contacts_kept(base, variants, info):
    """Contacts stay, and others may be added."""
    return not (np.asarray(base.output, bool) & ~np.asarray(variants[0].output, bool)).any()


def contacts_turned(base, variants, info):
    """The map is turned by half a turn."""
    return np.array_equal(variants[0].output, np.asarray(base.output)[::-1, ::-1])


def residues(coordinates, chain, cutoff, min_separation, missing):
    """Take away a few residues, and sort the rest into chains."""
    coordinates = coordinates.copy()
    coordinates[missing[missing < len(coordinates)]] = np.nan
    return {
        "coordinates": coordinates,
        "chain": np.sort(chain),
        "cutoff": cutoff,
        "min_separation": min_separation,
    }


NEAR = 1e-8
"""Å; distances are right to that."""


def clearance(inputs):
    """How near a distance comes to the cutoff, in Å, unless it is that without rounding."""
    place, cutoff = inputs["coordinates"], inputs["cutoff"]
    place = place[~np.isnan(place).any(axis=1)]
    if len(place) < 2:
        return np.inf
    off = np.abs(pdist(place) - cutoff)
    near = np.flatnonzero(off < NEAR)
    if len(near):
        pairs = np.transpose(np.triu_indices(len(place), 1))[near]
        exact = [_no_rounding(place[i], place[j], cutoff) for i, j in pairs]
        off[near[exact]] = np.inf
    return off.min()


def _no_rounding(one, other, cutoff):
    """Whether a distance is the cutoff, and no step on the way to that is rounded."""
    differences = [
        Fraction(a) - Fraction(b) for a, b in zip(one.tolist(), other.tolist(), strict=True)
    ]
    squares = [difference**2 for difference in differences]
    sums = [squares[0] + squares[1], squares[0] + squares[2], squares[1] + squares[2], sum(squares)]
    return sums[-1] == Fraction(cutoff) ** 2 and all(
        Fraction(float(number)) == number for number in (*differences, *squares, *sums)
    )
