import numpy as np

from biomlbench.verify.cases import case

F = "firing_rate"


def _train(name, seed, k, n, dt=0.001, tau=0.01):
    rng = np.random.default_rng(seed)
    return case(name, F, rng.integers(0, n, k), n, dt, tau)


def _late(name, k, n, end):
    """Many spikes near the end of bins that are `end` times tau together."""
    rng = np.random.default_rng(int(end))
    return case(name, F, np.sort(rng.integers(n - 5, n, k)), n, 1e-3 * end, n * 1e-3)


def visible():
    return [
        case("one-spike", F, np.array([1]), 3, 0.1, 0.1),
        case("two-spikes", F, np.array([3, 0]), 6, 0.01, 0.02),
        _train("ten-spikes", 1, 10, 40),
    ]


def hidden():
    return [
        _train("sparse", 10, 3, 100),
        _train("dense", 11, 60, 50),
        _train("long", 12, 80, 1500),
        _train("slow-kernel", 13, 12, 80, tau=0.5),
        _train("fast-kernel", 14, 12, 80, tau=0.0007),
        _train("coarse-bins", 15, 9, 30, dt=0.05, tau=0.1),
        _train("fine-bins", 16, 9, 200, dt=1e-4, tau=0.005),
        case("first-bin", F, np.array([0]), 20, 0.001, 0.01),
        case("last-bin", F, np.array([19]), 20, 0.001, 0.01),
        case("burst", F, np.array([5, 5, 5, 6, 6]), 15, 0.001, 0.004),
        case("unsorted", F, np.array([9, 2, 7, 2]), 12, 0.002, 0.01),
        case("every-bin", F, np.arange(25), 25, 0.001, 0.01),
        case("seconds", F, np.array([0, 2, 4]), 6, 1.0, 2.0),
        _train("five-thousand-bins", 30, 2000, 5000, tau=0.4),
    ]


def adversarial():
    return [
        case("no-spike", F, np.zeros(0, np.int64), 10, 0.001, 0.01),
        case("one-bin", F, np.array([0, 0]), 1, 0.001, 0.01),
        case("outside", F, np.array([-1, -5, 3, 10, 99]), 10, 0.001, 0.01),
        case("all-outside", F, np.array([-2, 50]), 10, 0.001, 0.01),
        case("very-slow", F, np.array([0, 30]), 60, 0.001, 1e6),
        case("very-fast", F, np.array([2, 4]), 8, 0.001, 1e-6),
        case("crowded-and-slow", F, np.arange(2000) % 7 // 2 * 30, 5000, 0.001, 150.0),
        case("shortest", F, np.array([0, 30]), 60, 1e-6, 1e-6),
        case("longest", F, np.array([0, 30]), 60, 1e6, 1e6),
        *(
            case(f"ratio-{dt:g}", F, np.array([0, 7, 400, 1100]), 1500, dt, 1.0)
            for dt in (9e-6, 9e-5, 4e-4, 9e-4, 4e-3, 9e-3, 0.04, 0.09, 0.9)
        ),
        # the longest time, in units of tau, is where exponentials of doubles and floats end
        *(
            _late(f"end-of-{end:g}", 40, 1000, end)
            for end in (80, 88, 104, 350, 700, 706, 708.9, 746)
        ),
        # 80 spikes in each bin: their sum overflows before one of them does
        *(
            case(
                f"crowd-at-{700 * n}",
                F,
                np.arange(700 * n, 712 * n).repeat(80 // n),
                800 * n,
                dt,
                1.0,
            )
            for n, dt in ((1, 1.0), (2, 0.5))
        ),
        # a decay that is off by little is so once for each bin
        *(
            case(f"five-thousand-bins-of-{dt:g}", F, np.array([0, 9]), 5000, 1e3 * dt, 1e3)
            for dt in (9e-7, 2e-4)
        ),
        case("far-outside", F, np.array([2**62, -(2**62), 2**32 + 3, 4]), 10, 0.001, 0.01),
    ]
