import numpy as np

from biomlbench.verify.cases import case

KEEP, CIF, LOST = "usable_rows", "cumulative_incidence", "years_lost"


def registry(seed, n, causes=2, late=0.4, censored=0.3, decimals=1, messy=0.0):
    """Patients with delayed entry and tied times; a share `messy` of the rows is unusable."""
    rng = np.random.default_rng(seed)
    entry = np.where(rng.random(n) < late, rng.exponential(2, n), 0.0)
    time = np.round(entry, decimals) + np.round(rng.exponential(6, n) + 0.1, decimals)
    cause = rng.integers(1, causes + 1, n)
    cause[rng.random(n) < censored] = 0
    entry = np.round(entry, decimals)
    for i in np.flatnonzero(rng.random(n) < messy):
        kind = rng.integers(0, 7)
        if kind == 0:
            entry[i] = np.nan
        elif kind == 1:
            time[i] = [np.nan, np.inf][rng.integers(0, 2)]
        elif kind == 2:
            cause[i] = -rng.integers(1, 10)
        elif kind == 3:
            entry[i] = time[i]
        elif kind == 4:
            entry[i] = -0.5
        elif kind == 5:
            entry[i], time[i] = time[i], entry[i]
        else:
            entry[i] = -np.inf
    return entry, time, cause.astype(np.int64)


def rows(entry, time, cause):
    return np.array(entry, float), np.array(time, float), np.array(cause, np.int64)


SMALL = (np.array([0.0, 0, 1, 0]), np.array([1.0, 2, 3, 3]), np.array([1, 2, 0, 1]))


def visible():
    return [
        case("worked", CIF, *SMALL, 2, np.array([0.5, 1.0, 2.0, 3.0, 9.0])),
        case("twelve", CIF, *registry(1, 12), 2, np.array([4.0, 1.0, 8.0])),
        case("worked-lost", LOST, *SMALL, 2, 3.0),
        case("twelve-lost", LOST, *registry(1, 12), 2, 5.5),
        case("worked-rows", KEEP, *SMALL),
        case("messy-rows", KEEP, *registry(2, 15, messy=0.5)),
    ]


def hidden():
    grid = np.arange(0.0, 30.0, 0.7)
    rng = np.random.default_rng(77)
    shuffled = rng.permutation(np.repeat(np.round(rng.uniform(-1, 25, 15), 1), 2))
    return [
        case("two-causes", CIF, *registry(10, 60), 2, grid),
        case("late-comers", CIF, *registry(11, 80, late=0.9), 2, grid),
        case("no-late", CIF, *registry(12, 60, late=0.0), 2, grid),
        case("uncensored", CIF, *registry(13, 50, late=0.0, censored=0.0), 2, grid),
        case("heavy-ties", CIF, *registry(14, 90, decimals=0), 2, np.arange(-1.0, 25)),
        case("messy", CIF, *registry(15, 90, messy=0.4), 2, grid),
        case("four-causes", CIF, *registry(16, 120, causes=4, messy=0.1), 4, shuffled),
        case("five-causes-one-absent", CIF, *registry(17, 70, causes=4), 5, grid),
        case("one-cause", CIF, *registry(18, 60, causes=1), 1, grid),
        case("all-rows-used", CIF, *registry(19, 2000, decimals=2, messy=0.05), 2, grid),
        case("most-times", CIF, *registry(28, 60), 2, np.tile(shuffled, 34)[:1000]),
        case("largest", CIF, *registry(40, 2000, decimals=2), 2, np.tile(shuffled, 34)[:1000]),
        case("lost", LOST, *registry(20, 60), 2, 12.0),
        case("lost-late", LOST, *registry(21, 80, late=0.9, messy=0.2), 2, 7.3),
        case("lost-beyond", LOST, *registry(22, 40, causes=3), 3, 1000.0),
        case("lost-messy", LOST, *registry(29, 200, causes=5, messy=0.5), 5, 11.0),
        case("lost-one-cause", LOST, *registry(34, 50, causes=1), 1, 9.5),
        case("lost-ties", LOST, *registry(23, 80, causes=3, decimals=0), 3, 6.0),
        case("lost-uncensored", LOST, *registry(24, 50, late=0.0, censored=0.0), 2, 15.0),
        case("rows", KEEP, *registry(25, 80, messy=0.6)),
        case("rows-clean", KEEP, *registry(26, 40)),
        case("rows-many", KEEP, *registry(27, 2000, messy=0.3)),
    ]


