import fcntl
import os


def attack():
    odd = os.O_NONBLOCK | os.O_APPEND
    found = [fd for fd in range(3) if fcntl.fcntl(fd, fcntl.F_GETFL) & odd]
    for fd in range(3):
        fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | odd)
    return found
