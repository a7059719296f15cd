import numpy as np

from biomlbench.verify.cases import case

F = "kaplan_meier"


def _trial(name, seed, n, censored=0.4, decimals=None, follow_up=None):
    """Exponential survival with random censoring; rounding makes ties."""
    rng = np.random.default_rng(seed)
    time = rng.exponential(10, n) + 0.01
    event = rng.random(n) >= censored
    if follow_up:
        event &= time <= follow_up
        time = np.minimum(time, follow_up)
    if decimals is not None:
        time = np.round(time, decimals)
    return case(name, F, time, event)


def visible():
    return [
        case("four", F, np.array([2.0, 1, 2, 3]), np.array([True, True, False, False])),
        _trial("ten", 1, 10),
        _trial("tied", 2, 15, decimals=0),
    ]


def hidden():
    rng = np.random.default_rng(9)
    # remission of leukaemia under 6-mercaptopurine, in weeks (Freireich et al. 1963)
    weeks = [6, 6, 6, 6, 7, 9, 10, 10, 11, 13, 16, 17, 19, 20, 22, 23, 25, 32, 32, 34, 35]
    relapse = [1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0]
    order = rng.permutation(21)
    return [
        _trial("no-ties", 10, 30),
        _trial("ties", 11, 40, decimals=0),
        _trial("heavy-censoring", 12, 40, censored=0.8, decimals=0),
        _trial("no-censoring", 13, 25, censored=0.0),
        _trial("no-censoring-ties", 14, 30, censored=0.0, decimals=0),
        _trial("end-of-study", 15, 40, follow_up=12.0),
        _trial("months", 16, 60, decimals=0, follow_up=24.0),
        _trial("hundreds", 17, 250, decimals=1),
        _trial("small", 18, 5),
        case(
            "remission",
            F,
            np.array(weeks, float)[order],
            np.array(relapse, bool)[order],
        ),
        case("last-is-event", F, np.array([4.0, 1, 3, 2]), np.array([True, False, True, True])),
        case("last-is-censored", F, np.array([4.0, 1, 3, 2]), np.array([False, True, True, False])),
        case("at-time-zero", F, np.array([0.0, 0, 1, 2, 5]), np.array([1, 0, 1, 0, 1], bool)),
        case("descending", F, np.arange(12.0, 0, -1), np.arange(12) % 3 > 0),
        case("fractions", F, np.round(rng.random(30), 1) * 0.1, rng.random(30) < 0.6),
        _trial("two-thousand", 30, 2000, decimals=3),
        case("seconds-to-centuries", F, 10 ** rng.uniform(-3, 9, 60), rng.random(60) < 0.7),
    ]


def adversarial():
    rng = np.random.default_rng(21)
    close = 0.7 + np.arange(12) * np.spacing(0.7)
    return [
        case("no-events", F, rng.random(6), np.zeros(6, bool)),
        case("no-subjects", F, np.zeros(0), np.zeros(0, bool)),
        case("one-event", F, np.array([3.0]), np.array([True])),
        case("one-censored", F, np.array([3.0]), np.array([False])),
        case("all-at-once", F, np.full(5, 2.0), np.ones(5, bool)),
        case("all-at-once-one-event", F, np.full(5, 2.0), np.arange(5) == 3),
        case("event-and-censoring-tied", F, np.repeat([1.0, 2, 3], 4), np.tile([1, 0], 6) == 1),
        case("extinct-early", F, np.array([1.0, 2, 2, 2]), np.ones(4, bool)),
        case("censored-first", F, np.r_[np.zeros(5), 1:6], np.r_[np.zeros(5), np.ones(5)] > 0),
        case("hardly-apart", F, close[rng.permutation(12)], rng.random(12) < 0.7),
        case("a-thousand-at-once", F, np.arange(1800) // 1100 + 1.0, np.arange(1800) % 16 < 15),
        case("large-times", F, 1e12 + np.round(5 * rng.random(20)), rng.random(20) < 0.6),
        case("all-tied-at-scale", F, np.full(2000, 0.1), np.arange(2000) % 3 > 0),
    ]
