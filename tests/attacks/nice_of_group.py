import os


def attack():
    try:
        os.setpriority(os.PRIO_PGRP, os.getpgid(os.getppid()) or 1, 19)
    except OSError:
        return "stopped"
    return "changed"
