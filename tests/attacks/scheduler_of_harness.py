import os


def attack():
    try:
        os.sched_setscheduler(os.getppid(), os.SCHED_IDLE, os.sched_param(0))
    except OSError:
        return "stopped"
    return "changed"
