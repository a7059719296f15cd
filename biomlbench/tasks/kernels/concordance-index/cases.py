import numpy as np

from biomlbench.verify.cases import case

F = "concordance_index"


def _cohort(name, seed, n, censored=0.4, decimals=None, effect=1.0, risk_decimals=None):
    """Exponential survival whose rate depends on the risk; rounding makes ties."""
    rng = np.random.default_rng(seed)
    risk = rng.normal(size=n)
    time = rng.exponential(10, n) * np.exp(-effect * risk) + 0.01
    if decimals is not None:
        time = np.round(time, decimals)
    if risk_decimals is not None:
        risk = np.round(risk, risk_decimals)
    return case(name, F, time, rng.random(n) >= censored, risk)


def visible():
    return [
        case(
            "three",
            F,
            np.array([2.0, 4, 6]),
            np.array([True, False, True]),
            np.array([0.9, 0.1, 0.9]),
        ),
        _cohort("twelve", 1, 12),
        _cohort("tied-times", 2, 15, decimals=0),
    ]


def hidden():
    rng = np.random.default_rng(9)
    t = np.arange(1.0, 13)
    every = np.ones(12, bool)
    order = rng.permutation(12)
    return [
        _cohort("thirty", 10, 30),
        _cohort("uncensored", 11, 25, censored=0.0),
        _cohort("heavy-censoring", 12, 40, censored=0.8),
        _cohort("ties-in-time", 13, 40, decimals=0),
        _cohort("ties-in-risk", 14, 40, risk_decimals=0),
        _cohort("ties-in-both", 15, 50, decimals=0, risk_decimals=0),
        _cohort("protective", 16, 30, effect=-1.5),
        _cohort("no-effect", 17, 60, effect=0.0),
        _cohort("two-hundred", 18, 200, decimals=1),
        _cohort("uncensored-ties", 19, 30, censored=0.0, decimals=0),
        case("perfect", F, t[order], every, -t[order]),
        case("reversed", F, t[order], every, t[order]),
        case("constant-risk", F, t[order], order % 3 > 0, np.full(12, 2.5)),
        case("tied-with-censored", F, np.repeat(t[:4], 3), np.arange(12) % 2 == 0, rng.random(12)),
        case("late-events", F, t, t > 8, rng.normal(size=12).round(1)),
        case("large-risks", F, t, order % 2 == 0, 1e6 * rng.normal(size=12)),
        _cohort("large-cohort", 30, 1500, decimals=1, risk_decimals=1),
    ]


def adversarial():
    rng = np.random.default_rng(21)
    close = 0.7 + np.arange(12) * np.spacing(0.7)
    t = np.arange(1.0, 9)
    mixed = np.array([True, False] * 4)
    return [
        case("no-subjects", F, np.zeros(0), np.zeros(0, bool), np.zeros(0)),
        case("one-subject", F, np.ones(1), np.ones(1, bool), np.ones(1)),
        case("no-events", F, t, np.zeros(8, bool), rng.random(8)),
        case("only-the-last-dies", F, t, t == 8, rng.random(8)),
        case("all-die-at-once", F, np.full(8, 3.0), np.ones(8, bool), rng.random(8)),
        case("all-at-once", F, np.full(8, 3.0), mixed, rng.random(8)),
        case("censored-at-event", F, np.array([5.0, 5.0]), np.array([False, True]), t[:2]),
        case("event-at-censored", F, np.array([5.0, 5.0]), np.array([True, False]), t[:2]),
        case("one-pair-tied-risk", F, t[:2], np.ones(2, bool), np.zeros(2)),
        case("risks-hardly-apart", F, np.arange(12.0), np.ones(12, bool), close[::-1].copy()),
        case("times-hardly-apart", F, close, np.ones(12, bool), rng.random(12)),
        case("negative-times", F, -t, mixed, rng.random(8)),
        case(
            "all-tied-at-scale", F, np.full(1500, 0.1), np.arange(1500) % 3 > 0, np.full(1500, 0.7)
        ),
    ]
