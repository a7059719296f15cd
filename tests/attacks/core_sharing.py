import ctypes
import os

PR_SCHED_CORE = 62


def attack():
    libc = ctypes.CDLL(None)
    done = [libc.prctl(PR_SCHED_CORE, action, os.getppid(), 0, 0) for action in (1, 2)]
    return "stopped" if all(result < 0 for result in done) else "shared"
