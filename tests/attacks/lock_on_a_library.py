import fcntl
import os
import time


def attack():
    file = open(os.__file__)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        found = []
    except OSError:
        found = ["locked"]
    if not os.fork():
        os.setsid()
        time.sleep(60)
    return found
