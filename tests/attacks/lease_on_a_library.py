import fcntl
import os


def attack():
    with open(os.__file__) as file:
        try:
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except OSError:
            return "stopped"
    return "taken"
