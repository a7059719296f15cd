import os

FOLDERS = (".", "/tmp", "/dev/shm")


def attack():
    found = [folder for folder in FOLDERS if os.stat(folder).st_mtime < 1e9]
    for folder in FOLDERS:
        try:
            os.utime(folder, (12345, 12345))
        except OSError:
            continue
    return found
