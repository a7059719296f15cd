import os
import sys


def attack():
    wire = sys.modules["inside.wire"]
    head = wire.REPLY.pack(wire.REPLY_MAGIC, wire.DONE, b"0" * 16, 0, 1, 0, 0.0, 0.0, 0, 0, 0, 0)
    for fd in (1, 2):
        os.write(fd, head)
    return 1
