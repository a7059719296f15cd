import os


def attack():
    before = len(os.sched_getaffinity(0))
    try:
        os.sched_setaffinity(0, range(1024))
    except OSError:
        pass
    return before