def adversarial():
    none = np.zeros(0)
    nobody = (none, none, np.zeros(0, np.int64))
    at = np.array([-1.0, 0.0, 1.0, 2.0, 2.5, 3.0, 10.0])
    entry, time, cause = registry(31, 30, causes=3, messy=0.3)
    close = 0.7 + np.arange(12) * np.spacing(0.7)
    # all who are at risk at 1 die, and others enter afterwards
    extinct = rows([0, 0, 1.5, 1.5, 2], [1, 1, 2, 3, 4], [1, 2, 1, 2, 1])
    # status not known, though the lowest 32 bits are those of a cause
    unknown = np.array([1, 2 - 2**40, 0, 1 - 2**32, 2, 1])
    wide = (np.zeros(6), np.array([1.0, 1, 2, 3, 3, 4]), unknown)
    infinite = ([-np.inf, 0, 0, -1e-9, 0], [1, np.inf, 1e100, 1, 1e-100], [0, 1, 2, 1, 1])
    # nobody is at risk between 2 and 5, and not all have had an event
    gap = rows([0, 0, 5, 5, 6], [1, 2, 7, 8, 9], [1, 0, 2, 1, 2])
    # half of each cohort fails, so that S falls to 1e-14; the later causes come at its end
    start = np.repeat(np.arange(47.0), 2)
    halves = np.tile([1, 0], 47)
    halves[[50, 70, 82, 92]] = [2, 3, 4, 5]
    halving = rows(start, start + np.tile([0.5, 0.7], 47), halves)
    # no one is left after 1, 2, 3 and 4 in turn, but others enter and fail from the next cause
    emptied = rows([0, 0, 0, 1, 1, 2, 3, 3], [1, 1, 1, 2, 2, 3, 4, 4], [1, 1, 1, 2, 2, 3, 4, 4])
    late = 1e6 - 1e-6 * np.arange(1, 1001)
    return [
        case("gap", CIF, *gap, 2, np.array([1.5, 4.0, 7.0, 8.0, 9.0])),
        case("gap-lost", LOST, *gap, 2, 20.0),
        case("few-left-far-horizon", LOST, *halving, 5, 1e6),
        case("none-left-far-horizon", LOST, *emptied, 5, 1e6),
        case("just-before-far-horizon", LOST, np.zeros(1000), late, np.ones(1000, int), 1, 1e6),
        *(
            case(
                f"last-at-{far:g}",
                LOST,
                *rows([0, 0, 0, 1], [1, 2, far, far], [1, 2, 1, 0]),
                2,
                10.0,
            )
            for far in (1e9, 1e15, 1e100)
        ),
        case("nobody", CIF, *nobody, 2, at),
        case("nobody-lost", LOST, *nobody, 3, 5.0),
        case("nobody-rows", KEEP, *nobody),
        case("no-times", CIF, *registry(30, 20), 2, none),
        case("no-events", CIF, np.zeros(4), np.arange(1.0, 5), np.zeros(4, np.int64), 2, at),
        case("no-events-lost", LOST, np.zeros(4), np.arange(1.0, 5), np.zeros(4, np.int64), 2, 9.0),
        case("horizon-zero", LOST, *registry(32, 20), 2, 0.0),
        case(
            "horizon-before-events",
            LOST,
            np.zeros(3),
            np.array([4.0, 5, 6]),
            np.ones(3, np.int64),
            2,
            3.5,
        ),
        case(
            "horizon-at-an-event",
            LOST,
            np.zeros(3),
            np.array([4.0, 5, 6]),
            np.arange(1, 4) % 3,
            2,
            5.0,
        ),
        case("far-horizon", LOST, *registry(33, 20), 2, 1e6),
        case("extinct-then-entries", CIF, *extinct, 2, at),
        case("extinct-lost", LOST, *extinct, 2, 6.0),
        case("enters-at-event", CIF, *rows([0, 0, 2], [2, 3, 4], [1, 1, 2]), 2, at),
        case("censored-at-event", CIF, *rows([0] * 4, [2, 2, 3, 3], [0, 1, 0, 2]), 2, at),
        case("both-causes-at-once", CIF, *rows([0] * 5, [2, 2, 2, 3, 3], [1, 2, 1, 0, 2]), 2, at),
        case("hardly-apart", CIF, np.zeros(12), close[::-1].copy(), np.arange(12) % 3, 2, close),
        case("read-backwards", CIF, entry[::-1], time[::-1], cause[::-1], 3, at[::-1]),
        case("all-unusable", CIF, *rows([np.nan, 2, 0], [1, 2, 3], [1, 1, -9]), 2, at),
        case("beyond-32-bits", CIF, *wide, 2, at),
        case("beyond-32-bits-lost", LOST, *wide, 2, 5.0),
        case("beyond-32-bits-rows", KEEP, *wide[:2], unknown + 2**41),
        case("infinite-rows", KEEP, *rows(*infinite)),
        case(
            "all-tied-at-scale",
            CIF,
            np.zeros(2000),
            np.full(2000, 0.1),
            np.arange(2000) % 3,
            2,
            at / 10,
        ),
    ]
