import os
import struct
import sys


def attack():
    inside = sys.modules["inside.arrays"]
    import numpy as np

    manifest, column = b'{"m":["M","generic",1,0]}', np.array([1, 2])
    blob = inside.array_to_bytes(column)
    payload = struct.pack("<4sII", b"BMV1", len(manifest), 1) + manifest
    payload += struct.pack("<Q", len(blob)) + blob
    payload = sys.modules["inside.calls"].pack([], payload)
    wire = sys.modules["inside.wire"]
    os.write(3, wire.CHILD.pack(wire.CHILD_MAGIC, 0, 0, len(payload)) + payload)
    os._exit(0)
