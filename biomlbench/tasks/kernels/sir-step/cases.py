import numpy as np

from biomlbench.verify.cases import case

F = "simulate_sir"


def _run(name, s, i, r, beta, gamma, dt, steps):
    return case(name, F, np.array([s, i, r], float), beta, gamma, dt, steps)


def _beyond_an_epidemic():
    """Steps so long that the method gives what no epidemic can; it is asked for all the same."""
    return [
        _run("more-susceptible-than-everybody", 924, 683, 400, 5.95, 0.0, 1.0, 3),
        _run("again-susceptible", 1000, 267, 0, 5.2, 0.05, 1.0, 4),
        _run("more-infected-than-everybody", 467, 763, 400, 3.32, 3.0, 1.0, 6),
        _run("less-recovered-than-nobody", 126, 807, 400, 3.0, 3.0, 1.0, 3),
        _run("twice-everybody", 0, 40, 60, 0.0, 8.0, 0.5, 1),
        # without infections, and yet the infected become more
        _run("one-becomes-many", 0, 1, 1e18, 0.0, 3.5, 1.0, 35),
        _run("traces-become-many", 0.3, 1e-60, 0.7, 0.0, 6.4, 1.0, 37),
        _run("hardly-grows", 5e5, 1, 5e5, 0.0, 2.9, 1.0, 60),
        _run("more-with-infections", 1e14, 1, 1e16, 1.0, 5.3, 1.0, 6),
        # powers of a rate and of the time, each by itself, are beyond all numbers
        *(
            _run(f"{kind}-in-units-of-{unit:g}", 60, 30, 10, beta * unit, unit / 5, 0.5 / unit, 5)
            for kind, beta in (("recovery", 0.0), ("outbreak", 0.5))
            for unit in (1e-90, 1e90)
        ),
    ]


def visible():
    return [
        _run("one-step", 90, 10, 0, 0.5, 0.2, 1.0, 1),
        _run("nobody-infected", 100, 0, 5, 0.4, 0.1, 0.5, 3),
        _run("ten-steps", 990, 10, 0, 0.3, 0.1, 0.5, 10),
    ]


def hidden():
    return [
        _run("outbreak", 9990, 10, 0, 0.6, 0.2, 0.5, 60),
        _run("dying-out", 500, 50, 450, 0.2, 0.4, 1.0, 20),
        _run("coarse", 800, 200, 0, 0.9, 0.3, 2.0, 10),
        _run("fine", 800, 200, 0, 0.9, 0.3, 0.01, 25),
        _run("fast", 99, 1, 0, 3.0, 1.0, 0.1, 40),
        _run("slow", 1e6, 100, 0, 0.11, 0.1, 1.0, 50),
        _run("shares", 0.99, 0.01, 0.0, 0.5, 0.25, 0.5, 30),
        _run("half-immune", 500, 5, 495, 0.8, 0.2, 0.5, 30),
        _run("no-recovery", 95, 5, 0, 0.7, 0.0, 0.5, 30),
        _run("no-infection", 95, 5, 0, 0.0, 0.3, 0.5, 30),
        _run("two-steps", 70, 20, 10, 0.5, 0.2, 1.0, 2),
        _run("all-infected", 0, 100, 0, 0.5, 0.2, 1.0, 8),
        _run("long", 999, 1, 0, 0.4, 0.15, 0.25, 200),
        _run("thousand-steps", 9990, 10, 0, 0.35, 0.1, 0.2, 1000),
    ]


def adversarial():
    return [
        case("most-persons", F, np.full(3, 10**18), 0.5, 0.2, 1.0, 4),
        _run("no-step", 90, 10, 0, 0.5, 0.2, 1.0, 0),
        _run("nobody", 0, 0, 0, 0.5, 0.2, 1.0, 3),
        _run("all-recovered", 0, 0, 50, 0.5, 0.2, 1.0, 3),
        case("whole-numbers", F, np.array([90, 10, 0]), 0.5, 0.2, 1.0, 4),
        _run("overshooting", 80, 20, 0, 3.0, 0.2, 2.0, 3),
        _run("vanishing", 0.5, 1e-3, 0.0, 0.1, 2.0, 0.25, 60),
        _run("share-of-a-share", 0.02, 0.01, 0.0, 0.5, 0.25, 0.5, 10),
        _run("world", 7.9e9, 1e3, 0, 0.5, 0.2, 1.0, 30),
        case("whole-world", F, np.array([4 * 10**9, 4 * 10**9, 7]), 0.5, 0.2, 1.0, 5),
        case("whole-numbers-no-step", F, np.array([90, 10, 0]), 0.5, 0.2, 1.0, 0),
        _run("hardly-anybody", 9e-14, 1e-14, 3e-14, 0.5, 0.2, 1.0, 8),
        _run("first-trace", 1.0, 1e-13, 0.0, 2.0, 0.0, 0.5, 60),
        # so few that their share is lost beside 1, and more in the end
        _run("from-a-trace", 1e6, 1e-9, 0.0, 0.9, 0.1, 0.25, 260),
        _run("from-less-than-a-trace", 1.0, 1e-20, 0.2, 1.4, 0.1, 0.3, 180),
        # whole numbers of blocks of any usual size
        *(_run(f"{n}-steps", 990, 10, 0, 0.3, 0.1, 0.5, n) for n in (512, 768)),
        _run("nothing-happens", 90, 10, 3, 0.0, 0.0, 0.7, 4),
        _run("nobody-susceptible", 0, 30, 10, 1.5, 0.4, 1.0, 12),
        *_beyond_an_epidemic(),
    ]
