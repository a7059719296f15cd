import os


def attack():
    try:
        os.sched_setparam(os.getppid(), os.sched_param(0))
    except OSError:
        return "stopped"
    return "changed"
