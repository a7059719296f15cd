import numpy as np

from biomlbench.verify.cases import Transformed, within


def population_kept(inputs, output):
    """Each row sums to the population at the start."""
    total = float(np.sum(inputs["state"], dtype=float))
    off = np.abs(np.asarray(output, float).sum(axis=1) - total)
    return within(off.max(), 1e-9 * max(total, 1e-9), "persons vanish or appear")


def susceptibles_fall_recovered_rise(inputs, output):
    """Susceptibles never become more and recovered never fewer."""
    rows = np.asarray(output, float)
    slack = 1e-9 * float(np.sum(inputs["state"], dtype=float))
    return bool((np.diff(rows[:, 0]) <= slack).all() and (np.diff(rows[:, 2]) >= -slack).all())


def other_unit_of_time(inputs, rng):
    """Count time in hours in place of days."""
    new = {
        **inputs,
        "beta": inputs["beta"] / 24,
        "gamma": inputs["gamma"] / 24,
        "dt": inputs["dt"] * 24,
    }
    return Transformed([new])


def more_steps(inputs, rng):
    """Go on for three more steps."""
    new = {**inputs, "steps": inputs["steps"] + 3}
    return Transformed([new], {"length": inputs["steps"] + 1})


def step_in_time_constants(inputs):
    """Length of a step in units of the shortest time in which the rates alone change a state."""
    return (inputs["beta"] + inputs["gamma"]) * inputs["dt"]
