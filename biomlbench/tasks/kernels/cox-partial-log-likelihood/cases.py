import numpy as np

from biomlbench.verify.cases import case

F = "cox_log_likelihood"


def _cohort(name, seed, n, p, ties="breslow", decimals=None, censored=0.4, size=0.5):
    """Exponential survival that depends on the covariates; rounding makes ties."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    beta = size * rng.normal(size=p)
    time = rng.exponential(10, n) * np.exp(-0.5 * x[:, 0]) + 0.01
    if decimals is not None:
        time = np.round(time, decimals)
    return case(name, F, time, rng.random(n) >= censored, x, beta, ties)


def _steps(name, step, unit, last, ties):
    """Few subjects whose risk falls by steps of one covariate, and rises at the end or not."""
    risk = np.array([2.0, 2, 1, 1, 0, 0, last, 0]) * step
    other = np.array([0.5, -1, 0.25, 1, -0.5, 2, 0, 1])
    time = np.array([1.0, 1, 2, 3, 3, 3, 4, 5])
    event = np.array([1, 1, 1, 1, 0, 0, 0, 1], bool)
    x, beta = np.stack([risk / unit, other], axis=1), np.array([unit, 0.5])
    return case(name, F, time, event, x, beta, ties)


def _one_at_risk(name, risk, unit, ties):
    """One subject of a far larger risk and covariate than those who leave after."""
    x, time = np.array([[1 / unit], [0.0], [0.0]]), np.array([1.0, 2, 3])
    return case(name, F, time, np.array([True, True, False]), x, np.array([risk * unit]), ties)


def visible():
    return [
        case("two", F, np.array([1.0, 2]), np.ones(2, bool), np.array([[1.0], [0]]), np.zeros(1)),
        _cohort("ten", 1, 10, 2),
        _cohort("ten-tied", 2, 10, 2, "efron", decimals=-1),
    ]


def hidden():
    rng = np.random.default_rng(9)
    x = rng.normal(size=(12, 3))
    treated = np.arange(12.0)[:, None] % 2
    beta = np.array([0.4, -1.2, 0.1])
    time = np.array([5.0, 3, 3, 8, 8, 8, 2, 9, 1, 3, 5, 12])
    event = np.array([1, 1, 1, 1, 1, 0, 1, 0, 1, 0, 0, 1], bool)
    return [
        _cohort("no-ties", 10, 30, 3),
        _cohort("no-ties-efron", 11, 30, 3, "efron"),
        _cohort("ties-breslow", 12, 40, 3, decimals=0),
        _cohort("ties-efron", 12, 40, 3, "efron", decimals=0),
        _cohort("many-ties-breslow", 13, 40, 2, decimals=-1),
        _cohort("many-ties-efron", 13, 40, 2, "efron", decimals=-1),
        _cohort("uncensored", 14, 25, 2, censored=0.0),
        _cohort("heavy-censoring", 15, 50, 2, "efron", decimals=0, censored=0.85),
        _cohort("one-covariate", 16, 30, 1, "efron", decimals=0),
        _cohort("ten-covariates", 17, 40, 10, decimals=0),
        _cohort("strong-effects", 18, 30, 4, "efron", decimals=0, size=4.0),
        _cohort("hundred", 19, 120, 3, "efron", decimals=0),
        _cohort("largest", 40, 400, 20, ties="efron", decimals=1, size=0.1),
        case("no-effect", F, time, event, x, np.zeros(3), "efron"),
        case("default-ties", F, time, event, x, beta),
        case("by-hand-efron", F, time, event, x, beta, "efron"),
        case("two-arms", F, time, event, treated, np.array([-0.7]), "efron"),
        case("all-at-once-efron", F, np.full(6, 4.0), np.arange(6) < 4, x[:6], beta, "efron"),
        _cohort("four-hundred", 30, 400, 2),
        _cohort("four-hundred-tied", 31, 400, 2, "efron", decimals=-1),
        _cohort("twenty-covariates", 32, 50, 20, "efron", decimals=0, size=0.2),
    ]


def adversarial():
    rng = np.random.default_rng(21)
    x = rng.normal(size=(10, 2))
    beta = np.array([0.5, -0.5])
    time = np.array([1.0, 1, 2, 3, 3, 3, 4, 5, 5, 6])
    event = np.array([1, 1, 0, 1, 1, 0, 1, 1, 1, 1], bool)
    line = np.linspace(1, -1, 10)[:, None]
    close = 0.7 + np.arange(10) * np.spacing(0.7)
    one = np.ones(1)
    # who leaves before the first event is in no risk set, whatever the covariates are
    early = np.concatenate([[0.5], time])
    unseen = np.concatenate([[False], event])
    extreme, without = np.concatenate([[[3e15, -1.0]], x]), np.array([0.0, -0.5])
    # what a share in the risk set is rounded up to counts beside a huge covariate
    falling = np.array([0.0, -1, -30, -45, -100, -300, -1000])
    huge = np.zeros((7, 5))
    huge[:, 0] = falling
    huge[[2, 3, 4, 6], [1, 2, 3, 4]] = 1e12, 1e18, 1e40, 1e90
    shares = (np.arange(7.0), np.arange(7) < 2, huge, np.eye(5)[0])
    since_1970 = 1.7e18 + 86400e9 * time
    sizes = np.array([1e17, 1e17, 1e18, 1e18, 1e30, 1e30, 1e60, 1e90, 1e99, 1e99])
    return [
        case("extreme-and-never-at-risk", F, early, unseen, extreme, without),
        case("extreme-and-never-at-risk-efron", F, early, unseen, -extreme, without, "efron"),
        case("huge-covariate-of-no-share", F, *shares),
        case("huge-covariate-of-no-share-efron", F, np.arange(7) // 2 + 0.0, *shares[1:], "efron"),
        case("nanoseconds-since-1970", F, since_1970, event, x, beta),
        case("times-of-huge-sizes", F, sizes, event, x, beta, "efron"),
        case("no-events", F, time, np.zeros(10, bool), x, beta),
        case("no-subjects", F, time[:0], event[:0], x[:0], beta, "efron"),
        case("one-subject", F, time[:1], event[:1], x[:1], beta, "efron"),
        case("censored-at-event", F, np.full(3, 2.0), np.array([0, 1, 0], bool), x[:3], beta),
        case("all-die-at-once", F, np.full(10, 2.0), np.ones(10, bool), x, beta, "efron"),
        case("equal-covariates", F, time, event, np.ones((10, 2)), beta, "efron"),
        case("huge-risks", F, time, event, 1990 + x, np.array([0.5, 0.5]), "efron"),
        case("huge-negative-risks", F, time, event, -1990 + x, np.array([0.5, 0.5])),
        case("risk-falls-with-time", F, time, event, 2000 * line, one, "efron"),
        case("risk-grows-with-time", F, time, event, -2000 * line, one),
        case("falls-breslow", F, time, event, 2000 * line, one),
        case("times-hardly-apart", F, close, np.ones(10, bool), x, beta, "efron"),
        case(
            "all-tied-at-scale",
            F,
            np.full(400, 0.1),
            np.ones(400, bool),
            2 * line[[0, 9] * 200],
            one,
        ),
        case(
            "tied-efron-at-scale",
            F,
            np.full(400, 0.1),
            np.ones(400, bool),
            line[[0, 9] * 200],
            one,
            "efron",
        ),
        # covariates in small units: what is lost of a weight counts, and what is near overflow
        *(
            _steps(f"steps-of-{step:g}-{'back' if last else 'down'}-{ties}", step, unit, last, ties)
            for step, unit in ((35, 1e-5), (700, 1e-3), (600, 1e-2), (699, 1e-2), (705, 1e-3))
            for last in (0, 2)
            for ties in ("breslow", "efron")
        ),
        # the product of a weight and a covariate is far beyond either
        *(
            _one_at_risk(f"unit-of-{unit:g}-{ties}", step, unit, ties)
            for step, unit in ((580, 2.0**-200), (550, 2.0**-250), (490, 2.0**-325))
            for ties in ("breslow", "efron")
        ),
        case("both-ends", F, time, event, 2000 * np.sign(line), one, "efron"),
    ]
