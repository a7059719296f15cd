import os


def attack():
    try:
        os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)
    except OSError:
        return "stopped"
    return "changed"
