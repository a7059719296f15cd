import numpy as np

from biomlbench.verify.cases import Transformed, within


def squares(inputs, vmax, km):
    s = inputs["s"]
    return float(((inputs["v"] - vmax * s / (km + s)) ** 2).sum())


def positive_constant(inputs, output):
    """Both values are finite and km is positive."""
    vmax, km = output
    return bool(np.isfinite(vmax) and np.isfinite(km) and km > 0)


def no_neighbour_is_better(inputs, output, *, step=1e-3):
    """No small change of vmax, of km or of both lowers the sum of squares."""
    vmax, km = (float(value) for value in output)
    here = squares(inputs, vmax, km)
    moves = [(a, b) for a in (-step, 0, step) for b in (-step, 0, step) if a or b]
    best = min(squares(inputs, vmax * (1 + a), km * (1 + b)) for a, b in moves)
    slack = 1e-13 * float((inputs["v"] ** 2).sum())
    return within(max(here - best, 0), slack, "a small change fits better")


def beats_straight_lines(inputs, output):
    """The sum of squares is no larger than that of the linear transformations of the equation."""
    s, v = inputs["s"], inputs["v"]
    here = squares(inputs, *(float(value) for value in output))
    use = (s > 0) & (v > 0)
    s, v = s[use], v[use]
    lines = [(1 / s, 1 / v, "reciprocal"), (v / s, v, "rate over rate"), (s, s / v, "ratio")]
    slack = 1e-13 * float((inputs["v"] ** 2).sum())
    for x, y, name in lines:
        slope, start = np.polyfit(x, y, 1)
        vmax, km = {
            "reciprocal": (1 / start, slope / start),
            "rate over rate": (start, -slope),
            "ratio": (1 / slope, start / slope),
        }[name]
        if km > 0 and squares(inputs, vmax, km) < here - slack:
            return "a straight line through transformed rates fits better"
    return None


def other_substrate_unit(inputs, rng, *, factor=1000.0):
    """Give the concentrations in another unit."""
    return Transformed([{**inputs, "s": inputs["s"] * factor}], {"factors": (1.0, factor)})


def other_rate_unit(inputs, rng, *, factor=1e-6):
    """Give the rates in another unit."""
    return Transformed([{**inputs, "v": inputs["v"] * factor}], {"factors": (factor, 1.0)})


def follows_units(base, variants, info):
    """Each value changes with its unit, and with nothing else."""
    want = np.asarray(base.output, float) * info["factors"]
    off = np.abs(np.asarray(variants[0].output, float) - want) / np.abs(want)
    return within(off.max(), 1e-5, "a value does not follow its unit")


def add_blanks(inputs, rng, *, count=3):
    """Add points without substrate and without rate, which say nothing about either value."""
    blank = np.zeros(count)
    new = {name: np.concatenate([inputs[name], blank]) for name in ("s", "v")}
    return Transformed([{**inputs, **new}])


def enzyme(scale, vmax, km, noise):
    """Make rates out of drawn parameters, with concentrations around km."""
    s = km * np.sort(scale)
    return {"s": s, "v": vmax * (s / (km + s) + 0.03 * noise)}


def enzyme_at_edges(scale, vmax, unit, decades, far, noise, quiet, blanks, odd):
    """Rates that have one best fit, at concentrations over some decades.

    The constant is among the concentrations, or `far` decades below the least or above the largest,
    where there is so much less noise. `odd` is how far off the first reading is, or says that noise
    as large as the rates tells nothing about the fit.
    """
    if len(np.unique(scale)) < 4 or scale.max() < 4 * scale.min():
        return None
    s = scale * 10.0 ** (decades * (scale - scale.min()) / np.ptp(scale))
    if s.max() > 1e6 * s.min():
        return None
    km = (s.min(), np.median(s), s.max())[int(np.sign(far)) + 1] * 10.0**far
    s = np.concatenate([s, np.zeros(blanks)])
    noise = np.concatenate([noise, 0.5 * np.ones(blanks)])
    share = s / (km + s)
    if _is_lost_in_rounding(s, km):
        return None
    v = share + 0.02 * quiet * 100.0 ** -abs(far) * share.max() * noise
    if odd == "noise":
        v = share + 15 * (v - share - _told(s, km, v - share))
    elif odd != "none":
        v[np.argmin(np.where(s > 0, s, np.inf))] = odd * share.max()
    if not _has_one_best_fit(s, v):
        return None
    return {"s": unit * s, "v": vmax * v}


def _is_lost_in_rounding(s, km, most=1e-9):
    """Whether rounded slopes of the sum of squares leave a value less exact than a share of it."""
    share = s / (km + s)
    slopes = np.stack([share, -share * km / (km + s)], axis=1)
    rounding = np.finfo(float).eps * np.abs(slopes).T @ share
    change = np.abs(np.linalg.pinv(slopes.T @ slopes)) @ rounding
    return change.max() > most


def _told(s, km, noise):
    """The part of the noise that moves the best fit, or changes how sharp it is."""
    slopes, _ = np.linalg.qr(s[:, None] / (km + s[:, None]) ** [1, 2, 3])
    return slopes @ (slopes.T @ noise)


def _has_one_best_fit(s, v):
    """Whether what is explained has one summit over all constants, within those promised.

    Far from the summit it may rise again, to less than at the summit by a share that shows.
    """
    least, largest = s[s > 0].min(), s.max()
    grid = np.geomspace(1e-5 * least, 1e5 * largest, 300)
    shape = s / (grid[:, None] + s)
    explained = (shape @ v) ** 2 / (shape**2).sum(axis=1)
    # constants that are far enough off explain all but the same
    ways = np.sign(np.diff(np.round(explained / explained.max(), 13)))
    turns = np.diff(ways[ways != 0])
    place = np.argmax(explained)
    if np.count_nonzero(turns < 0) != 1 or (shape[place] @ v) <= 0:
        return False
    if np.count_nonzero(turns > 0) and max(explained[0], explained[-1]) > 0.98 * explained.max():
        return False
    return 1.1e-3 * least < grid[place] < 0.9e3 * largest
