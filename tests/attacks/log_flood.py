import sys


def attack():
    for stream in (sys.stdout, sys.stderr):
        stream.write("x" * 70_000)
    return 1
