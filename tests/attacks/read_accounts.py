import os
import sys


def attack():
    got = []
    for name in (
        "/etc/passwd",
        "/etc/shadow",
        "/etc/hostname",
        "/etc/ssh",
        "/root/.ssh",
        "/var/log",
        "/home",
        "/run",
        "/sys/kernel",
    ):
        try:
            if not os.path.isdir(name):
                open(name).close()
            # the folders that lead to the interpreter are there, and nothing beside them
            elif not [x for x in os.listdir(name) if not sys.prefix.startswith(f"{name}/{x}/")]:
                continue
            got.append(name)
        except OSError:
            continue
    return got
