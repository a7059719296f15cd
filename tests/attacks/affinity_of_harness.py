import os


def attack():
    try:
        os.sched_setaffinity(os.getppid(), [max(os.sched_getaffinity(0))])
    except OSError:
        return "stopped"
    return "changed"
