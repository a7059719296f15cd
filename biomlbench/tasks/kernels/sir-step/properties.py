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


UNSTABLE = 2.7
"""Rate times step from which differences may grow: a little below the method's limit, 2.785."""


def steps_that_spread_rounding(inputs):
    """Steps, where differences between two states may grow with each of them."""
    longest = max(inputs["beta"], inputs["gamma"]) * inputs["dt"]
    return inputs["steps"] if inputs["beta"] and longest > UNSTABLE else 0


def largest_share_of_everybody(inputs):
    """Largest magnitude that the method gives, in units of the population."""
    s, i, r = (float(number) for number in inputs["state"])
    total, beta, gamma, dt = s + i + r, inputs["beta"], inputs["gamma"], inputs["dt"]
    if not total or max(beta, gamma) * dt <= UNSTABLE:
        return 0.0  # nothing leaves the population there by more than a little

    def slope(s, i):
        infections, recoveries = beta * s * (i / total), gamma * i
        return -infections, infections - recoveries, recoveries

    found = 0.0
    for _ in range(inputs["steps"]):
        one = slope(s, i)
        two = slope(s + dt / 2 * one[0], i + dt / 2 * one[1])
        three = slope(s + dt / 2 * two[0], i + dt / 2 * two[1])
        four = slope(s + dt * three[0], i + dt * three[1])
        s, i, r = (
            number + dt / 6 * (a + 2 * b + 2 * c + d)
            for number, a, b, c, d in zip((s, i, r), one, two, three, four, strict=True)
        )
        found = max(found, abs(s), abs(i), abs(r))
        if found > 1e3 * total:
            break  # it does not come back
    return found / total
