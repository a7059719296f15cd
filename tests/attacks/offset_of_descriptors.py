import os


def attack():
    found = []
    for fd in range(16):
        try:
            if os.lseek(fd, 0, os.SEEK_CUR):
                found.append(fd)
            os.lseek(fd, 12345, os.SEEK_SET)
        except OSError:
            continue
    return found
