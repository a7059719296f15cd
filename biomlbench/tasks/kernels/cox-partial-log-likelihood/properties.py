import numpy as np

from biomlbench.verify.cases import Transformed, within

STEP = 1e-5


def in_units_of_covariates(inputs, output):
    """Measure each slope by the largest magnitude of its covariate, where that is above 1.

    Large terms cancel, and leave what rounding left of them.
    """
    if not isinstance(output, dict) or "gradient" not in output:
        return output
    size = np.abs(inputs["covariates"]).max(axis=0, initial=1.0)
    slope = np.asarray(output["gradient"], float)
    return {**output, "gradient": slope / size} if slope.shape == size.shape else output


def never_positive(inputs, output):
    """A log-likelihood is at most 0, and exactly 0 without events."""
    value = float(output["log_likelihood"])
    if not inputs["event"].any():
        return value == 0 and not np.any(output["gradient"])
    return within(max(value, 0.0) if value == value else np.inf, 1e-9, "it is not a log-likelihood")


def counts_without_effect(inputs, output):
    """With beta = 0, only the sizes of the risk sets and of the ties matter."""
    if np.any(inputs["beta"]):
        return None
    time, event = inputs["time"], inputs["event"]
    want = 0.0
    for t in set(time[event].tolist()):
        n, d = np.sum(time >= t), int(np.sum(event & (time == t)))
        shrink = np.arange(d) if inputs["ties"] == "efron" else np.zeros(d)
        want -= np.log(n - shrink).sum()
    return within(abs(float(output["log_likelihood"]) - want), 1e-8, "the risk sets are others")


def gradient_within_range(inputs, output):
    """Each event moves a slope by no more than the range of its covariate."""
    x, event = inputs["covariates"], inputs["event"]
    gradient = np.asarray(output["gradient"], float)
    if gradient.shape != inputs["beta"].shape or not np.isfinite(gradient).all():
        return "the gradient has the wrong shape, or is not finite"
    limit = event.sum() * np.ptp(x, axis=0) if len(x) else np.zeros(x.shape[1])
    return bool((np.abs(gradient) <= limit + 1e-8 * (1 + np.abs(x).sum())).all())


def step_along_beta(inputs, rng):
    """Take a small step forth and back along a random direction of beta."""
    direction = rng.normal(size=len(inputs["beta"]))
    steps = [inputs["beta"] + sign * STEP * direction for sign in (1, -1)]
    return Transformed([{**inputs, "beta": beta} for beta in steps], {"direction": direction})


def slope_is_gradient(base, variants, info):
    """The log-likelihood changes as the gradient says."""
    forth, back = (float(variant.output["log_likelihood"]) for variant in variants)
    slope = (forth - back) / (2 * STEP)
    said = float(np.asarray(base.output["gradient"]) @ info["direction"])
    size = 1 + abs(slope) + abs(float(base.output["log_likelihood"]))
    return within(abs(slope - said) / size, 1e-5, "the gradient is not the derivative")


def rescale(inputs, rng):
    """Multiply the covariates by 4 and divide beta by 4."""
    new = {**inputs, "covariates": 4 * inputs["covariates"], "beta": inputs["beta"] / 4}
    return Transformed([new])


def only_gradient_scales(base, variants, info):
    """The log-likelihood stays, and the gradient is multiplied by 4."""
    new = variants[0].output
    off = abs(float(new["log_likelihood"]) - float(base.output["log_likelihood"]))
    slope = np.abs(np.asarray(new["gradient"]) - 4 * np.asarray(base.output["gradient"])).max()
    return within(max(off, slope), 1e-8, "units of the covariates matter")


def other_ties(inputs, rng):
    """Ask for the other treatment of ties."""
    ties = "breslow" if inputs.get("ties", "breslow") == "efron" else "efron"
    return Transformed([{**inputs, "ties": ties}])


def efron_is_larger(base, variants, info):
    """Where events are tied, Efron's log-likelihood is larger than Breslow's."""
    by = {seen.inputs["ties"]: float(seen.output["log_likelihood"]) for seen in (base, *variants)}
    return bool(by["efron"] > by["breslow"] + 1e-9)


def add_early_leavers(inputs, rng):
    """Add subjects who were censored before all others left."""
    k = 4
    return Transformed(
        [
            {
                **inputs,
                "time": np.concatenate(
                    [inputs["time"].min() - rng.random(k) - 0.1, inputs["time"]]
                ),
                "event": np.concatenate([np.zeros(k, bool), inputs["event"]]),
                "covariates": np.concatenate(
                    [rng.normal(size=(k, len(inputs["beta"]))), inputs["covariates"]]
                ),
            }
        ]
    )


def eta(inputs):
    """The logarithms of the risks."""
    return inputs["covariates"] @ inputs["beta"]
