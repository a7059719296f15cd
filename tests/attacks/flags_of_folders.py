import fcntl
import os
import struct

FOLDERS = (".", "/tmp", "/dev/shm")

GET, SET, NODUMP = 0x80086601, 0x40086602, 0x40


def attack():
    found = []
    for folder in FOLDERS:
        fd = os.open(folder, os.O_RDONLY)
        try:
            (flags,) = struct.unpack("l", fcntl.ioctl(fd, GET, bytes(8)))
            if flags & NODUMP:
                found.append(folder)
            fcntl.ioctl(fd, SET, struct.pack("l", flags | NODUMP))
            found.append(f"{folder} set")
        except OSError:
            continue
        finally:
            os.close(fd)
    return found
