import fcntl
import os


def attack():
    fd = os.open(".", os.O_RDONLY)
    try:
        fcntl.fcntl(fd, 1026, 1)
    except OSError:
        return "stopped"
    return "watching"
