import numpy as np

from biomlbench.verify.cases import Transformed, within


def _used(inputs):
    entry, time, cause = (np.asarray(inputs[name]) for name in ("entry", "time", "cause"))
    ok = np.isfinite(entry) & np.isfinite(time) & (entry >= 0) & (entry < time) & (cause >= 0)
    return entry[ok], time[ok], cause[ok]


def adds_up_to_all_causes(inputs, output):
    """The incidences of all causes add up to the share who failed from any cause."""
    entry, time, cause = _used(inputs)
    worst = 0.0
    events = np.unique(time[cause > 0])
    died = np.array([np.sum((time == u) & (cause > 0)) for u in events])
    at_risk = np.array([np.sum((entry < u) & (u <= time)) for u in events])
    for t, total in zip(inputs["at"], np.asarray(output).sum(axis=0), strict=True):
        alive = np.prod(1 - died[events <= t] / at_risk[events <= t])
        worst = max(worst, abs(total + alive - 1))
    return within(worst, 1e-8, "the incidences and the survival do not add up to 1")


def rises_with_time(inputs, output):
    """No incidence is negative, above 1, or lower at a later time."""
    order = np.argsort(inputs["at"], kind="stable")
    lines = np.asarray(output)[:, order]
    fall = -np.diff(lines, axis=1).min(initial=0.0)
    out = max(-lines.min(initial=0.0), lines.max(initial=0.0) - 1, fall)
    return within(max(out, 0.0), 1e-9, "an incidence falls, or is no probability")


def share_where_all_are_seen(inputs, output):
    """Where nobody enters late or is censored, incidence is the share who had the event."""
    entry, time, cause = _used(inputs)
    if (entry > 0).any() or (cause == 0).any() or not len(time):
        return None
    worst = 0.0
    for k in range(inputs["n_causes"]):
        for j, t in enumerate(inputs["at"]):
            worst = max(worst, abs(output[k][j] - np.mean((time <= t) & (cause == k + 1))))
    return within(worst, 1e-9, "the incidence is not the share of patients")


def within_horizon(inputs, output):
    """Each cause costs at least 0, and all together at most the horizon after the first event."""
    _, time, cause = _used(inputs)
    first = time[cause > 0].min(initial=np.inf)
    most = max(inputs["horizon"] - first, 0.0)
    lost = np.asarray(output)
    over = max(lost.sum() - most, -lost.min(initial=0.0), 0.0)
    return within(over, 1e-9 * max(most, 1.0), "more is lost than there is")


def pool_last_causes(inputs, rng):
    """Give the last cause the number of the one before it."""
    k = inputs["n_causes"]
    cause = np.where(inputs["cause"] == k, k - 1, inputs["cause"])
    return Transformed([{**inputs, "cause": cause}])


def last_two_are_added(base, variants, info):
    """The pooled cause has what both had, the last has nothing, and the others keep theirs."""
    old, new = np.asarray(base.output), np.asarray(variants[0].output)
    want = np.concatenate([old[:-2], old[-2:-1] + old[-1:], 0 * old[-1:]])
    if new.shape != want.shape:
        return False
    return within(np.abs(new - want).max(initial=0.0), 1e-8, "the causes do not add up")


def add_unusable(inputs, rng):
    """Put rows between the others that cannot be used."""
    extra = {
        "entry": np.array([np.nan, 0.0, 3.0, 0.0, -1.0, 5.0]),
        "time": np.array([4.0, np.nan, 3.0, 2.0, 6.0, 1.0]),
        "cause": np.array([1, 2, 1, -1, 2, 1]),
    }
    order = rng.permutation(len(inputs["time"]) + 6)
    new = {name: np.concatenate([inputs[name], extra[name]])[order] for name in extra}
    return Transformed([{**inputs, **new}])


def later_horizon(inputs, rng):
    """Move the horizon beyond all times, and then further by one and by three units."""
    _, time, _ = _used(inputs)
    end = float(time.max()) + 1
    return Transformed([{**inputs, "horizon": end + more} for more in (0.0, 1.0, 3.0)])


def rises_by_the_last_incidence(base, variants, info):
    """After the last time, each unit costs the same share, three units three times as much."""
    at, one, three = (np.asarray(variant.output) for variant in variants)
    off = np.abs((three - at) - 3 * (one - at)).max(initial=0.0)
    gain = (one - at).sum()
    if not 0 < gain <= 1 + 1e-9:
        return "years after the last time cost nothing, or more than they are"
    return within(off, 1e-8, "years after the last time do not cost the same")


def with_known_causes(**values):
    """Inputs in which no cause of a usable row is beyond the number of causes."""
    entry, time, cause, most = (values[name] for name in ("entry", "time", "cause", "n_causes"))
    usable = np.isfinite(time) & (entry >= 0) & (entry < time)
    return {**values, "cause": np.where(usable & (cause > most), cause % (most + 1), cause)}
