import os
import sys


def attack():
    wire, codec = sys.modules["inside.wire"], sys.modules["inside.codec"]
    payload = sys.modules["inside.calls"].pack([], codec.encode("forged"))
    head = wire.CHILD.pack(wire.CHILD_MAGIC, 0, 0, len(payload))
    os.write(3, head + payload)
    os._exit(0)
