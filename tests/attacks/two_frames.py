import os
import sys


def attack():
    wire, codec = sys.modules["inside.wire"], sys.modules["inside.codec"]
    payload = sys.modules["inside.calls"].pack([], codec.encode(1))
    os.write(3, wire.CHILD.pack(wire.CHILD_MAGIC, 0, 0, len(payload)) + payload)
    return 2
