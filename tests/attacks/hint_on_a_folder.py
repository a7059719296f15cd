import fcntl
import os
import struct


def attack():
    fd = os.open(".", os.O_RDONLY)
    try:
        fcntl.fcntl(fd, 1036, struct.pack("Q", 5))
    except OSError:
        return "stopped"
    return "set"
