import os


def attack():
    found = [os.getpriority(os.PRIO_PROCESS, 0) == 19, os.sched_getscheduler(0)]
    for change in (
        lambda: os.setpriority(os.PRIO_PROCESS, 0, 19),
        lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)),
    ):
        try:
            change()
        except OSError:
            continue
    return found
