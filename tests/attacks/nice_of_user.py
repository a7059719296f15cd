import os


def attack():
    try:
        os.setpriority(os.PRIO_USER, os.getuid(), 19)
    except OSError:
        return "stopped"
    return "changed"
